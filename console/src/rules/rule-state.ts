/** A rule's state at a glance. */
import type { Platform, Rule } from '../data/queries.ts';
import type { Tone } from '../ui/badge.tsx';

export interface RuleState {
  readonly name: 'Active' | 'Paused' | 'Pending' | 'Missing' | 'Over budget' | 'Failed';
  readonly tone: Tone;
  readonly reason?: string;
}

export const platformsOf = (rule: Rule): Platform[] => Object.keys(rule.platforms) as Platform[];

export function stateOf(rule: Rule): RuleState {
  const held = Object.values(rule.platforms);
  const failed = held.find(({ status }) => status === 'failed');
  if (failed !== undefined)
    return { name: 'Failed', tone: 'bad', reason: failed.error ?? 'The platform no longer holds this rule.' };
  if (rule.paused) return { name: 'Paused', tone: 'neutral' };
  const missing = held.find(({ status }) => status === 'missing');
  if (missing !== undefined)
    return { name: 'Missing', tone: 'bad', reason: missing.error ?? 'The platform no longer holds this rule.' };
  const resting = held.find(({ status }) => status === 'over_budget');
  if (resting !== undefined)
    return { name: 'Over budget', tone: 'warn', ...(resting.error && { reason: resting.error }) };
  if (held.some(({ status }) => status === 'pending')) return { name: 'Pending', tone: 'warn' };
  return { name: 'Active', tone: 'ok' };
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
