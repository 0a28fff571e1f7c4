/** Rules when they are read: one row for the rule, one for each of its platforms. */
import type { Platform } from '../../domain/platform.ts';
import type { Rule, RuleFlags } from '../../domain/rule.ts';
import { encodeFlags, holdingOf, type RuleRow, type RuleSlice, rulesOf } from '../rows/rules.ts';
import { encodeText } from '../rows/texts.ts';
import type { Sql } from './sql.ts';
import { selectCountedRules } from './unsettled.ts';

/** Rules read at a time: one or two milliseconds of work. */
const SLICE = 250;

const OF_ACCOUNT = 'account = (SELECT number FROM accounts WHERE id = :account)';
const ONE = selectCountedRules(`id = :rule AND ${OF_ACCOUNT}`);
const OF_ONE_ACCOUNT = selectCountedRules(`${OF_ACCOUNT} AND number > :after ORDER BY number LIMIT ${SLICE}`);
const EVERY = selectCountedRules(`number > :after ORDER BY number LIMIT ${SLICE}`);
const UNFINISHED = selectCountedRules(
  `number IN (SELECT rule FROM rule_platforms WHERE status = 'pending') AND number > :after ORDER BY number LIMIT ${SLICE}`,
);

export const ruleReads = (sql: Sql) => ({
  rule: (accountId: string, ruleId: string): Rule | undefined =>
    rulesOf(sql.rows<RuleRow>(ONE, { account: accountId, rule: ruleId })).rules[0],
  rulesAfter: (accountId: string, after: number): RuleSlice =>
    rulesOf(sql.rows<RuleRow>(OF_ONE_ACCOUNT, { account: accountId, after })),
  everyRuleAfter: (after: number): RuleSlice => rulesOf(sql.rows<RuleRow>(EVERY, { after })),
  unfinishedRulesAfter: (after: number): RuleSlice => rulesOf(sql.rows<RuleRow>(UNFINISHED, { after })),
  countRules(accountId: string): Partial<Record<Platform, number>> {
    const found = sql.rows<{ platform: Platform; rules: number }>(
      `SELECT platform, rules FROM account_rules WHERE ${OF_ACCOUNT} AND rules > 0`,
      { account: accountId },
    );
    return Object.fromEntries(found.map(({ platform, rules }) => [platform, rules]));
  },
  countHolders: (platform: Platform, value: string, flags: RuleFlags): number =>
    sql.row<{ holders: number }>(
      `SELECT count(*) AS holders FROM rule_platforms p JOIN rules r ON r.number = p.rule JOIN accounts a ON a.number = r.account
       WHERE p.platform = ? AND p.holding = ? AND p.value = ? AND p.flags = ? AND p.status <> 'deleting'
         AND r.deleted = 0 AND r.paused = 0 AND (p.platform <> 'x' OR a.x_spent_in IS NULL)`,
      [platform, holdingOf(value, flags), encodeText(value), encodeFlags(flags)],
    )!.holders,
});
