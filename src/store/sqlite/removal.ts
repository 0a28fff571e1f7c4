/**
 * How things leave the disk: matches of deleted rules and matches past retention in slices, posts that must be erased at
 * once. Deleted content is overwritten (`secure_delete`), freed pages go back to the file system, and the write-ahead log,
 * which still has the old pages, is emptied when a round of removal is done.
 */
import { positionAt } from '../order.ts';
import { hiddenOwner } from '../rows/trash.ts';
import { removeAlertsOfRule, removeOldAlerts } from './alerts.ts';
import { removeAnswers } from './answers.ts';
import { removeChanges } from './changes.ts';
import { transaction } from './connection.ts';
import { dropGapsOfRule } from './coverage.ts';
import { removeDeletedWebhook, removeOldDeliveries } from './delivery-removal.ts';
import { endExpired, forgetEnded } from './ended-subscriptions.ts';
import { eraseSlice } from './erased.ts';
import { erasureWrites } from './erasure.ts';
import { freePages, truncateLog } from './free-space.ts';
import { removeOldGrants } from './grants.ts';
import { dropMinutesOf } from './minutes.ts';
import { removeOldChanges } from './nodes.ts';
import { removePasses } from './passes.ts';
import { dropTexts } from './past-texts.ts';
import { removeRatingsOf } from './ratings.ts';
import { removeReadings } from './readings.ts';
import { removeOldRehearsals } from './rehearsals.ts';
import { type Doomed, doomedSql, removeMatches } from './remove-matches.ts';
import { removeOldMatches } from './retention.ts';
import { createIdleSettling, settle } from './settle.ts';
import type { Sql } from './sql.ts';
import { leaveStories } from './story-writes.ts';
import { removeTombstones } from './tombstones.ts';
import { moveSomeMatches } from './trash.ts';
import { removeOldOfUpstreams } from './upstreams.ts';
import { removeUsage } from './usage.ts';
import { removeWakeStories } from './wakes.ts';

/** Matches taken one by one in a transaction: a few milliseconds. */
const SLICE = 500;
const DAY = 24 * 60 * 60 * 1000;

export function removalWrites(
  sql: Sql,
  { retentionDays, erasureDays }: { retentionDays: number; erasureDays: number },
) {
  /** Pages were freed since the log was last emptied. */
  let isLogDue = false;
  const settleIdle = createIdleSettling(sql);
  return {
    removeSlice(now: Date): { more: boolean } {
      const before = now.getTime() - retentionDays * DAY;
      const removed = transaction(sql, () => {
        settleIdle();
        const results = [
          moveSomeMatches(sql),
          removeDeletedRule(sql, now.getTime()),
          removeOldMatches(sql, positionAt(before)),
          eraseSlice(sql),
          removeOldDeliveries(sql, before),
          endExpired(sql, now.getTime()),
          forgetEnded(sql, now.getTime()),
          removeDeletedWebhook(sql),
          removeWakeStories(sql, before),
          removeAnswers(sql, now.getTime()),
          removeOldOfUpstreams(sql, before),
          removeOldChanges(sql),
          removePasses(sql, now.getTime()),
          removeOldGrants(sql, now.getTime()),
          removeTombstones(sql, now.getTime()),
          removeChanges(sql, before),
          removeOldAlerts(sql, before),
          removeReadings(sql, before),
          removeOldRehearsals(sql, before),
        ];
        return results.includes(true);
      });
      if (removed) isLogDue = true;
      if (removed || !isLogDue) return { more: removed };
      const freed = freePages(sql);
      isLogDue = freed || !truncateLog(sql);
      return { more: freed };
    },
    ...erasureWrites(sql, erasureDays, () => {
      isLogDue = true;
    }),
  };
}

const OF_RULE = `${doomedSql(`(SELECT position AS found FROM rule_matches WHERE rule = ? LIMIT ${SLICE})
  CROSS JOIN matches`)} WHERE m.position = found`;

/** A slice of a deleted rule that cannot be restored any more; the rule itself goes last. */
function removeDeletedRule(sql: Sql, now: number): boolean {
  const rule = sql.row<{ number: number; id: string; account_id: string }>(
    `SELECT r.number, r.id, a.id AS account_id FROM
       (SELECT * FROM rules INDEXED BY rules_deleted
        WHERE deleted = 1 AND restorable_until <= ? AND moved_below IS NULL LIMIT 1) r
     JOIN accounts a ON a.number = r.account`,
    [now],
  );
  if (rule === undefined) return false;
  settle(sql);
  const matches = sql.rows<Doomed>(OF_RULE, [rule.number]);
  leaveStories(sql, rule.number, new Set(matches.flatMap(({ story }) => story ?? [])));
  removeMatches(sql, matches, { erase: false, whole: true });
  if (matches.length > 0 || dropMinutesOf(sql, rule.number)) return true;
  if (removeAlertsOfRule(sql, rule.number)) return true;
  sql.run('DELETE FROM tallies WHERE rule = ?', [rule.number]);
  dropGapsOfRule(sql, hiddenOwner(rule.account_id), rule.id);
  removeUsage(sql, rule.number);
  removeRatingsOf(sql, rule.number);
  dropTexts(sql, rule.number);
  sql.run('DELETE FROM rule_platforms WHERE rule = ?', [rule.number]);
  sql.run('DELETE FROM rules WHERE number = ?', [rule.number]);
  return true;
}
