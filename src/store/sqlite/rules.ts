/** Rules as they are read: one row for the rule, one for each of its platforms. */
import type { DatabaseSync } from 'node:sqlite';
import type { Platform } from '../../domain/platform.ts';
import type { Rule, RuleFlags } from '../../domain/rule.ts';
import { encodeFlags, holdingOf, type RuleRow, type RuleSlice, rulesOf } from '../rows/rules.ts';
import { encodeText } from '../rows/texts.ts';

/** Rules read at a time: one or two milliseconds of work. */
const SLICE = 250;

/** A row for each platform of the live rules that `which` selects, oldest rule first. */
const select = (which: string): string => `
  SELECT r.number, r.id, a.id AS account_id, r.version, r.paused, r.created_at, r.name, r.intent,
    p.platform, p.status, p.platform_rule_id, p.flags, p.value, p.error, t.matches, t.last_at,
    g.agreed, g.upstream_only, g.engine_only
  FROM (SELECT * FROM rules WHERE deleted = 0 AND ${which}) r
  JOIN accounts a ON a.number = r.account
  JOIN rule_platforms p ON p.rule = r.number
  LEFT JOIN tallies t ON t.rule = p.rule AND t.platform = p.platform
  LEFT JOIN agreement g ON g.rule = p.rule AND g.platform = p.platform
  ORDER BY r.number, p.platform`;

const OF_ACCOUNT = 'account = (SELECT number FROM accounts WHERE id = :account)';
const UNFINISHED = `number IN (SELECT rule FROM rule_platforms WHERE status = 'pending')`;

export function ruleReads(db: DatabaseSync) {
  const one = db.prepare(select(`id = :rule AND ${OF_ACCOUNT}`));
  const ofAccount = db.prepare(select(`${OF_ACCOUNT} AND number > :after ORDER BY number LIMIT ${SLICE}`));
  const every = db.prepare(select(`number > :after ORDER BY number LIMIT ${SLICE}`));
  const unfinished = db.prepare(select(`${UNFINISHED} AND number > :after ORDER BY number LIMIT ${SLICE}`));
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
