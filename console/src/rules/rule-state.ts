/** A rule's state at a glance: the most serious state that it has on any of its platforms. */
import type { Platform, Rule, Status } from '../data/queries.ts';
import type { Tone } from '../ui/badge.tsx';
import { isHarmless, reasonWords, worstOf } from '../words/coverage.ts';
import { RULE_STATES, type RuleStateName } from '../words/rules.ts';

export interface RuleState {
  readonly name: RuleStateName;
  readonly words: string;
  readonly tone: Tone;
  /** Why it is not simply active. */
  readonly reason?: string;
}

const ORDER = Object.keys(RULE_STATES) as RuleStateName[];

export const platformsOf = (rule: Rule): Platform[] => Object.keys(rule.platforms) as Platform[];

export function stateOf(rule: Rule): RuleState {
  const held = Object.values(rule.platforms);
  const has = (name: RuleStateName) => (name === 'paused' ? rule.paused : held.some((on) => on.status === name));
  const name = ORDER.find(has) ?? 'pending';
  const { words, tone, about } = RULE_STATES[name];
  if (name === 'active') return { name, words, tone };
  return { name, words, tone, reason: held.find(({ status }) => status === name)?.error ?? about };
}

/** The same with what the server says of its platforms: a rule that no events reach does not run, whatever its status. */
export function stateNow(rule: Rule, status: Status | undefined): RuleState {
  const state = stateOf(rule);
  if (state.name !== 'active' || status === undefined) return state;
  const reasons = platformsOf(rule).flatMap((name) => status.platforms[name]?.coverage.reasons ?? []);
  const troubles = [...new Set(reasons)].filter((reason) => !isHarmless(reason) || reason === 'no_feed');
  const worst = worstOf(troubles);
  return worst === undefined ? state : { ...state, ...worst, reason: troubles.map(reasonWords).join(' ') };
}

export const matchesOf = (rule: Rule): number =>
  Object.values(rule.platforms).reduce((sum, { match_count }) => sum + match_count, 0);

/** The newest match on any of its platforms. */
export const lastMatchOf = (rule: Rule): string | undefined =>
  Object.values(rule.platforms)
    .map(({ last_match_at }) => last_match_at)
    .filter((at) => at !== null)
    .toSorted()
    .at(-1);
