/**
 * Reads items from outside one by one: one that cannot be read takes no other with it. It is counted, and so is one with
 * a field that had to be left out, because a rule may ask for just that field.
 */
import type { z } from 'zod';
import { parseJson } from '../../base/json.ts';

export interface SkippedItem {
  /** Such as `that cannot be read`. */
  readonly reason: string;
  readonly item: unknown;
  /** How many items it stands for, where they are only counted; without it, one. */
  readonly count?: number;
}

export interface ReadItems<T> {
  readonly items: readonly T[];
  readonly skipped: readonly SkippedItem[];
}

export const UNREADABLE = 'that cannot be read';
const PARTIAL = 'that can be read only in part';

/** Shapes cannot tell more than their result. Reading is synchronous, so that no other item comes between. */
let isPartial = false;

/** A field that an item can do without: one of a wrong type is left out, and the item counts as read in part. */
export const lenient = <T extends z.ZodType>(shape: T) =>
  shape.nullish().catch(() => {
    isPartial = true;
    return undefined;
  });

export function readItem<T>(item: unknown, shape: z.ZodType<T>): ReadItems<T> {
  isPartial = false;
  const { data } = shape.safeParse(item);
  if (data === undefined) return { items: [], skipped: [{ reason: UNREADABLE, item }] };
  return { items: [data], skipped: isPartial ? [{ reason: PARTIAL, item }] : [] };
}

export function readItems<T>(list: readonly unknown[], shape: z.ZodType<T>): ReadItems<T> {
  const read = list.map((item) => readItem(item, shape));
  return { items: read.flatMap(({ items }) => items), skipped: firstSkipped(read.flatMap(({ skipped }) => skipped)) };
}

/** Each of them is remembered by a digest, so that it is told once. A document of nothing else can have very many. */
const MOST_SKIPPED = 100;

/** The first of them; the others are only counted, as one item for each reason. */
export function firstSkipped(skipped: readonly SkippedItem[]): readonly SkippedItem[] {
  if (skipped.length <= MOST_SKIPPED) return skipped;
  const others = Map.groupBy(skipped.slice(MOST_SKIPPED), ({ reason }) => reason);
  const counted = [...others].map(([reason, items]) => ({ reason, item: undefined, count: countOf(items) }));
  return [...skipped.slice(0, MOST_SKIPPED), ...counted];
}

/** How many items were skipped, with those that are only counted. */
export const countOf = (skipped: readonly Pick<SkippedItem, 'count'>[]): number =>
  skipped.reduce((sum, { count = 1 }) => sum + count, 0);

/** How many there are and why; undefined when there are none. */
export function unreadOf(
  where: string,
  skipped: readonly Pick<SkippedItem, 'reason' | 'count'>[],
): { readonly count: number; readonly message: string } | undefined {
  if (skipped.length === 0) return undefined;
  const reasons = [...Map.groupBy(skipped, ({ reason }) => reason)].map(
    ([reason, items]) => `${countOf(items)} ${reason}`,
  );
  return { count: countOf(skipped), message: `Items of ${where} are missing: ${reasons.join(', ')}.` };
}

/** An entry of a list takes longer to read than a key, and two characters are enough for one. */
const LIMITS = { depth: 64, keys: 50_000, entries: 20_000 };

/** Parses JSON from outside; undefined when it is no JSON, or is over the limits on nesting, keys and entries of lists. */
export function jsonOf(text: string): unknown {
  const parsed = parseJson(text, LIMITS);
  return parsed.ok ? parsed.value : undefined;
}
