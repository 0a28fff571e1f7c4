/**
 * The rings of recent events, for previews. They are written after a commit, by one statement that the server runs to its
 * end: no node holds a lock on a ring between two statements, and a crash loses at most a commit's events for previews.
 */
import type { Platform } from '../../domain/platform.ts';
import { erasedOf } from '../rows/erased.ts';
import { createRingPacker, textIn } from '../rows/packed-ring.ts';
import { enough, recentSlices } from '../rows/preview.ts';
import {
  ALL_ACCOUNTS,
  type RecentLimits,
  type RecentRow,
  type RecentTotals,
  type RingEvent,
  SHARED,
} from '../rows/recent.ts';
import type { Named } from '../rows/tombstones.ts';
import type { RecentStore } from '../store.ts';
import type { Database, Db } from './connection.ts';
import { erasedRows } from './erased.ts';
import { hiddenFrom } from './tombstones.ts';

/** Rows whose sizes are looked at together before they are read. */
const ROWS = 64;

export async function keepRecent(
  db: Db,
  platform: Platform,
  at: number,
  events: readonly RingEvent[],
  limits: RecentLimits,
): Promise<void> {
  if (events.length === 0 || limits.events === 0) return;
  const ring = createRingPacker();
  for (const event of events) ring.add(event);
  const rows = ring.rows();
  await db.run('SELECT keep_recent($1, $2, $3, $4, $5, $6, $7, $8)', [
    platform,
    at,
    rows.map(({ owner }) => owner),
    rows.map((row) => row.events),
    rows.map(({ bytes }) => bytes),
    rows.map((row) => textIn(row)),
    limits.events,
    limits.bytes,
  ]);
}

export const recentStore = (db: Database): RecentStore => ({
  async *recentEvents(accountId, platform, limit) {
    const erased = erasedOf(await erasedRows(db, accountId, platform));
    const rowsBefore = (number: number) => recentBefore(db, accountId, platform, number);
    const hidden = (events: readonly Named[]) => hiddenFrom(db, accountId, platform, events);
    yield* recentSlices({ platform, limit, erased, rowsBefore, hidden });
  },
  async recentTotals(platform) {
    const [row] = await db.rows<RecentTotals>(
      `SELECT coalesce(sum(events), 0)::bigint AS events, coalesce(sum(bytes), 0)::bigint AS bytes
       FROM recent_totals WHERE platform = $1 AND owner IN ($2, $3)`,
      [platform, SHARED, ALL_ACCOUNTS],
    );
    return row!;
  },
});

/** Some rows that an account sees before a number, newest first: shared ones and its own. */
async function recentBefore(db: Db, accountId: string, platform: Platform, before: number): Promise<RecentRow[]> {
  const leg = (owner: string) =>
    `(SELECT number, bytes FROM recent WHERE platform = $1 AND owner = ${owner} AND number < $2 ORDER BY number DESC LIMIT ${ROWS})`;
  const sizes = await db.rows<{ number: number; bytes: number }>(
    `SELECT * FROM (${leg('$3')} UNION ALL ${leg('$4')}) r ORDER BY number DESC LIMIT ${ROWS}`,
    [platform, before, SHARED, accountId],
  );
  if (sizes.length === 0) return [];
  return db.rows<RecentRow>('SELECT number, at, lines FROM recent WHERE number = ANY($1) ORDER BY number DESC', [
    enough(sizes),
  ]);
}
