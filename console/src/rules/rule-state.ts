/** A rule's state at a glance: the most serious state that it has on any of its platforms. */
import type { Platform, Rule } from '../data/queries.ts';
import type { Tone } from '../ui/badge.tsx';

type Held = NonNullable<Rule['platforms'][Platform]>;
/** `paused` is a state of the whole rule. */
export type RuleStateName = Held['status'] | 'paused';

export interface RuleState {
  readonly name: RuleStateName;
  readonly words: string;
  readonly tone: Tone;
  readonly reason?: string;
}

interface Shown {
  readonly words: string;
  readonly tone: Tone;
  /** What it means, where the server gives no reason. */
  readonly about?: string;
}

/** The most serious first. A status that the API gains does not compile until it has its words here. */
export const RULE_STATES = {
  failed: { words: 'Failed', tone: 'bad', about: 'The platform refuses this rule.' },
  paused: { words: 'Paused', tone: 'neutral' },
  missing: { words: 'Missing', tone: 'bad', about: 'The platform no longer holds this rule.' },
  over_budget: { words: 'Over budget', tone: 'bad', about: 'The budget of this month is used up.' },
  deleting: { words: 'Being deleted', tone: 'neutral' },
  pending: { words: 'Pending', tone: 'warn', about: 'The platform has not confirmed this rule yet.' },
  active: { words: 'Active', tone: 'ok' },
} as const satisfies Record<RuleStateName, Shown>;

const ORDER = Object.keys(RULE_STATES) as RuleStateName[];

export const platformsOf = (rule: Rule): Platform[] => Object.keys(rule.platforms) as Platform[];

export function stateOf(rule: Rule): RuleState {
  const held = Object.values(rule.platforms);
  const has = (name: RuleStateName) => (name === 'paused' ? rule.paused : held.some((on) => on.status === name));
  const name = ORDER.find(has) ?? 'pending';
  const { words, tone, about }: Shown = RULE_STATES[name];
  const reason = held.find(({ status }) => status === name)?.error ?? about;
  return { name, words, tone, ...(reason !== undefined && { reason }) };
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
