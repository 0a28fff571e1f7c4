/** How rules come, change and go. A deleted rule is out of sight at once; `removal.ts` takes it off the disk. */
import { NO_ALERTS } from '../../domain/alert.ts';
import type { Change } from '../../domain/change.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { RuleStatus } from '../../domain/rule.ts';
import { encodeAlerts } from '../rows/alerts.ts';
import { encodeFlags, holdingOf } from '../rows/rules.ts';
import { encodeText, textOrNull, timeOrNull } from '../rows/texts.ts';
import { hiddenOwner } from '../rows/trash.ts';
import type { NewRule, RuleAdded, RuleChange, RuleKeeping, RuleLimits, RuleOverLimit } from '../store.ts';
import { accountNumber } from './accounts.ts';
import { dropWatches, endAlerts, watchAgain, watchRule } from './alerts.ts';
import { noteChange, noted } from './changes.ts';
import { transaction } from './connection.ts';
import { dropGapsOfRule, moveGapsOfRule } from './coverage.ts';
import { noteRuleChange } from './nodes.ts';
import { keepTexts } from './past-texts.ts';
import { markApplied } from './ratings.ts';
import { countRule, firstOver, heldBy, namedIn } from './rule-counts.ts';
import { dropSharedFeeds } from './shared-feeds.ts';
import type { Sql } from './sql.ts';
import { beginToMove } from './trash.ts';

interface Owned {
  readonly number: number;
  readonly account: number;
}

export const ruleWrites = (sql: Sql) => ({
  addRule: (rule: NewRule, limits: RuleLimits, note?: Change): RuleAdded =>
    transaction(sql, () => {
      const added = addRule(sql, rule, limits);
      if (added === 'added') noteChange(sql, rule.accountId, note);
      return added;
    }),
  setRuleStatus: (
    ruleId: string,
    platform: Platform,
    { status, platformRuleId, error }: { status: RuleStatus; platformRuleId?: string; error?: string },
  ): void =>
    transaction(sql, () => {
      sql.run(
        `UPDATE rule_platforms SET status = ?, platform_rule_id = coalesce(?, platform_rule_id), error = ?
         WHERE rule = (SELECT number FROM rules WHERE id = ? AND deleted = 0) AND platform = ?`,
        [status, platformRuleId ?? null, textOrNull(error), ruleId, platform],
      );
      noteRuleChange(sql, ruleId);
    }),
  changeRule: (
    accountId: string,
    ruleId: string,
    change: RuleChange,
    note?: Change,
    limits: RuleLimits = {},
  ): boolean | RuleOverLimit =>
    transaction(sql, () => {
      const over = roomFor(sql, accountId, ruleId, change, limits);
      return over ?? noted(sql, accountId, note, changeRule(sql, accountId, ruleId, change, note?.at));
    }),
  deleteRule: (accountId: string, ruleId: string, note?: Change, keep?: RuleKeeping): boolean =>
    transaction(sql, () => noted(sql, accountId, note, deleteRule(sql, accountId, ruleId, keep))),
  undoRule: (accountId: string, ruleId: string, note?: Change): boolean =>
    transaction(sql, () => noted(sql, accountId, note, undoRule(sql, accountId, ruleId))),
});

function addRule(sql: Sql, rule: NewRule, limits: RuleLimits): RuleAdded {
  const account = accountNumber(sql, rule.accountId)!;
  const over = firstOver(sql, account, namedIn(rule.platforms), limits);
  if (over !== undefined) return over;
  const number = sql.insert(
    `INSERT INTO rules (id, account, version, paused, deleted, created_at, name, intent, relevance_version, alerts)
     VALUES (?, ?, 1, 0, 0, ?, ?, ?, ?, ?)`,
    [
      rule.id,
      account,
      rule.createdAt.getTime(),
      encodeText(rule.name),
      encodeText(rule.intent),
      rule.intent === '' ? 0 : 1,
      encodeAlerts(rule.alerts ?? NO_ALERTS),
    ],
  );
  putTexts(sql, { number, account }, rule.platforms);
  if (rule.alerts !== undefined) watchRule(sql, number, rule.alerts);
  return 'added';
}

/** Undefined when a rule may come to the platforms that the change adds. */
function roomFor(
  sql: Sql,
  accountId: string,
  ruleId: string,
  { platforms = {} }: RuleChange,
  limits: RuleLimits,
): RuleOverLimit | undefined {
  const rule = find(sql, accountId, ruleId);
  if (rule === undefined) return undefined;
  const held = heldBy(sql, rule.number);
  const added = namedIn(platforms).filter((platform) => !held.includes(platform));
  return firstOver(sql, rule.account, added, limits);
}

