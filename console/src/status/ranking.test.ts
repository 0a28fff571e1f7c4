import { describe, expect, it } from 'vitest';
import type { Rule, Status } from '../data/queries.ts';
import { silent, slow } from './ranking.ts';

const NOW = Date.UTC(2026, 10, 15, 12);

function ruleOf(name: string, matches: number, last: string | null, paused = false): Rule {
  return {
    id: `rule_${name}`,
    name,
    intent: '',
    created_at: '2026-11-01T00:00:00.000Z',
    version: 1,
    alerts: { surge: true, silence: true },
    paused,
    platforms: {
      x: {
        platform_rule_id: '1',
        translated_value: name,
        rule_type: 'premium',
        status: 'active',
        match_count: matches,
        last_match_at: last,
      },
    },
  };
}

const RULES = [
  ruleOf('never', 0, null),
  ruleOf('now', 5, '2026-11-15T11:59:00.000Z'),
  ruleOf('week ago', 90, '2026-11-08T00:00:00.000Z'),
  ruleOf('paused', 0, null, true),
];

const names = (rules: readonly Rule[]) => rules.map(({ name }) => name);

describe('the short lists of rules', () => {
  it('names the silent ones, the longest silence first, unless they are paused', () =>
    expect(names(silent(RULES, NOW))).toEqual(['never', 'week ago']));

  it('says why a rule is slow', () => {
    const slow_rules = [{ rule_id: 'rule_now', reason: 'it matches everything' }];
    const status = { platforms: { x: { slow_rules } } } as unknown as Status;
    expect(slow(RULES, status).map(({ name, reason }) => `${name}: ${reason}`)).toEqual(['now: it matches everything']);
  });
});
