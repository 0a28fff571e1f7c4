/** Rules as they are read: one row for the rule, one for each of its platforms. */
import type { DatabaseSync } from 'node:sqlite';
import type { Platform } from '../../domain/platform.ts';
import type { Rule, RuleFlags } from '../../domain/rule.ts';
import { encodeFlags, holdingOf, type RuleRow, type RuleSlice, rulesOf, selectRules } from '../rows/rules.ts';
import { encodeText } from '../rows/texts.ts';

/** Rules read at a time: one or two milliseconds of work. */
const SLICE = 250;

const OF_ACCOUNT = 'account = (SELECT number FROM accounts WHERE id = :account)';
const UNFINISHED = `number IN (SELECT rule FROM rule_platforms WHERE status = 'pending')`;

export function ruleReads(db: DatabaseSync) {
  const one = db.prepare(selectRules(`id = :rule AND ${OF_ACCOUNT}`));
  const ofAccount = db.prepare(selectRules(`${OF_ACCOUNT} AND number > :after ORDER BY number LIMIT ${SLICE}`));
  const every = db.prepare(selectRules(`number > :after ORDER BY number LIMIT ${SLICE}`));
  const unfinished = db.prepare(selectRules(`${UNFINISHED} AND number > :after ORDER BY number LIMIT ${SLICE}`));
  const counts = db.prepare(`SELECT platform, rules FROM account_rules WHERE ${OF_ACCOUNT} AND rules > 0`);
  const holders = db.prepare(
    `SELECT count(*) AS holders FROM rule_platforms p JOIN rules r ON r.number = p.rule JOIN accounts a ON a.number = r.account
     WHERE p.platform = ? AND p.holding = ? AND p.value = ? AND p.flags = ? AND p.status <> 'deleting' AND r.deleted = 0 AND r.paused = 0
       AND (p.platform <> 'x' OR a.x_spent_in IS NULL)`,
  );
  const rows = (result: unknown[]): RuleRow[] => result as RuleRow[];
  return {
    rule: (accountId: string, ruleId: string): Rule | undefined =>
      rulesOf(rows(one.all({ account: accountId, rule: ruleId }))).rules[0],
    rulesAfter: (accountId: string, after: number): RuleSlice =>
      rulesOf(rows(ofAccount.all({ account: accountId, after }))),
    everyRuleAfter: (after: number): RuleSlice => rulesOf(rows(every.all({ after }))),
    unfinishedRulesAfter: (after: number): RuleSlice => rulesOf(rows(unfinished.all({ after }))),
    countRules(accountId: string): Partial<Record<Platform, number>> {
      const found = counts.all({ account: accountId }) as unknown as { platform: Platform; rules: number }[];
      return Object.fromEntries(found.map(({ platform, rules }) => [platform, rules]));
    },
    countHolders(platform: Platform, value: string, flags: RuleFlags): number {
      const row = holders.get(platform, holdingOf(value, flags), encodeText(value), encodeFlags(flags));
      return (row as unknown as { holders: number }).holders;
    },
  };
}
