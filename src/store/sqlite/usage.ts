/** What upstreams delivered, by rule, account and month, and how far our engine agrees with them. */
import { monthOf } from '../../base/month.ts';
import type { Platform } from '../../domain/platform.ts';
import type { Usage } from '../../domain/usage.ts';
import { agreementSums, type Counted, NO_USAGE, usageSums } from '../rows/usage.ts';
import type { RuleUsage } from '../store.ts';
import type { Sql } from './sql.ts';

export const usageReads = (sql: Sql) => ({
  usage: (accountId: string, platform: Platform, month: number): Usage =>
    sql.row<Usage>(
      `SELECT reads, matches FROM usage
       WHERE subject = (SELECT -number FROM accounts WHERE id = ?) AND platform = ? AND month = ?`,
      [accountId, platform, month],
    ) ?? NO_USAGE,
  ruleUsage: (accountId: string, platform: Platform, month: number, limit: number): RuleUsage[] =>
    sql.rows<RuleUsage>(
      `SELECT r.id AS ruleId, u.reads, u.matches FROM usage u INDEXED BY usage_by_rule CROSS JOIN rules r ON r.number = u.subject
       WHERE u.owner = (SELECT number FROM accounts WHERE id = ?) AND u.platform = ? AND u.month = ? AND r.deleted = 0
       ORDER BY u.reads DESC LIMIT ?`,
      [accountId, platform, month, limit],
    ),
});

/** Part of a commit of an upstream's stream; `byEvent` are the new matches of each event. */
export function countUsage(sql: Sql, platform: Platform, at: Date, byEvent: readonly (readonly Counted[])[]): void {
  for (const [subject, { owner, reads, matches }] of usageSums(byEvent))
    sql.run(
      `INSERT INTO usage (subject, owner, platform, month, reads, matches) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (subject, platform, month) DO UPDATE SET reads = reads + excluded.reads, matches = matches + excluded.matches`,
      [subject, owner, platform, monthOf(at), reads, matches],
    );
}

export function countAgreement(
  sql: Sql,
  platform: Platform,
  matches: readonly Counted[],
  engineOnly: readonly number[],
): void {
  for (const [rule, sum] of agreementSums(matches, engineOnly))
    sql.run(
      `INSERT INTO agreement (rule, platform, agreed, upstream_only, engine_only) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (rule, platform) DO UPDATE SET agreed = agreed + excluded.agreed,
         upstream_only = upstream_only + excluded.upstream_only, engine_only = engine_only + excluded.engine_only`,
      [rule, platform, sum.agreed, sum.upstream_only, sum.engine_only],
    );
}

/** With its rule. */
export function removeUsage(sql: Sql, rule: number): void {
  sql.run('DELETE FROM usage WHERE subject = ?', [rule]);
  sql.run('DELETE FROM agreement WHERE rule = ?', [rule]);
}
