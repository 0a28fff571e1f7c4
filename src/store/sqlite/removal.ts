/**
 * How things leave the disk: matches of deleted rules and matches past retention in slices, posts that must be erased at
 * once. Deleted content is overwritten (`secure_delete`), freed pages go back to the file system, and the write-ahead log,
 * which still has the old pages, is emptied when a round of removal is done.
 */

import { coldObjectWrites } from '../nouns/cold/cold-objects.ts';
import { resumeErasure } from '../nouns/erasure/erasing.ts';
import { erasingOf, erasureWrites } from '../nouns/erasure/erasure.ts';
import type { RecentLimits } from '../nouns/recent.ts';
import { removalsOf, removeDeletedRule } from '../nouns/removal.ts';
import { moveSomeMatches } from '../nouns/trash.ts';
import { positionAt } from '../order.ts';
import type { SqliteDb } from './db.ts';
import { storedPosts } from './erasure.ts';
import { freePages, truncateLog } from './free-space.ts';
import { type Doomed, doomedSql, removeMatches } from './remove-matches.ts';
import { removeOldMatches } from './retention.ts';
import { createIdleSettling, settle } from './settle.ts';
import { leaveStories } from './story-writes.ts';

/** Matches taken one by one in a transaction: a few milliseconds. */
const SLICE = 500;
const DAY = 24 * 60 * 60 * 1000;

export function removalWrites(
  db: SqliteDb,
  { retentionDays, erasureDays, recent }: { retentionDays: number; erasureDays: number; recent: RecentLimits },
) {
  /** Pages were freed since the log was last emptied. */
  let isLogDue = false;
  const settleIdle = createIdleSettling(db);
  const posts = storedPosts(db);
  const erasing = erasingOf({ days: erasureDays, posts });
  const onFreed = (): void => {
    isLogDue = true;
  };
  return {
    async removeSlice(now: Date): Promise<{ more: boolean }> {
      const removed = await db.transaction(async () => {
        await settleIdle();
        const isLeft = await resumeErasure(db, erasing, now);
        return (await removeSome(db, now.getTime(), now.getTime() - retentionDays * DAY)) || isLeft;
      });
      if (removed) isLogDue = true;
      if (removed || !isLogDue) return { more: removed };
      const freed = freePages(db.sql);
      isLogDue = freed || !truncateLog(db.sql);
      return { more: freed };
    },
    ...erasureWrites(db, {
      days: erasureDays,
      posts,
      mostErased: recent.erased,
      freed: onFreed,
    }),
    ...coldObjectWrites(db, onFreed),
  };
}

/** All of it in one transaction. Whether there was anything. */
async function removeSome(db: SqliteDb, now: number, due: number): Promise<boolean> {
  const steps = [
    moveSomeMatches,
    () => removeDeletedRule(db, now, (_, rule) => takeSome(db, rule)),
    () => removeOldMatches(db, positionAt(due)),
    ...removalsOf(now, due),
  ];
  let isAny = false;
  for (const step of steps) if (await step(db)) isAny = true;
  return isAny;
}

const OF_RULE = `${doomedSql(`(SELECT position AS found FROM rule_matches WHERE rule = ? LIMIT ${SLICE})
  CROSS JOIN matches`)} WHERE m.position = found`;

async function takeSome(db: SqliteDb, rule: number): Promise<boolean> {
  await settle(db);
  const matches = db.sql.rows<Doomed>(OF_RULE, [rule]);
  leaveStories(db.sql, rule, new Set(matches.flatMap(({ story }) => story ?? [])));
  await removeMatches(db, matches, { erase: false, whole: true });
  return matches.length > 0;
}
