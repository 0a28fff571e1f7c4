/** What upstreams delivered, by rule, account and month, and how far our engine agrees with them. */
import type { DatabaseSync } from 'node:sqlite';
import { monthOf } from '../../base/month.ts';
import type { Platform } from '../../domain/platform.ts';
import type { Usage } from '../../domain/usage.ts';
import type { RuleUsage, Verdict } from '../store.ts';

const NONE: Usage = { reads: 0, matches: 0 };

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
      (ofAccount.get(accountId, platform, month) as Usage | undefined) ?? NONE,
    ruleUsage: (accountId: string, platform: Platform, month: number, limit: number): RuleUsage[] =>
      ofRules.all(accountId, platform, month, limit) as unknown as RuleUsage[],
  };
}

/** A new match, as the commit knows it. */
interface Counted {
  readonly rule: { readonly number: number; readonly account: number };
  readonly verdict: Verdict | undefined;
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
    /** A post that several rules of an account caught is one read of the account. */
    countUsage(platform: Platform, at: Date, byEvent: readonly (readonly Counted[])[]): void {
      const sums = new Map<number, Usage & { owner: number | null }>();
      const add = (subject: number, owner: number | null, matches: number): void => {
        const sum = sums.get(subject) ?? { owner, ...NONE };
        sums.set(subject, { owner, reads: sum.reads + 1, matches: sum.matches + matches });
      };
      for (const matches of byEvent) {
        for (const { rule } of matches) add(rule.number, rule.account, 1);
        for (const [account, own] of Map.groupBy(matches, ({ rule }) => rule.account)) add(-account, null, own.length);
      }
      for (const [subject, { owner, reads, matches }] of sums)
        addUsage.run(subject, owner, platform, monthOf(at), reads, matches);
    },
    countAgreement(platform: Platform, matches: readonly Counted[], engineOnly: readonly number[]): void {
      const sums = new Map<number, Record<Verdict | 'engine_only', number>>();
      const add = (rule: number, what: Verdict | 'engine_only'): void => {
        const sum = sums.get(rule) ?? { agreed: 0, upstream_only: 0, engine_only: 0 };
        sum[what]++;
        sums.set(rule, sum);
      };
      for (const { rule, verdict } of matches) if (verdict !== undefined) add(rule.number, verdict);
      for (const rule of engineOnly) add(rule, 'engine_only');
      for (const [rule, sum] of sums) addAgreement.run(rule, platform, sum.agreed, sum.upstream_only, sum.engine_only);
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
