/** How rules come, change and go. A deleted rule is out of sight at once; `removal.ts` takes it off the disk. */
import { NO_ALERTS } from '../../domain/alert.ts';
import type { Change } from '../../domain/change.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { RuleStatus } from '../../domain/rule.ts';
import { encodeAlerts } from '../rows/alerts.ts';
import { encodeFlags, holdingOf } from '../rows/rules.ts';
import { encodeText, textOrNull } from '../rows/texts.ts';
import type { NewRule, RuleAdded, RuleChange } from '../store.ts';
import { accountNumber } from './accounts.ts';
import { dropWatches, watchRule } from './alerts.ts';
import { noteChange, noted } from './changes.ts';
import { transaction } from './connection.ts';
import { dropGapsOfRule } from './coverage.ts';
import { takeRuleFromAccount } from './minutes.ts';
import { noteRuleChange } from './nodes.ts';
import { markApplied } from './ratings.ts';
import { dropSharedFeeds } from './shared-feeds.ts';
import type { Sql } from './sql.ts';

interface Owned {
  readonly number: number;
  readonly account: number;
}

export const ruleWrites = (sql: Sql) => ({
  addRule: (rule: NewRule, limits: Partial<Record<Platform, number>>, note?: Change): RuleAdded =>
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
  changeRule: (accountId: string, ruleId: string, change: RuleChange, note?: Change): boolean =>
    transaction(sql, () => noted(sql, accountId, note, changeRule(sql, accountId, ruleId, change, note?.at))),
  deleteRule: (accountId: string, ruleId: string, note?: Change): boolean =>
    transaction(sql, () => noted(sql, accountId, note, deleteRule(sql, accountId, ruleId))),
  undoRule: (accountId: string, ruleId: string, note?: Change): boolean =>
    transaction(sql, () => noted(sql, accountId, note, undoRule(sql, accountId, ruleId))),
});

function addRule(sql: Sql, rule: NewRule, limits: Partial<Record<Platform, number>>): RuleAdded {
  const account = accountNumber(sql, rule.accountId)!;
  for (const platform of PLATFORMS) {
    const limit = limits[platform];
    if (rule.platforms[platform] === undefined || limit === undefined) continue;
    const used = usedOf(sql, account, platform);
    if (used >= limit) return { overLimit: platform, used };
  }
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

function changeRule(sql: Sql, accountId: string, ruleId: string, change: RuleChange, at: Date | undefined): boolean {
  const rule = find(sql, accountId, ruleId);
  if (rule === undefined) return false;
  const { name, intent, paused, platforms, alerts } = change;
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
  if (platforms !== undefined) putTexts(sql, rule, platforms);
  for (const platform of PLATFORMS) {
    const text = platforms?.[platform];
    if (text !== undefined && at !== undefined) markApplied(sql, rule.number, platform, text.value, at);
  }
  if (alerts !== undefined) watchRule(sql, rule.number, alerts);
  noteRuleChange(sql, ruleId);
  return true;
}

function deleteRule(sql: Sql, accountId: string, ruleId: string): boolean {
  const rule = find(sql, accountId, ruleId);
  if (rule === undefined) return false;
  sql.run('UPDATE rules SET deleted = 1 WHERE number = ?', [rule.number]);
  noteRuleChange(sql, ruleId);
  for (const platform of heldBy(sql, rule.number)) count(sql, rule.account, platform, -1);
  takeRuleFromAccount(sql, rule.number, rule.account);
  dropWatches(sql, rule.number);
  dropSharedFeeds(sql, rule.number);
  dropGapsOfRule(sql, accountId, ruleId);
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

const usedOf = (sql: Sql, account: number, platform: Platform): number =>
  sql.row<{ rules: number }>('SELECT rules FROM account_rules WHERE account = ? AND platform = ?', [account, platform])
    ?.rules ?? 0;

const heldBy = (sql: Sql, rule: number): Platform[] =>
  sql
    .rows<{ platform: Platform }>('SELECT platform FROM rule_platforms WHERE rule = ?', [rule])
    .map(({ platform }) => platform);

function count(sql: Sql, account: number, platform: Platform, rules: number): void {
  sql.run(
    `INSERT INTO account_rules (account, platform, rules) VALUES (?, ?, ?)
     ON CONFLICT (account, platform) DO UPDATE SET rules = rules + excluded.rules`,
    [account, platform, rules],
  );
}

function putTexts(sql: Sql, rule: Owned, texts: NonNullable<RuleChange['platforms']>): void {
  const held = heldBy(sql, rule.number);
  for (const platform of PLATFORMS) {
    const text = texts[platform];
    if (text === undefined) continue;
    sql.run(
      `INSERT INTO rule_platforms (rule, platform, holding, status, flags, value, platform_rule_id)
       VALUES (?, ?, ?, 'pending', ?, ?, ?)
       ON CONFLICT (rule, platform) DO UPDATE SET holding = excluded.holding, flags = excluded.flags,
         value = excluded.value, platform_rule_id = coalesce(excluded.platform_rule_id, platform_rule_id)`,
      [
        rule.number,
        platform,
        holdingOf(text.value, text.flags),
        encodeFlags(text.flags),
        encodeText(text.value),
        text.platformRuleId ?? null,
      ],
    );
    if (!held.includes(platform)) count(sql, rule.account, platform, 1);
  }
}
