/**
 * Recent events, for previews. The events that all accounts see have a ring of their own for each platform. The events that
 * accounts pushed share a second one: when it is full, the account that holds most of it loses its oldest events. A row has many
 * events of one owner, one line each: `["account", "post id", payload, "source"]`, the last where it is known.
 */
import type { Event, Payload } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import type { Db } from '../db.ts';
import { decodeText, parseColumn } from '../rows/texts.ts';
import { hiddenFrom, type Named } from './erasure/tombstones.ts';

export interface RecentStore {
  /** The account's view, newest first: shared events and its own, without the posts that it has erased. */
  recentEvents(accountId: string, platform: Platform, limit: number): AsyncIterable<RecentEvent[]>;
  /** How much both rings of a platform hold, all accounts' events together. Not scoped. */
  recentTotals(platform: Platform): Promise<{ events: number; bytes: number }>;
}

export interface RecentEvent {
  readonly event: Event;
  readonly at: Date;
}

export interface RecentLimits {
  /** Events in each of a platform's two rings. */
  readonly events: number;
  /** Bytes in each of them. */
  readonly bytes: number;
  /** Posts of a platform that an account may have erased from them one by one: a thousand, unless it is given. */
  readonly erased?: number | undefined;
}

/** The owner of events that all accounts see. An account id is never empty. */
export const SHARED = '';
/** The row of totals that has the sum over all accounts. No account id is this. */
export const ALL_ACCOUNTS = '*';

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
  isErased: (encodedPostId: string, line: string) => boolean,
): (RecentTotals & { readonly lines: string }) | undefined {
  const all = lines.split('\n');
  const kept = all.filter((line) => !isErased(LINE_START.exec(line)?.[1] ?? '', line));
  if (kept.length === all.length) return undefined;
  const text = kept.join('\n');
  return { lines: text, events: kept.length, bytes: Buffer.byteLength(text) };
}

/** Stands for every post. An encoded post id is never empty. */
export const EVERY_POST = '';

export interface ErasedRow {
  readonly post_id: string;
  readonly number: number;
}

export interface Erased {
  isHidden(row: number, postId: string): boolean;
}

export function erasedOf(rows: readonly ErasedRow[]): Erased {
  const floor = rows.find(({ post_id }) => post_id === EVERY_POST)?.number ?? -1;
  const posts = new Map(
    rows.filter(({ post_id }) => post_id !== EVERY_POST).map(({ post_id, number }) => [decodeText(post_id), number]),
  );
  return { isHidden: (row, postId) => row <= floor || row <= (posts.get(postId) ?? -1) };
}

/** Events given at a time. */
const SLICE = 100;
/** Events parsed and looked up among the erased at once: a row of the smallest ones has ten thousand. */
const PART = 250;

interface Steps {
  readonly platform: Platform;
  readonly limit: number;
  readonly erased: Erased;
  /** Some rows before a number, newest first; none at the end. */
  readonly rowsBefore: (number: number) => Promise<readonly RecentRow[]>;
  /** Finds the events that the account must not see. */
  readonly hidden: (events: readonly Named[]) => Promise<(event: Pick<Named, 'postId'>) => boolean>;
}

export async function* recentSlices({
  platform,
  limit,
  erased,
  rowsBefore,
  hidden,
}: Steps): AsyncIterable<RecentEvent[]> {
  /** A post that came again, or in parts, is shown once. */
  const seen = new Set<string>();
  let slice: RecentEvent[] = [];
  for (
    let rows = await rowsBefore(Number.MAX_SAFE_INTEGER);
    rows.length > 0;
    rows = await rowsBefore(rows.at(-1)!.number)
  ) {
    for (const part of partsOf(rows, platform)) {
      const isHidden = await hidden(part.map(({ recent }) => recent.event));
      for (const { row, recent } of part) {
        const { postId } = recent.event;
        if (seen.size === limit) break;
        if (seen.has(postId) || erased.isHidden(row.number, postId) || isHidden(recent.event)) continue;
        seen.add(postId);
        slice.push(recent);
        if (slice.length < SLICE) continue;
        yield slice;
        slice = [];
      }
      if (seen.size === limit) break;
    }
    if (seen.size === limit) break;
  }
  if (slice.length > 0) yield slice;
}

interface FoundEvent {
  readonly row: RecentRow;
  readonly recent: RecentEvent;
}

/** The events of rows, some at a time; the next ones are parsed when they are asked for. */
function* partsOf(rows: readonly RecentRow[], platform: Platform): Generator<FoundEvent[]> {
  let part: FoundEvent[] = [];
  for (const row of rows) {
    for (const recent of eventsOf(row, platform)) {
      part.push({ row, recent });
      if (part.length < PART) continue;
      yield part;
      part = [];
    }
  }
  if (part.length > 0) yield part;
}

/** The characters of the rows that are read at once, about. */
const READ_AT_ONCE = 512 * 1024;

/** How many of these rows to read: at least one. */
export function enough(rows: readonly { readonly number: number; readonly bytes: number }[]): number[] {
  const numbers: number[] = [];
  let bytes = 0;
  for (const row of rows) {
    bytes += row.bytes;
    if (numbers.length > 0 && bytes > READ_AT_ONCE) break;
    numbers.push(row.number);
  }
  return numbers;
}

/** Rows whose sizes are looked at together before they are read. */
const ROWS = 64;

export const recentReads = (db: Db): RecentStore => ({
  async *recentEvents(accountId, platform, limit) {
    const rows = await db.rows<ErasedRow>(
      'SELECT post_id, number FROM recent_erased WHERE account = $1 AND platform = $2',
      [accountId, platform],
    );
    yield* recentSlices({
      platform,
      limit,
      erased: erasedOf(rows),
      rowsBefore: (number) => recentBefore(db, accountId, platform, number),
      hidden: (events) => hiddenFrom(db, accountId, platform, events),
    });
  },
  async recentTotals(platform) {
    const row = await db.row<RecentTotals>(
      `SELECT CAST(coalesce(sum(events), 0) AS bigint) AS events, CAST(coalesce(sum(bytes), 0) AS bigint) AS bytes
       FROM recent_totals WHERE platform = $1 AND owner IN ($2, $3)`,
      [platform, SHARED, ALL_ACCOUNTS],
    );
    return row!;
  },
});

/** Some rows that an account sees before a number, newest first: shared ones and its own. */
async function recentBefore(db: Db, accountId: string, platform: Platform, before: number): Promise<RecentRow[]> {
  const leg = (owner: string) =>
    `SELECT * FROM (SELECT number, bytes FROM recent WHERE platform = $1 AND owner = ${owner} AND number < $2
       ORDER BY number DESC LIMIT ${ROWS}) r`;
  const sizes = await db.rows<{ number: number; bytes: number }>(
    `SELECT * FROM (${leg('$3')} UNION ALL ${leg('$4')}) r ORDER BY number DESC LIMIT ${ROWS}`,
    [platform, before, SHARED, accountId],
  );
  const rows = await db.rows<RecentRow>('SELECT number, at, lines FROM recent WHERE number = ANY($1)', [enough(sizes)]);
  return rows.toSorted((one, other) => other.number - one.number);
}
