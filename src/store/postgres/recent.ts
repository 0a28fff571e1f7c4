/**
 * The rings of recent events, for previews. They are written after a commit, by one statement that the server runs to its
 * end: no node holds a lock on a ring between two statements, and a crash loses at most a commit's events for previews.
 */
import type { Platform } from '../../domain/platform.ts';
import type { Db } from '../db.ts';
import type { RecentLimits, RingEvent } from '../nouns/recent.ts';
import { createRingPacker, textIn } from '../rows/packed-ring.ts';

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
