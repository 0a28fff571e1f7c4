/** Chooses the rules for the short lists. Pure. Of ten thousand rules each is looked at once. */
import type { Rule, Status } from '../data/queries.ts';
import { lastMatchOf } from '../rules/rule-state.ts';

const LISTED = 5;
const DAY = 86_400_000;

/** The API writes all times alike, so that they compare as they stand. */
interface Quiet {
  readonly rule: Rule;
  /** Empty: it never matched. */
  readonly lastMatch: string;
}

/** Rules without a match for at least a day. Paused rules, and rules younger than a day, are left out. */
export function silent(rules: readonly Rule[], now: number): Rule[] {
  const dayAgo = new Date(now - DAY).toISOString();
  const longest: Quiet[] = [];
  for (const rule of rules) {
    const quiet = { rule, lastMatch: lastMatchOf(rule) ?? '' };
    if (!rule.paused && quiet.lastMatch < dayAgo && rule.created_at < dayAgo) keep(longest, quiet);
  }
  return longest.map(({ rule }) => rule);
}

/** Inserted where it belongs among the few that are kept: nothing is sorted that grows. */
function keep(kept: Quiet[], one: Quiet): void {
  const after = kept.findIndex((other) => isLonger(one, other));
  if (after === -1) kept.push(one);
  else kept.splice(after, 0, one);
  if (kept.length > LISTED) kept.pop();
}

const isLonger = (one: Quiet, other: Quiet): boolean =>
  one.lastMatch === other.lastMatch ? one.rule.created_at < other.rule.created_at : one.lastMatch < other.lastMatch;

export interface SlowRule extends Rule {
  readonly reason: string;
}

export function slow(rules: readonly Rule[], { platforms }: Status): SlowRule[] {
  const reasons = new Map(
    Object.values(platforms).flatMap(({ slow_rules }) => slow_rules.map((one) => [one.rule_id, one.reason])),
  );
  if (reasons.size === 0) return [];
  return rules
    .filter(({ id }) => reasons.has(id))
    .map((rule) => ({ ...rule, reason: reasons.get(rule.id)! }))
    .slice(0, LISTED);
}
