/** The ring of recent events, for preview: a commit's events packed into a few rows of lines. */
import type { Platform } from '../../domain/platform.ts';
import { eventsOf, pack, type RecentLimits, type RecentRow, type RingEvent } from '../rows/recent.ts';
import type { RecentEvent, Store } from '../store.ts';
import type { Database, Db } from './connection.ts';

/** Recent events given at a time. */
const SLICE = 100;
/** Rows rewritten in one transaction. */
const ROWS = 32;

interface Totals {
  readonly events: number;
  readonly bytes: number;
}

/** Part of a commit, whose lock keeps two from making room at once. */
export async function keepRecent(
  db: Db,
  platform: Platform,
  at: number,
  events: readonly RingEvent[],
  limits: RecentLimits,
): Promise<void> {
  if (events.length === 0 || limits.events === 0) return;
  const rows = pack(events);
  await db.run(
    `INSERT INTO recent (platform, at, events, bytes, lines)
     SELECT $1, $2, events, bytes, lines FROM unnest($3::integer[], $4::bigint[], $5::text[]) AS r (events, bytes, lines)`,
    [platform, at, rows.map((row) => row.events), rows.map((row) => row.bytes), rows.map((row) => row.lines)],
  );
  // A row goes while the newer ones alone fill the ring, or while they and it have too many bytes.
  await db.run(
    `DELETE FROM recent WHERE platform = $1 AND number <= (
       SELECT max(number) FROM (
         SELECT number, events, sum(events) OVER w AS all_events, sum(bytes) OVER w AS all_bytes
         FROM recent WHERE platform = $1 WINDOW w AS (ORDER BY number DESC)
       ) r WHERE all_events - events >= $2 OR all_bytes > $3)`,
    [platform, limits.events, limits.bytes],
  );
}

export const recentStore = (db: Database): Pick<Store, 'recentEvents' | 'recentTotals'> => ({
  recentEvents: (accountId, platform, limit) => recentSlices(db, accountId, platform, limit),
  async recentTotals(platform) {
    const [row] = await db.rows<Totals>(
      `SELECT coalesce(sum(events), 0)::bigint AS events, coalesce(sum(bytes), 0)::bigint AS bytes
       FROM recent WHERE platform = $1`,
      [platform],
    );
    return row!;
  },
});

async function* recentSlices(
  db: Db,
  accountId: string,
  platform: Platform,
  limit: number,
): AsyncIterable<RecentEvent[]> {
  /** A post that came again, or in parts, is shown once. */
  const seen = new Set<string>();
  let slice: RecentEvent[] = [];
  for (let before = Number.MAX_SAFE_INTEGER; seen.size < limit; ) {
    const [row] = await db.rows<RecentRow>(
      'SELECT number, at, lines FROM recent WHERE platform = $1 AND number < $2 ORDER BY number DESC LIMIT 1',
      [platform, before],
    );
    if (row === undefined) break;
    before = row.number;
    for (const recent of eventsOf(row, platform, accountId)) {
      if (seen.size === limit) break;
      if (seen.has(recent.event.postId)) continue;
      seen.add(recent.event.postId);
      slice.push(recent);
      if (slice.length < SLICE) continue;
      yield slice;
      slice = [];
    }
  }
  if (slice.length > 0) yield slice;
}

/** Takes a post out of the ring: what this account sees of it. */
export async function eraseRecent(
  database: Database,
  accountId: string,
  platform: Platform,
  postId: string,
): Promise<void> {
  const post = `,${JSON.stringify(postId)},`;
  const starts = [`[""${post}`, `[${JSON.stringify(accountId)}${post}`];
  for (let after = 0; ; ) {
    const found = await database.transaction(async (db) => {
      const rows = await db.rows<RecentRow>(
        `SELECT number, at, lines FROM recent WHERE platform = $1 AND number > $2 AND position($3 IN lines) > 0
         ORDER BY number LIMIT ${ROWS} FOR UPDATE`,
        [platform, after, post],
      );
      for (const row of rows) {
        const kept = row.lines.split('\n').filter((line) => !starts.some((start) => line.startsWith(start)));
        const lines = kept.join('\n');
        await db.run('UPDATE recent SET lines = $2, events = $3, bytes = $4 WHERE number = $1', [
          row.number,
          lines,
          kept.length,
          Buffer.byteLength(lines),
        ]);
      }
      return rows;
    });
    if (found.length < ROWS) return;
    after = found.at(-1)!.number;
  }
}