function changeRule(sql: Sql, accountId: string, ruleId: string, change: RuleChange, at: Date | undefined): boolean {
  const rule = find(sql, accountId, ruleId);
  if (rule === undefined) return false;
  const { name, intent, paused, platforms, alerts } = change;
  if (platforms !== undefined) keepTexts(sql, rule.number);
  sql.run(
    `UPDATE rules SET name = coalesce(?, name), intent = coalesce(?, intent), paused = coalesce(?, paused), version = version + ?,
       relevance_version = relevance_version + ?, alerts = coalesce(?, alerts)
     WHERE number = ?`,
    [
      textOrNull(name),
      textOrNull(intent),
      paused === undefined ? null : Number(paused),
      platforms === undefined ? 0 : 1,
      platforms === undefined && intent === undefined ? 0 : 1,
      alerts === undefined ? null : encodeAlerts(alerts),
      rule.number,
    ],
  );
  if (platforms !== undefined) {
    const isAdded = putTexts(sql, rule, platforms, change.at);
    takeOff(sql, rule, platforms, at);
    if (isAdded && alerts === undefined) watchAgain(sql, rule.number);
  }
  for (const platform of PLATFORMS) {
    const text = platforms?.[platform];
    if (text && at !== undefined) markApplied(sql, rule.number, platform, text.value, at);
  }
  if (alerts !== undefined) watchRule(sql, rule.number, alerts);
  noteRuleChange(sql, ruleId);
  return true;
}

function deleteRule(sql: Sql, accountId: string, ruleId: string, keep?: RuleKeeping): boolean {
  const rule = find(sql, accountId, ruleId);
  if (rule === undefined) return false;
  sql.run('UPDATE rules SET deleted = 1, deleted_at = ?, restorable_until = ? WHERE number = ?', [
    keep?.at.getTime() ?? 0,
    keep?.until.getTime() ?? 0,
    rule.number,
  ]);
  noteRuleChange(sql, ruleId);
  for (const platform of heldBy(sql, rule.number)) {
    countRule(sql, rule.account, platform, -1);
    dropWatches(sql, rule.number, platform);
    endAlerts(sql, rule.number, platform, keep?.at);
  }
  dropSharedFeeds(sql, rule.number);
  if (keep === undefined) dropGapsOfRule(sql, accountId, ruleId);
  else moveGapsOfRule(sql, ruleId, { from: accountId, to: hiddenOwner(accountId), end: keep.at });
  beginToMove(sql, rule.number);
  return true;
}

/** A rule that is already gone is undone, too. */
function undoRule(sql: Sql, accountId: string, ruleId: string): boolean {
  if (isComplete(sql, accountId, ruleId)) return false;
  deleteRule(sql, accountId, ruleId);
  return true;
}

function isComplete(sql: Sql, accountId: string, ruleId: string): boolean {
  const rule = find(sql, accountId, ruleId);
  const pending = `SELECT 1 FROM rule_platforms WHERE rule = ? AND status = 'pending'`;
  return rule !== undefined && sql.row(pending, [rule.number]) === undefined;
}

const find = (sql: Sql, accountId: string, ruleId: string): Owned | undefined =>
  sql.row<Owned>(
    'SELECT number, account FROM rules WHERE id = ? AND account = (SELECT number FROM accounts WHERE id = ?) AND deleted = 0',
    [ruleId, accountId],
  );

/** Answers whether one of the platforms is new to the rule. */
function putTexts(sql: Sql, rule: Owned, texts: NonNullable<RuleChange['platforms']>, addedAt?: Date): boolean {
  const held = heldBy(sql, rule.number);
  for (const platform of PLATFORMS) {
    const text = texts[platform];
    if (text === undefined || text === null) continue;
    sql.run(
      `INSERT INTO rule_platforms (rule, platform, holding, status, flags, value, platform_rule_id, added_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (rule, platform) DO UPDATE SET holding = excluded.holding, flags = excluded.flags,
         value = excluded.value, platform_rule_id = coalesce(excluded.platform_rule_id, platform_rule_id)`,
      [
        rule.number,
        platform,
        holdingOf(text.value, text.flags),
        // What the platform has taken already is on it; a new rule waits for all of its platforms.
        text.platformRuleId === undefined ? 'pending' : 'active',
        encodeFlags(text.flags),
        encodeText(text.value),
        text.platformRuleId ?? null,
        timeOrNull(addedAt),
      ],
    );
    if (!held.includes(platform)) countRule(sql, rule.account, platform, 1);
  }
  return namedIn(texts).some((platform) => !held.includes(platform));
}

/** The matches that the rule had there stay, and are counted further when it comes back. */
function takeOff(sql: Sql, rule: Owned, texts: NonNullable<RuleChange['platforms']>, at: Date | undefined): void {
  for (const platform of PLATFORMS) {
    if (texts[platform] !== null) continue;
    const gone = sql.run('DELETE FROM rule_platforms WHERE rule = ? AND platform = ?', [rule.number, platform]);
    if (gone === 0) continue;
    countRule(sql, rule.account, platform, -1);
    dropWatches(sql, rule.number, platform);
    endAlerts(sql, rule.number, platform, at);
  }
}
