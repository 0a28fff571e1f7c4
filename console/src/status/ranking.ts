/** Chooses the rules for the short lists. Pure. */
import type { Rule, Status } from '../data/queries.ts';
import { lastMatchOf } from '../rules/rule-state.ts';

const LISTED = 5;
const DAY = 86_400_000;

const lastMatch = (rule: Rule): number => Date.parse(lastMatchOf(rule) ?? '1970-01-01T00:00:00Z');

const lastNews = (rule: Rule): number => Math.max(lastMatch(rule), Date.parse(rule.created_at));

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
