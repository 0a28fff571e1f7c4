/** What the new matches of an upstream's commit add up to. */
import type { Usage } from '../../domain/usage.ts';
import type { Verdict } from '../store.ts';

/** What is counted of a new match. */
export interface Counted {
  readonly rule: { readonly number: number; readonly account: number };
  readonly verdict: Verdict | undefined;
}

export const NO_USAGE: Usage = { reads: 0, matches: 0 };

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
