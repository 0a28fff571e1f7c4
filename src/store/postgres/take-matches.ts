/** Takes matches off the disk, with what is owed of them and their keys, and their events with the last of them. */
import type { Platform } from '../../domain/platform.ts';
import { keyOfTail } from '../order.ts';
import type { Position } from '../store.ts';
import type { Db } from './connection.ts';
import { forgetOwed } from './owed.ts';
import { forgetRatings } from './ratings.ts';
import { takeFromStories } from './story-removal.ts';

interface Doomed {
  readonly position: Position;
  readonly rule: number;
  readonly account: number;
  readonly platform: Platform;
  readonly event: number;
  readonly tail: string;
  /** Of a deleted rule: no list shows it, and no chart counts it. */
  readonly deleted: number;
  readonly story: Position | null;
}

/** Answers those that are gone by this call: of two that remove the same match, one gets it. */
export async function takeMatches(
  db: Db,
  found: readonly { position: Position }[],
  options: { erase: boolean },
): Promise<Doomed[]> {
  if (found.length === 0) return [];
  const matches = await db.rows<Doomed>(
    `DELETE FROM matches m USING rules r WHERE r.number = m.rule AND m.position = ANY($1)
     RETURNING m.position, m.rule, m.account, m.platform, m.event, m.tail, r.deleted, m.story`,
    [found.map(({ position }) => position)],
  );
  const positions = matches.map(({ position }) => position);
  await forgetOwed(db, positions, options);
  if (options.erase) await forgetRatings(db, positions);
  await takeFromStories(
    db,
    matches.filter(({ deleted }) => deleted === 0),
  );
  await db.run('DELETE FROM match_keys WHERE tail = ANY($1)', [matches.map(({ tail }) => keyOfTail(tail))]);
  await db.run(
    'DELETE FROM events e WHERE e.number = ANY($1) AND NOT EXISTS (SELECT 1 FROM matches m WHERE m.event = e.number)',
    [[...new Set(matches.map(({ event }) => event))]],
  );
  return matches;
}
