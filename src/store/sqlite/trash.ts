/**
 * Deleted rules that can be restored. Their matches stay on the disk, with the number of their account negated: no list of
 * the account walks over them, and its charts do not count them. They are moved out of sight and back in slices, newest first.
 */
import type { Change } from '../../domain/change.ts';
import type { Platform } from '../../domain/platform.ts';
import { timeOf } from '../order.ts';
import { minuteOf } from '../rows/minutes.ts';
import { selectRules } from '../rows/rules.ts';
import {
  ALL_TO_MOVE,
  type DeletedRow,
  deletedRulesOf,
  hiddenOwner,
  placeAfter,
  type TrashPlace,
} from '../rows/trash.ts';
import type { DeletedRule, Position, RuleOverLimit, RuleRestoring } from '../store.ts';
import { watchAgain } from './alerts.ts';
import { noteChange } from './changes.ts';
import { transaction } from './connection.ts';
import { moveGapsOfRule, putGap } from './coverage.ts';
import { changeAccountMinutes } from './minutes.ts';
import { noteRuleChange } from './nodes.ts';
import { countRule, firstOver, heldBy } from './rule-counts.ts';
import { settle } from './settle.ts';
import type { Sql } from './sql.ts';

/** Matches that are moved in one transaction. */
const SLICE = 500;
/** Rules read at a time. */
const RULES = 250;

const OF_ACCOUNT = 'account = (SELECT number FROM accounts WHERE id = :account)';
const RESTORABLE = `${OF_ACCOUNT} AND restorable_until > :now`;
const ONE = selectRules(`id = :rule AND ${RESTORABLE}`, 'deleted');
const LIST = selectRules(
  `${RESTORABLE} AND (deleted_at, number) < (:deletedAt, :number) ORDER BY deleted_at DESC, number DESC LIMIT ${RULES}`,
  'deleted',
);

export const trashReads = (sql: Sql) => ({
  deletedRule: (accountId: string, ruleId: string, now: Date): DeletedRule | undefined =>
    deletedRulesOf(sql.rows<DeletedRow>(ONE, { account: accountId, rule: ruleId, now: now.getTime() }))[0],
  deletedRulesBelow(
    accountId: string,
    now: Date,
    below: TrashPlace,
  ): { rules: DeletedRule[]; next: TrashPlace | undefined } {
    const rows = sql.rows<DeletedRow>(LIST, { account: accountId, now: now.getTime(), ...below });
    return { rules: deletedRulesOf(rows), next: placeAfter(rows) };
  },
});

export const trashWrites = (sql: Sql) => ({
  restoreRule: (
    accountId: string,
    ruleId: string,
    restoring: RuleRestoring,
    note?: Change,
  ): 'restored' | RuleOverLimit | undefined =>
    transaction(sql, () => {
      const outcome = restoreRule(sql, accountId, ruleId, restoring);
      if (outcome === 'restored') noteChange(sql, accountId, note);
      return outcome;
    }),
  moveMatches: (ruleId: string): boolean =>
    transaction(sql, () => {
      const rule = sql.row<Moving>(`${MOVING} WHERE id = ? AND moved_below IS NOT NULL`, [ruleId]);
      return rule !== undefined && moveSlice(sql, rule);
    }),
});

