/**
 * Rows of recent events: many events to a row, one line each, `["account", "post id", payload, "source"]`, the last where it is known. A row has the events of
 * one owner: of an account, or of none if all accounts see them.
 */
import type { Payload } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import type { RecentEvent } from '../store.ts';
import { parseColumn } from './texts.ts';

export interface RecentLimits {
  /** Events in each of a platform's two rings. */
  readonly events: number;
  /** Bytes in each of them. */
  readonly bytes: number;
}

/** The owner of events that all accounts see. An account id is never empty. */
export const SHARED = '';
/** The row of totals that has the sum over all accounts. No account id is this. */
export const ALL_ACCOUNTS = '*';

/** The characters of a row, about, so that reading or rewriting one is quick. */
const ROW_LENGTH = 256 * 1024;

export interface RingEvent {
  readonly accountId: string | undefined;
  readonly postId: string;
  /** JSON on one line. */
  readonly payload: string;
  readonly source?: string | undefined;
}

export interface RecentTotals {
  readonly events: number;
  readonly bytes: number;
}

export interface RecentRow {
  readonly number: number;
  readonly at: number;
  readonly lines: string;
}

export interface PackedRow extends RecentTotals {
  readonly owner: string;
  readonly lines: string;
}

/** The rows of a commit, by owner. */
export const packEvents = (events: readonly RingEvent[]): PackedRow[] =>
  [...Map.groupBy(events, ({ accountId }) => accountId ?? SHARED)].flatMap(([owner, own]) => packOf(owner, own));

function packOf(owner: string, events: readonly RingEvent[]): PackedRow[] {
  const rows: PackedRow[] = [];
  const start = `[${JSON.stringify(owner)},`;
  let [lines, count] = ['', 0];
  events.forEach(({ postId, payload, source }, index) => {
    const by = source === undefined ? '' : `,${JSON.stringify(source)}`;
    const line = `${start}${JSON.stringify(postId)},${payload}${by}]`;
    lines += count === 0 ? line : `\n${line}`;
    count++;
    if (lines.length < ROW_LENGTH && index < events.length - 1) return;
    rows.push({ owner, lines, events: count, bytes: Buffer.byteLength(lines) });
    [lines, count] = ['', 0];
  });
  return rows;
}

/** The events of a row, newest first. */
export function* eventsOf({ at, lines }: RecentRow, platform: Platform): Generator<RecentEvent> {
  for (const line of lines.split('\n').toReversed()) {
    const [owner, postId, payload, source] = parseColumn<[string, string, Payload, string?]>(line);
    const accountId = owner === SHARED ? undefined : owner;
    yield { at: new Date(at), event: { platform, postId, payload, accountId, source } };
  }
}

/** `["account", "post id",` at the beginning of a line; the post id is in the form of `encodeText`. */
const LINE_START = /^\["[^"]*",("(?:[^"\\]|\\.)*"),/;

/** An account's row without the lines of some posts; undefined when it has none of them. */
export function withoutPosts(
  lines: string,
  isErased: (encodedPostId: string) => boolean,
): Omit<PackedRow, 'owner'> | undefined {
  const all = lines.split('\n');
  const kept = all.filter((line) => !isErased(LINE_START.exec(line)?.[1] ?? ''));
  if (kept.length === all.length) return undefined;
  const text = kept.join('\n');
  return { lines: text, events: kept.length, bytes: Buffer.byteLength(text) };
}
