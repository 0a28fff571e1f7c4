/** What upstreams delivered, by rule, account and month, and how far our engine agrees with them. */
import type { DatabaseSync } from 'node:sqlite';
import { monthOf } from '../../base/month.ts';
import type { Platform } from '../../domain/platform.ts';
import type { Usage } from '../../domain/usage.ts';
import { agreementSums, type Counted, NO_USAGE, usageSums } from '../rows/usage.ts';
import type { RuleUsage } from '../store.ts';

export function usageReads(db: DatabaseSync) {
  const ofAccount = db.prepare(
    `SELECT reads, matches FROM usage
     WHERE subject = (SELECT -number FROM accounts WHERE id = ?) AND platform = ? AND month = ?`,
  );
  const ofRules = db.prepare(
    `SELECT r.id AS ruleId, u.reads, u.matches FROM usage u INDEXED BY usage_by_rule CROSS JOIN rules r ON r.number = u.subject
     WHERE u.owner = (SELECT number FROM accounts WHERE id = ?) AND u.platform = ? AND u.month = ? AND r.deleted = 0
     ORDER BY u.reads DESC LIMIT ?`,
  );
  return {
    usage: (accountId: string, platform: Platform, month: number): Usage =>
      (ofAccount.get(accountId, platform, month) as Usage | undefined) ?? NO_USAGE,
    ruleUsage: (accountId: string, platform: Platform, month: number, limit: number): RuleUsage[] =>
      ofRules.all(accountId, platform, month, limit) as unknown as RuleUsage[],
  };
}

/** Part of a commit of an upstream's stream; `byEvent` are the new matches of each event. */
export function usageWrites(db: DatabaseSync) {
  const addUsage = db.prepare(
    `INSERT INTO usage (subject, owner, platform, month, reads, matches) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (subject, platform, month) DO UPDATE SET reads = reads + excluded.reads, matches = matches + excluded.matches`,
  );
  const addAgreement = db.prepare(
    `INSERT INTO agreement (rule, platform, agreed, upstream_only, engine_only) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (rule, platform) DO UPDATE SET agreed = agreed + excluded.agreed,
       upstream_only = upstream_only + excluded.upstream_only, engine_only = engine_only + excluded.engine_only`,
  );

  return {
    countUsage(platform: Platform, at: Date, byEvent: readonly (readonly Counted[])[]): void {
      for (const [subject, { owner, reads, matches }] of usageSums(byEvent))
        addUsage.run(subject, owner, platform, monthOf(at), reads, matches);
    },
    countAgreement(platform: Platform, matches: readonly Counted[], engineOnly: readonly number[]): void {
      for (const [rule, sum] of agreementSums(matches, engineOnly))
        addAgreement.run(rule, platform, sum.agreed, sum.upstream_only, sum.engine_only);
    },
  };
}

/** With its rule. */
export function removeUsage(db: DatabaseSync): (rule: number) => void {
  const usage = db.prepare('DELETE FROM usage WHERE subject = ?');
  const agreement = db.prepare('DELETE FROM agreement WHERE rule = ?');
  return (rule) => {
    usage.run(rule);
    agreement.run(rule);
  };
}
