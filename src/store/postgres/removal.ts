/**
 * How things leave. Nothing here takes the lock under which commits wait for each other: each step is a transaction of its
 * own over a slice, and may be interrupted at any point. Matches of deleted rules go in slices; `retention.ts` has what goes by
 * age.
 */
import type { Db } from '../db.ts';
import { type Erasing, resumeErasure } from '../nouns/erasure/erasing.ts';
import { removalsOf, removeDeletedRule } from '../nouns/removal.ts';
import { moveSomeMatches } from '../nouns/trash.ts';
import { type Position, positionAt } from '../order.ts';
import type { HouseStore } from '../store.ts';
import type { Partitions } from './partitions.ts';
import { forgetOldOwed, lateness, raiseOldest, removeOldKeys, removeOldMinutes, retentionDue } from './retention.ts';
import { dropStoryParts, trimStoryParts } from './story-removal.ts';
import { takeMatches } from './take-matches.ts';

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
