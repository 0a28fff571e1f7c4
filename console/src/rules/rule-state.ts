/** A rule's state at a glance: the most serious state that it has on any of its platforms. */
import type { Platform, Rule, Status } from '../data/queries.ts';
import { isUnfed } from '../status/health.ts';
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
const RANK = Object.fromEntries(ORDER.map((name, rank) => [name, rank])) as Record<RuleStateName, number>;

export const platformsOf = (rule: Rule): Platform[] => Object.keys(rule.platforms) as Platform[];

/** Which of the states it is in. Lists ask this of ten thousand rules at once, so it looks at each platform once. */
export function stateNameOf({ paused, platforms }: Rule): RuleStateName {
  let worst = paused ? RANK.paused : ORDER.length;
  for (const name in platforms) {
    const { status, can_match } = platforms[name as Platform]!;
    worst = Math.min(worst, RANK[status], can_match === false ? RANK.dead : worst);
  }
  return ORDER[worst] ?? 'pending';
}

export function stateOf(rule: Rule): RuleState {
  const name = stateNameOf(rule);
  const { words, tone, about } = RULE_STATES[name];
  if (name === 'active') return { name, words, tone };
  const held = Object.values(rule.platforms);
  const why =
    name === 'dead'
      ? held.find(({ can_match }) => can_match === false)?.reason
      : held.find(({ status }) => status === name)?.error;
  return { name, words, tone, reason: why ?? about };
}

/** The state of a rule on its platforms: a rule that no events reach does not run, whatever its status. */
export function stateNow(rule: Rule, status: Status | undefined): RuleState {
  const state = stateOf(rule);
  if (state.name !== 'active' || status === undefined) return state;
  const troubles = platformsOf(rule).flatMap((platform) => troublesOn(platform, status.platforms[platform]));
  const worst = worstOf(troubles.map(({ reason }) => reason));
  if (worst === undefined) return state;
  return { ...state, ...worst, reason: [...new Set(troubles.map(({ words }) => words))].join(' ') };
}

const troublesOn = (platform: Platform, found: Status['platforms'][Platform]) =>
  (found?.coverage.reasons ?? [])
    .filter((reason) => !isHarmless(reason) || reason === 'no_feed')
    .map((reason) => ({ reason, words: reasonWords(reason, { platform, isUnfed: isUnfed([found!]) }) }));

export const matchesOf = (rule: Rule): number =>
  Object.values(rule.platforms).reduce((sum, { match_count }) => sum + match_count, 0);

/** The newest match on any of its platforms. */
export function lastMatchOf({ platforms }: Rule): string | undefined {
  let last: string | undefined;
  for (const name in platforms) {
    const at = platforms[name as Platform]!.last_match_at;
    if (at !== null && (last === undefined || at > last)) last = at;
  }
  return last;
}
