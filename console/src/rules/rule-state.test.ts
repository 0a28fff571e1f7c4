import { describe, expect, it } from 'vitest';
import { RULE_STATUSES } from '../../../src/domain/rule.ts';
import type { Rule, Status } from '../data/queries.ts';
import { RULE_STATES } from '../words/rules.ts';
import { stateNow, stateOf } from './rule-state.ts';

type Held = NonNullable<Rule['platforms']['x']>;

const held = (status: Held['status'], error?: string): Held => ({
  platform_rule_id: null,
  translated_value: 'storm',
  rule_type: 'premium',
  status,
  match_count: 0,
  last_match_at: null,
  ...(error !== undefined && { error }),
});
const rule = (x: Held, firehose: Held = held('active'), paused = false): Rule => ({
  id: 'rule_1',
  name: 'Storms',
  intent: '',
  platforms: { x, firehose },
  created_at: '2026-11-15T08:00:00.000Z',
  version: 1,
  alerts: { surge: true, silence: true },
  paused,
});

describe('the state of a rule', () => {
  it.each([...RULE_STATUSES, 'over_budget'] as const)(
    'on one platform is shown, not hidden by the other: %s',
    (status) => {
      expect(stateOf(rule(held(status))).name).toBe(status);
      expect(RULE_STATES[status].words).not.toBe(status === 'active' ? '' : 'Active');
    },
  );

  it('is green for an active rule alone', () => {
    const green = Object.entries(RULE_STATES).filter(([, { tone }]) => tone === 'ok');
    expect(green.map(([name]) => name)).toEqual(['active']);
  });

  it('has the reason of the server, or one of its own', () => {
    expect(stateOf(rule(held('over_budget', 'Until 1 December.'))).reason).toBe('Until 1 December.');
    expect(stateOf(rule(held('failed'))).reason).toBe('The platform refuses this rule.');
    expect(stateOf(rule(held('active'), held('active'), true)).words).toBe('Paused');
  });

  it('is not active where its text can never match', () => {
    const dead = { ...held('active'), can_match: false as const, reason: 'lava is both required and excluded.' };
    expect(stateOf(rule(dead))).toMatchObject({ name: 'dead', tone: 'bad', reason: dead.reason });
    expect(stateOf(rule(held('active'), dead)).words).toBe('Can never match');
    expect(stateOf(rule({ ...dead, status: 'failed' })).name).toBe('failed');
  });

  it('is not active while no events reach it', () => {
    const status = (reasons: string[]) =>
      ({ platforms: { x: { coverage: { complete: false, reasons } } } }) as unknown as Status;
    const active = rule(held('active'));
    expect(stateNow(active, status(['token_refused', 'gap']))).toMatchObject({
      words: 'Token refused',
      tone: 'bad',
      reason: 'X refuses the token.',
    });
    expect(stateNow(active, status(['no_feed'])).words).toBe('No feed');
    expect(stateNow(active, status(['gap', 'demo'])).words).toBe('Active');
    expect(stateNow(rule(held('over_budget')), status(['stream_down'])).words).toBe('Over budget');
    expect(stateNow(active, undefined).words).toBe('Active');
  });
});
