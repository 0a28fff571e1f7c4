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
  return { items: read.flatMap(({ items }) => items), skipped: read.flatMap(({ skipped }) => skipped) };
}

/** How many there are and why; undefined when there are none. */
export function unreadOf(
  where: string,
  skipped: readonly Pick<SkippedItem, 'reason'>[],
): { readonly count: number; readonly message: string } | undefined {
  if (skipped.length === 0) return undefined;
  const reasons = [...Map.groupBy(skipped, ({ reason }) => reason)].map(
    ([reason, { length }]) => `${length} ${reason}`,
  );
  return { count: skipped.length, message: `Items of ${where} are missing: ${reasons.join(', ')}.` };
}

/** Parses JSON from outside; undefined when it is no JSON, nests deeper than 64 levels or has over 50,000 keys. */
const LIMITS = { depth: 64, keys: 50_000 };

export function jsonOf(text: string): unknown {
  const parsed = parseJson(text, LIMITS);
  return parsed.ok ? parsed.value : undefined;
}
