/** Chooses the rules for the short lists. Pure. */
import type { Rule, Status } from '../data/queries.ts';

const LISTED = 5;
const DAY = 86_400_000;

const countOf = ({ platforms }: Rule): number =>
  Object.values(platforms).reduce((sum, { match_count }) => sum + match_count, 0);

const lastMatch = ({ platforms }: Rule): number =>
  Math.max(
    0,
    ...Object.values(platforms).map(({ last_match_at }) => (last_match_at === null ? 0 : Date.parse(last_match_at))),
  );

const lastNews = (rule: Rule): number => Math.max(lastMatch(rule), Date.parse(rule.created_at));

export const busiest = (rules: readonly Rule[]): Rule[] =>
  rules
    .filter((rule) => countOf(rule) > 0)
    .toSorted((a, b) => countOf(b) - countOf(a))
    .slice(0, LISTED);

/** Rules without a match for at least a day. Paused rules, and rules younger than a day, are left out. */
export const silent = (rules: readonly Rule[], now: number): Rule[] =>
  rules
    .filter((rule) => !rule.paused && lastNews(rule) < now - DAY)
    .toSorted((a, b) => lastMatch(a) - lastMatch(b) || lastNews(a) - lastNews(b))
    .slice(0, LISTED);

export interface SlowRule extends Rule {
  readonly reason: string;
}

export function slow(rules: readonly Rule[], { platforms }: Status): SlowRule[] {
  const reasons = new Map(
    Object.values(platforms).flatMap(({ slow_rules }) => slow_rules.map((one) => [one.rule_id, one.reason])),
  );
  return rules
    .filter(({ id }) => reasons.has(id))
    .map((rule) => ({ ...rule, reason: reasons.get(rule.id)! }))
    .slice(0, LISTED);
}