function restoreRule(
  sql: Sql,
  accountId: string,
  ruleId: string,
  { now, limits, ids, gaps }: RuleRestoring,
): 'restored' | RuleOverLimit | undefined {
  const rule = sql.row<{ number: number; account: number }>(
    `SELECT number, account FROM rules WHERE id = :rule AND deleted = 1 AND ${RESTORABLE}`,
    { account: accountId, rule: ruleId, now: now.getTime() },
  );
  if (rule === undefined) return undefined;
  const platforms = heldBy(sql, rule.number);
  const over = firstOver(sql, rule.account, platforms, limits);
  if (over !== undefined) return over;
  sql.run(
    `UPDATE rules SET deleted = 0, deleted_at = NULL, restorable_until = NULL, moved_below = ${ALL_TO_MOVE} WHERE number = ?`,
    [rule.number],
  );
  for (const platform of platforms) {
    countRule(sql, rule.account, platform, 1);
    if (ids[platform] !== undefined)
      sql.run(
        `UPDATE rule_platforms SET status = 'active', platform_rule_id = ?, error = NULL WHERE rule = ? AND platform = ?`,
        [ids[platform], rule.number, platform],
      );
  }
  watchAgain(sql, rule.number);
  moveGapsOfRule(sql, ruleId, { from: hiddenOwner(accountId), to: accountId });
  for (const gap of gaps) putGap(sql, gap);
  noteRuleChange(sql, ruleId);
  return 'restored';
}

interface Moving {
  readonly number: number;
  readonly account: number;
  readonly deleted: number;
  readonly moved_below: Position;
}

const MOVING = 'SELECT number, account, deleted, moved_below FROM rules';

/** Goes on with a rule that was deleted or restored; false when there is none. */
export function moveSomeMatches(sql: Sql): boolean {
  const rule = sql.row<Moving>(`${MOVING} INDEXED BY rules_moving WHERE moved_below IS NOT NULL LIMIT 1`);
  if (rule === undefined) return false;
  moveSlice(sql, rule);
  return true;
}

/** Part of every deletion, so that a small rule is out of the charts with the answer. */
export function beginToMove(sql: Sql, number: number): void {
  sql.run(`UPDATE rules SET moved_below = ${ALL_TO_MOVE} WHERE number = ?`, [number]);
  moveSlice(sql, sql.row<Moving>(`${MOVING} WHERE number = ?`, [number])!);
}

interface MovedMatch {
  readonly position: Position;
  readonly platform: Platform;
  readonly account: number;
  readonly story: Position | null;
}

const leg = (platform: Platform): string =>
  `SELECT * FROM (SELECT position FROM rule_matches
     WHERE rule = :rule AND platform = '${platform}' AND position < :below ORDER BY position DESC LIMIT ${SLICE})`;

const OF_RULE = `SELECT m.position, m.platform, m.account, m.story FROM (${leg('x')} UNION ALL ${leg('firehose')}
    ORDER BY position DESC LIMIT ${SLICE}) w CROSS JOIN matches m ON m.position = w.position ORDER BY w.position DESC`;

/** Whether there is more of this rule. */
function moveSlice(sql: Sql, { number, account, deleted, moved_below }: Moving): boolean {
  settle(sql);
  const rows = sql.rows<MovedMatch>(OF_RULE, { rule: number, below: moved_below });
  const owner = deleted === 1 ? -account : account;
  const moved = rows.filter((match) => match.account !== owner);
  for (const { position, platform, story } of moved) {
    sql.run('UPDATE matches SET account = ? WHERE position = ?', [owner, position]);
    if (deleted === 1) sql.run('DELETE FROM owed WHERE position = ? AND delivery IS NULL', [position]);
    if (story !== null)
      sql.run('UPDATE story_parts SET account = ? WHERE story = ? AND rule = ? AND platform = ?', [
        owner,
        story,
        number,
        platform,
      ]);
  }
  const byMinute = Map.groupBy(moved, ({ position, platform }) => `${platform} ${minuteOf(timeOf(position))}`);
  for (const [first, ...others] of byMinute.values()) {
    const { platform, position } = first!;
    const matches = (deleted === 1 ? -1 : 1) * (1 + others.length);
    changeAccountMinutes(sql, { account, platform, minute: minuteOf(timeOf(position)), matches });
  }
  const more = rows.length === SLICE;
  sql.run('UPDATE rules SET moved_below = ? WHERE number = ?', [more ? rows.at(-1)!.position : null, number]);
  return more;
}
