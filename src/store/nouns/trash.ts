/**
 * Deleted rules that can be restored. Their matches stay on the disk, with the number of their account negated: no list of
 * the account walks over them, and its charts do not count them. They are moved out of sight and back in slices, newest first.
 */
import type { Change } from '../../domain/change.ts';
import type { Gap } from '../../domain/coverage.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { Rule } from '../../domain/rule.ts';
import type { Db } from '../db.ts';
import { type Position, timeOf } from '../order.ts';
import { lockRules } from '../rows/locks.ts';
import {
  countRule,
  firstOver,
  heldBy,
  type RuleLimits,
  type RuleOverLimit,
  type RuleRow,
  rulesOf,
  selectRules,
} from '../rows/rule-rows.ts';
import { settle } from '../sqlite/settle.ts';
import { changeStored } from './account-use.ts';
import { watchAgain } from './alerts.ts';
import { noteChange } from './changes.ts';
import { moveGapsOfRule, putGaps } from './coverage.ts';
import { changeCounts, minuteOf, stillCounted } from './minutes.ts';
import { noteRuleChange } from './nodes.ts';

export interface TrashStore {
  /** A deleted rule that can be restored. */
  deletedRule(accountId: string, ruleId: string, now: Date): Promise<DeletedRule | undefined>;
  /** All of them, the one that was deleted last first, in slices. */
  deletedRules(accountId: string, now: Date): AsyncIterable<DeletedRule[]>;
  /** Returns undefined for an unknown rule, or after its time. `moveMatches` then brings its matches back. */
  restoreRule(
    accountId: string,
    ruleId: string,
    restoring: RuleRestoring,
    note?: Change,
  ): Promise<'restored' | RuleOverLimit | undefined>;
  /**
   * Brings a slice of the matches of a rule that was deleted or restored out of the lists and charts of its account, or
   * back. False when all of them are where they belong; `removeSlice` goes on with what is left. Not scoped.
   */
  moveMatches(ruleId: string): Promise<boolean>;
}

export interface DeletedRule extends Rule {
  readonly deletedAt: Date;
  readonly restorableUntil: Date;
}

export interface RuleRestoring {
  readonly now: Date;
  readonly limits: RuleLimits;
  /** The copies that the platforms hold by now. A platform that is left out holds none: the rule is paused. */
  readonly ids: Readonly<Partial<Record<Platform, string>>>;
  /** The time in which the rule was not watched. */
  readonly gaps: readonly Gap[];
}

/** Above every position: all matches of the rule are to be moved. */
const ALL_TO_MOVE = Number.MAX_SAFE_INTEGER;
/** Matches that are moved in one transaction. */
const SLICE = 500;
/** Rules read at a time. */
const RULES = 250;

/** The gaps of a deleted rule belong to this owner, so that its account does not see them. */
export const hiddenOwner = (accountId: string): string => `deleted ${accountId}`;

export interface DeletedRow extends RuleRow {
  readonly deleted_at: number;
  readonly restorable_until: number;
}

/** In the order of the rows. */
export function deletedRulesOf(rows: readonly DeletedRow[]): DeletedRule[] {
  const times = new Map(rows.map((row) => [row.id, row]));
  return rulesOf(rows).rules.map((rule) => {
    const { deleted_at, restorable_until } = times.get(rule.id)!;
    return { ...rule, deletedAt: new Date(deleted_at), restorableUntil: new Date(restorable_until) };
  });
}

const RESTORABLE = 'account = (SELECT number FROM accounts WHERE id = $1) AND restorable_until > $2';

export const trashReads = (db: Db): Pick<TrashStore, 'deletedRule' | 'deletedRules'> => ({
  async deletedRule(accountId, ruleId, now) {
    const text = selectRules(db.dialect, `${RESTORABLE} AND id = $3`, 'deleted');
    return deletedRulesOf(await db.rows<DeletedRow>(text, [accountId, now, ruleId]))[0];
  },
  async *deletedRules(accountId, now) {
    const text = selectRules(
      db.dialect,
      `${RESTORABLE} AND (deleted_at, number) < ($3, $4) ORDER BY deleted_at DESC, number DESC LIMIT ${RULES}`,
      'deleted',
    );
    for (let below = [ALL_TO_MOVE, ALL_TO_MOVE]; ; ) {
      const rows: DeletedRow[] = await db.rows<DeletedRow>(text, [accountId, now, ...below]);
      const last = rows.at(-1);
      if (last === undefined) return;
      yield deletedRulesOf(rows);
      below = [last.deleted_at, last.number];
    }
  },
});

export const trashWrites = (db: Db): Pick<TrashStore, 'restoreRule' | 'moveMatches'> => ({
  restoreRule: (accountId, ruleId, restoring, note) =>
    db.transaction(async (tx) => {
      const outcome = await restoreRule(tx, accountId, ruleId, restoring);
      if (outcome === 'restored') await noteChange(tx, accountId, note);
      return outcome;
    }),
  moveMatches: (ruleId) =>
    db.transaction(async (tx) => {
      await lockRules(tx);
      const rule = await tx.row<Moving>(`${MOVING} WHERE id = $1 AND moved_below IS NOT NULL FOR UPDATE`, [ruleId]);
      return rule !== undefined && moveSlice(tx, rule);
    }),
});

