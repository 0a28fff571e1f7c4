/**
 * How things leave the disk: matches of deleted rules and matches past retention in slices, posts that must be erased at
 * once. Deleted content is overwritten (`secure_delete`), freed pages go back to the file system, and the write-ahead log,
 * which still has the old pages, is emptied when a round of removal is done.
 */
import type { Platform } from '../../domain/platform.ts';
import { positionAt, timeOf } from '../order.ts';
import { minuteOf } from '../rows/minutes.ts';
import { encodeText } from '../rows/texts.ts';
import type { Position } from '../store.ts';
import { removeAnswers } from './answers.ts';
import { transaction } from './connection.ts';
import { removeDeletedWebhook, removeOldDeliveries } from './delivery-removal.ts';
import { eraseSlice, hideRecent } from './erased.ts';
import { freePages, truncateLog } from './free-space.ts';
import { removeOldGrants } from './grants.ts';
import { takeMinutes, takeRuleFromAccount } from './minutes.ts';
import { removeOldChanges } from './nodes.ts';
import { forgetOwed } from './owed.ts';
import { removePasses } from './passes.ts';
import { removeOldMatches } from './retention.ts';
import type { Sql } from './sql.ts';
import { removeOldOfUpstreams } from './upstreams.ts';
import { removeUsage } from './usage.ts';

/** Matches taken one by one in a transaction: a few milliseconds. */
const SLICE = 500;
const DAY = 24 * 60 * 60 * 1000;

interface Doomed {
  readonly position: Position;
  readonly rule: number;
  readonly account: number;
  readonly platform: Platform;
  readonly event: number;
  /** Of a deleted rule: no list shows it, and no chart counts it. */
  readonly deleted: number;
}

const doomedSql = (matches: string): string =>
  `SELECT m.position, m.rule, m.account, m.platform, m.event, r.deleted FROM ${matches} m JOIN rules r ON r.number = m.rule`;

/** By way of the event: an account may have millions of matches. */
const OF_POST = doomedSql(`(SELECT * FROM matches INDEXED BY matches_of_event
  WHERE event IN (SELECT number FROM events WHERE platform = :platform AND post_id = :post)
    AND account = (SELECT number FROM accounts WHERE id = :account))`);

export function removalWrites(sql: Sql, retentionDays: number) {
  /** Pages were freed since the log was last emptied. */
  let isLogDue = false;
  return {
    removeSlice(now: Date): { more: boolean } {
      const before = now.getTime() - retentionDays * DAY;
      const removed = transaction(sql, () => {
        const results = [
          removeDeletedRule(sql),
          removeOldMatches(sql, positionAt(before)),
          eraseSlice(sql),
          removeOldDeliveries(sql, before),
          removeDeletedWebhook(sql),
          removeAnswers(sql, now.getTime()),
          removeOldOfUpstreams(sql, before),
          removeOldChanges(sql),
          removePasses(sql, now.getTime()),
          removeOldGrants(sql, now.getTime()),
        ];
        return results.includes(true);
      });
      if (removed) isLogDue = true;
      if (removed || !isLogDue) return { more: removed };
      const freed = freePages(sql);
      isLogDue = freed || !truncateLog(sql);
      return { more: freed };
    },

    /** The next rounds of removal take the text out of the account's recent events and out of the log. */
    deleteMatches(accountId: string, platform: Platform, postId: string): number {
      isLogDue = true;
      return transaction(sql, () => {
        const matches = sql.rows<Doomed>(OF_POST, { account: accountId, platform, post: encodeText(postId) });
        removeMatches(sql, matches, { erase: true });
        hideRecent(sql, accountId, platform, postId);
        return matches.filter(({ deleted }) => deleted === 0).length;
      });
    },
  };
}

/** A slice of a deleted rule; the rule itself goes last. */
function removeDeletedRule(sql: Sql): boolean {
  const rule = sql.row<{ number: number; account: number }>(
    'SELECT number, account FROM rules WHERE deleted = 1 LIMIT 1',
  );
  if (rule === undefined) return false;
  const matches = sql.rows<Doomed>(`${doomedSql('matches')} WHERE m.rule = ? LIMIT ${SLICE}`, [rule.number]);
  removeMatches(sql, matches, { erase: false });
  if (matches.length > 0 || takeRuleFromAccount(sql, rule.number, rule.account)) return true;
  sql.run('DELETE FROM tallies WHERE rule = ?', [rule.number]);
  removeUsage(sql, rule.number);
  sql.run('DELETE FROM rule_platforms WHERE rule = ?', [rule.number]);
  sql.run('DELETE FROM rules WHERE number = ?', [rule.number]);
  return true;
}

function removeMatches(sql: Sql, matches: readonly Doomed[], options: { erase: boolean }): void {
  for (const { position, event, deleted, rule, account, platform } of matches) {
    forgetOwed(sql, position, options);
    sql.run('DELETE FROM matches WHERE position = ?', [position]);
    sql.run('DELETE FROM events WHERE number = :event AND NOT EXISTS (SELECT 1 FROM matches WHERE event = :event)', {
      event,
    });
    if (deleted === 0) takeMinutes(sql, { rule, account, platform, minute: minuteOf(timeOf(position)), matches: 1 });
  }
}
