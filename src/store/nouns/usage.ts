/** The matches that upstreams delivered, by rule, account and month, and how far our engine agrees with them. */
import { monthOf } from '../../base/clock.ts';
import type { Platform } from '../../domain/platform.ts';
import type { Usage } from '../../domain/rule.ts';
import type { Db } from '../db.ts';
import type { Verdict } from './commits.ts';

export interface UsageStore {
  /** The use of the account's rules in a month; November 2026 is 202611. */
  usage(accountId: string, platform: Platform, month: number): Promise<Usage>;
  /** The use by rule, largest first. */
  ruleUsage(accountId: string, platform: Platform, month: number, limit: number): Promise<RuleUsage[]>;
}

export interface RuleUsage extends Usage {
  readonly ruleId: string;
}

/** A new match, as it is counted. */
export interface Counted {
  readonly rule: { readonly number: number; readonly account: number };
  readonly verdict: Verdict | undefined;
}

const NO_USAGE: Usage = { reads: 0, matches: 0 };

export const usageReads = (db: Db): UsageStore => ({
  usage: async (accountId, platform, month) =>
    (await db.row<Usage>(
      `SELECT reads, matches FROM usage
       WHERE subject = (SELECT -number FROM accounts WHERE id = $1) AND platform = $2 AND month = $3`,
      [accountId, platform, month],
    )) ?? NO_USAGE,
  ruleUsage: (accountId, platform, month, limit) =>
    db.rows<RuleUsage>(
      `SELECT r.id AS "ruleId", u.reads, u.matches
       FROM usage u /*sqlite INDEXED BY usage_by_rule CROSS */ JOIN rules r ON r.number = u.subject
       WHERE u.owner = (SELECT number FROM accounts WHERE id = $1) AND u.platform = $2 AND u.month = $3 AND r.deleted = 0
       ORDER BY u.reads DESC LIMIT $4`,
      [accountId, platform, month, limit],
    ),
});

/** By subject: a rule by its number, an account by its number negated. A post that several rules of an account caught is one read of the account. */
export function usageSums(byEvent: Iterable<readonly Counted[]>): Map<number, Usage & { owner: number | null }> {
  const sums = new Map<number, Usage & { owner: number | null }>();
  const add = (subject: number, owner: number | null, matches: number): void => {
    const sum = sums.get(subject) ?? { owner, ...NO_USAGE };
    sums.set(subject, { owner, reads: sum.reads + 1, matches: sum.matches + matches });
  };
  for (const matches of byEvent) {
    for (const { rule } of matches) add(rule.number, rule.account, 1);
    for (const [account, own] of Map.groupBy(matches, ({ rule }) => rule.account)) add(-account, null, own.length);
  }
  return sums;
}

type AgreementSum = Record<Verdict | 'engine_only', number>;

export function agreementSums(matches: readonly Counted[], engineOnly: readonly number[]): Map<number, AgreementSum> {
  const sums = new Map<number, AgreementSum>();
  const add = (rule: number, what: Verdict | 'engine_only'): void => {
    const sum = sums.get(rule) ?? { agreed: 0, upstream_only: 0, engine_only: 0 };
    sum[what]++;
    sums.set(rule, sum);
  };
  for (const { rule, verdict } of matches) if (verdict !== undefined) add(rule.number, verdict);
  for (const rule of engineOnly) add(rule, 'engine_only');
  return sums;
}

/** In one order everywhere, so that two transactions never wait for each other. */
const inOrder = <T>(sums: ReadonlyMap<number, T>): [number, T][] => [...sums].toSorted(([one], [other]) => one - other);

/** Part of a commit of an upstream's stream; `byEvent` are the new matches of each event. */
export async function countUsage(
  db: Db,
  platform: Platform,
  at: Date,
  byEvent: readonly (readonly Counted[])[],
): Promise<void> {
  const sums = inOrder(usageSums(byEvent)).map(([subject, sum]) => ({ subject, ...sum }));
  if (sums.length === 0) return;
  await db.run(
    `INSERT INTO usage AS u (subject, owner, platform, month, reads, matches)
     SELECT subject, owner, $2, $3, reads, matches
     FROM json_to_recordset($1) AS s (subject bigint, owner bigint, reads bigint, matches bigint) WHERE true
     ON CONFLICT (subject, platform, month) DO UPDATE SET reads = u.reads + excluded.reads, matches = u.matches + excluded.matches`,
    [JSON.stringify(sums), platform, monthOf(at)],
  );
}

export async function countAgreement(
  db: Db,
  platform: Platform,
  matches: readonly Counted[],
  engineOnly: readonly number[],
): Promise<void> {
  const sums = inOrder(agreementSums(matches, engineOnly)).map(([rule, sum]) => ({ rule, ...sum }));
  if (sums.length === 0) return;
  await db.run(
    `INSERT INTO agreement AS g (rule, platform, agreed, upstream_only, engine_only)
     SELECT rule, $2, agreed, upstream_only, engine_only
     FROM json_to_recordset($1) AS s (rule bigint, agreed bigint, upstream_only bigint, engine_only bigint) WHERE true
     ON CONFLICT (rule, platform) DO UPDATE SET agreed = g.agreed + excluded.agreed,
       upstream_only = g.upstream_only + excluded.upstream_only, engine_only = g.engine_only + excluded.engine_only`,
    [JSON.stringify(sums), platform],
  );
}

/** With its rule. */
export async function removeUsage(db: Db, rule: number): Promise<void> {
  await db.run('DELETE FROM usage WHERE subject = $1', [rule]);
  await db.run('DELETE FROM agreement WHERE rule = $1', [rule]);
}
