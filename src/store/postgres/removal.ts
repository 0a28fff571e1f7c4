/**
 * How things leave. Nothing here takes the lock under which commits wait for each other: each step is a transaction of its
 * own over a slice, and may be interrupted at any point. Matches of deleted rules go in slices, for each of which commits are
 * kept out; `retention.ts` has what goes by age.
 */
import type { Db } from '../db.ts';
import { changeStored } from '../nouns/account-use.ts';
import { type Erasing, resumeErasure } from '../nouns/erasure/erasing.ts';
import { MINUTE } from '../nouns/minutes.ts';
import { forgetOwed } from '../nouns/owed.ts';
import { removalsOf, removeDeletedRule } from '../nouns/removal.ts';
import { moveSomeMatches } from '../nouns/trash.ts';
import { minuteSql, type Position, positionAt, timeOf } from '../order.ts';
import type { HouseStore } from '../store.ts';
import type { Partitions } from './partitions.ts';
import { dropStoryParts, trimStoryParts } from './story-removal.ts';
import { takeMatches } from './take-matches.ts';

const DAY = 24 * 60 * 60 * 1_000;
const OWED_SLICE = 2_000;
const KEY_SLICE = 20_000;

/** The time before which stored matches may be removed. */
export const retentionDue = (now: Date, retentionDays: number): number =>
  Math.floor((now.getTime() - retentionDays * DAY) / MINUTE) * MINUTE;

/**
 * Matches past retention are out of sight when `oldest` rises over them, all at once; their rows leave the disk with their
 * day's partition. What stands in other tables goes in ranges of thousands. Retention goes by whole minutes, so that charts
 * never count part of one.
 */
async function forgetOldOwed(db: Db, due: number): Promise<boolean> {
  const rows = await db.rows<{ position: Position }>(
    `SELECT position FROM owed WHERE position < $1 ORDER BY position LIMIT ${OWED_SLICE}`,
    [positionAt(due)],
  );
  const sent = await db.run(
    `UPDATE deliveries SET body = NULL, sent = NULL WHERE number = ANY(ARRAY(SELECT number FROM deliveries
       WHERE sent < $1 AND status <> 'pending' ORDER BY sent LIMIT ${OWED_SLICE}))`,
    [positionAt(due)],
  );
  if (rows.length === 0) return sent > 0;
  await forgetOwed(db, [...new Set(rows.map(({ position }) => position))], { erase: false });
  return true;
}

/** To the end of the last minute that has a match: a cursor after it has missed nothing and stays good. */
async function raiseOldest(db: Db, due: number): Promise<boolean> {
  const [last] = await db.rows<{ position: Position | null }>(
    'SELECT max(position) AS position FROM matches WHERE position < $1',
    [positionAt(due)],
  );
  if (last === undefined || last.position === null) return false;
  const end = (Math.floor(timeOf(last.position) / MINUTE) + 1) * MINUTE;
  return (await db.run(`UPDATE state SET value = $1 WHERE name = 'oldest' AND value < $1`, [positionAt(end)])) > 0;
}

const removeOldKeys = async (db: Db): Promise<boolean> =>
  (await db.run(
    `DELETE FROM match_keys WHERE ctid = ANY(ARRAY(SELECT ctid FROM match_keys
       WHERE position < (SELECT value FROM state WHERE name = 'oldest') ORDER BY position LIMIT ${KEY_SLICE}))`,
  )) > 0;

/** A slice of the minutes past retention. */
const removeOldMinutes = (db: Db): Promise<boolean> =>
  db.transaction(async (tx) => {
    const gone = await tx.rows<{ subject: number; matches: number }>(
      `DELETE FROM minutes WHERE ctid = ANY(ARRAY(SELECT ctid FROM minutes
         WHERE minute < (SELECT ${minuteSql('value')} FROM state WHERE name = 'oldest') ORDER BY minute LIMIT 10000))
       RETURNING subject, matches`,
    );
    const ofAccounts = gone.filter(({ subject }) => subject < 0);
    await changeStored(
      tx,
      ofAccounts.map(({ subject, matches }) => ({ account: -subject, matches: -matches })),
    );
    return gone.length > 0;
  });

/** By how much the oldest key is past its time: keys go last. */
async function lateness(db: Db, due: number): Promise<number> {
  const [row] = await db.rows<{ position: Position | null }>('SELECT min(position) AS position FROM match_keys');
  return row === undefined || row.position === null ? 0 : Math.max(0, due - timeOf(row.position));
}

/** Matches of a deleted rule that go in one transaction. */
const SLICE = 1_000;

interface Options {
  readonly retentionDays: number;
  readonly partitions: Partitions;
  readonly erasing: Erasing;
}

type RemovalStore = Pick<HouseStore, 'removeSlice' | 'retentionBacklog'>;

export const removalStore = (db: Db, { retentionDays, partitions, erasing }: Options): RemovalStore => ({
  async removeSlice(now) {
    await partitions.readyAhead(now.getTime());
    const due = retentionDue(now, retentionDays);
    let more = await db.transaction((tx) => resumeErasure(tx, erasing, now));
    for (const step of stepsOf(now.getTime(), due)) if (await db.transaction(step)) more = true;
    if (more) return { more };
    return { more: await partitions.dropBefore(positionAt(due)) };
  },
  retentionBacklog: async (now) => ({ lateMs: await lateness(db, retentionDue(now, retentionDays)) }),
});

/** Each answers whether it removed anything. What is owed of a match goes before the match is out of sight. */
const stepsOf = (now: number, due: number): ((db: Db) => Promise<boolean>)[] => [
  moveSomeMatches,
  (db) => removeDeletedRule(db, now, takeSome),
  (db) => forgetOldOwed(db, due),
  async (db) => (await trimStoryParts(db, positionAt(due))) || raiseOldest(db, due),
  removeOldKeys,
  removeOldMinutes,
  ...removalsOf(now, due),
];

async function takeSome(db: Db, rule: number): Promise<boolean> {
  if (await dropStoryParts(db, rule)) return true;
  const found = await db.rows<{ position: Position }>(`SELECT position FROM matches WHERE rule = $1 LIMIT ${SLICE}`, [
    rule,
  ]);
  await takeMatches(db, found, { erase: false, whole: true });
  return found.length > 0;
}