async function restoreRule(
  db: Db,
  accountId: string,
  ruleId: string,
  { now, limits, ids, gaps }: RuleRestoring,
): Promise<'restored' | RuleOverLimit | undefined> {
  await lockRules(db);
  const rule = await db.row<{ number: number; account: number }>(
    `SELECT number, account FROM rules WHERE id = $3 AND deleted = 1 AND ${RESTORABLE} FOR UPDATE`,
    [accountId, now, ruleId],
  );
  if (rule === undefined) return undefined;
  const platforms = await heldBy(db, rule.number);
  const over = await firstOver(db, rule.account, platforms, limits);
  if (over !== undefined) return over;
  await db.run(
    `UPDATE rules SET deleted = 0, deleted_at = NULL, restorable_until = NULL, moved_below = ${ALL_TO_MOVE} WHERE number = $1`,
    [rule.number],
  );
  for (const platform of platforms) {
    await countRule(db, rule.account, platform, 1);
    if (ids[platform] !== undefined)
      await db.run(
        `UPDATE rule_platforms SET status = 'active', platform_rule_id = $3, error = NULL WHERE rule = $1 AND platform = $2`,
        [rule.number, platform, ids[platform]],
      );
  }
  await watchAgain(db, rule.number);
  await moveGapsOfRule(db, ruleId, { from: hiddenOwner(accountId), to: accountId });
  await putGaps(db, gaps);
  await noteRuleChange(db, ruleId);
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
export async function moveSomeMatches(db: Db): Promise<boolean> {
  const next = `${MOVING} /*sqlite INDEXED BY rules_moving */ WHERE moved_below IS NOT NULL ORDER BY number LIMIT 1`;
  if ((await db.row<Moving>(next)) === undefined) return false;
  // Commits write the same counts and stories: they wait, or are waited for.
  await lockRules(db);
  const rule = await db.row<Moving>(`${next} FOR UPDATE SKIP LOCKED`);
  if (rule === undefined) return false;
  await moveSlice(db, rule);
  return true;
}

/** Part of every deletion, so that a small rule is out of the charts with the answer. */
export async function beginToMove(db: Db, { number, account }: Pick<Moving, 'number' | 'account'>): Promise<void> {
  await moveSlice(db, { number, account, deleted: 1, moved_below: ALL_TO_MOVE });
}

interface MovedMatch {
  readonly position: Position;
  readonly platform: Platform;
  readonly account: number;
  readonly story: Position | null;
}

/** A limited walk for each platform. */
const legs = (table: string, columns: string): string =>
  PLATFORMS.map(
    (platform) => `SELECT * FROM (SELECT ${columns} FROM ${table}
      WHERE rule = $1 AND platform = '${platform}' AND position < $2 ORDER BY position DESC LIMIT ${SLICE}) l`,
  ).join(' UNION ALL ');

const OF_RULE = {
  sqlite: `SELECT m.position, m.platform, m.account, m.story FROM (${legs('rule_matches', 'position')}
    ORDER BY position DESC LIMIT ${SLICE}) w CROSS JOIN matches m ON m.position = w.position ORDER BY w.position DESC`,
  postgres: `SELECT * FROM (${legs('matches', 'position, platform, account, story')}) m ORDER BY position DESC LIMIT ${SLICE}`,
};

/** Whether there is more of this rule. */
async function moveSlice(db: Db, { number, account, deleted, moved_below }: Moving): Promise<boolean> {
  await settle(db);
  const rows = await db.rows<MovedMatch>(OF_RULE[db.dialect], [number, moved_below]);
  const owner = deleted === 1 ? -account : account;
  const moved = rows.filter((match) => match.account !== owner);
  if (moved.length > 0) await moveTo(db, { rule: number, account, owner }, moved);
  const more = rows.length === SLICE;
  await db.run('UPDATE rules SET moved_below = $2 WHERE number = $1', [number, more ? rows.at(-1)!.position : null]);
  return more;
}

async function moveTo(
  db: Db,
  { rule, account, owner }: { readonly rule: number; readonly account: number; readonly owner: number },
  moved: readonly MovedMatch[],
): Promise<void> {
  const positions = moved.map(({ position }) => position);
  await db.run('UPDATE matches SET account = $1 WHERE position = ANY($2)', [owner, positions]);
  if (owner < 0) await db.run('DELETE FROM owed WHERE position = ANY($1) AND delivery IS NULL', [positions]);
  for (const [platform, matches] of Map.groupBy(moved, (match) => match.platform))
    await db.run('UPDATE story_parts SET account = $1 WHERE story = ANY($2) AND rule = $3 AND platform = $4', [
      owner,
      [...new Set(matches.flatMap(({ story }) => story ?? []))],
      rule,
      platform,
    ]);
  const counted = await stillCounted(
    db,
    moved.map(({ position, platform }) => ({
      subject: -account,
      platform,
      minute: minuteOf(timeOf(position)),
      matches: owner < 0 ? -1 : 1,
    })),
  );
  await changeStored(
    db,
    counted.map(({ matches }) => ({ account, matches })),
  );
  await changeCounts(db, counted);
}
