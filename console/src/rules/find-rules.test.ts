import { describe, expect, it } from 'vitest';
import type { Rule } from '../data/queries.ts';
import { findRules, type Order } from './find-rules.ts';

function rule(name: string, value: string, facts: { matches?: number; last?: string; paused?: boolean } = {}): Rule {
  const { matches = 0, last = null, paused = false } = facts;
  return {
    id: `rule_${name}`,
    name,
    intent: `About ${name}`,
    platforms: {
      x: {
        platform_rule_id: '1',
        translated_value: value,
        rule_type: 'premium',
        status: 'active',
        match_count: matches,
        last_match_at: last,
      },
    },
    created_at: '2026-11-15T08:00:00.000Z',
    version: 1,
    alerts: { surge: true, silence: true },
    paused,
  };
}

const RULES = [
  rule('Rule 10', 'lava', { matches: 3, last: '2026-11-15T08:00:00.000Z' }),
  rule('Rule 9', 'STORM near', { matches: 9, last: '2026-11-14T08:00:00.000Z', paused: true }),
  rule('Rule 1', 'rain'),
];
const names = (filter: Partial<Parameters<typeof findRules>[1]>): string[] =>
  findRules(RULES, { search: '', state: '', order: 'newest', ...filter }).map(({ name }) => name);

describe('finding rules', () => {
  it('looks for every word, in names, intents and texts, upper and lower case alike', () => {
    expect(names({ search: 'storm' })).toEqual(['Rule 9']);
    expect(names({ search: 'about near' })).toEqual(['Rule 9']);
    expect(names({ search: 'storm lava' })).toEqual([]);
  });

  it('looks for a state', () => {
    expect(names({ state: 'paused' })).toEqual(['Rule 9']);
  });

  it.each<[Order, string[]]>([
    ['newest', ['Rule 1', 'Rule 9', 'Rule 10']],
    ['name', ['Rule 1', 'Rule 9', 'Rule 10']],
    ['most_matches', ['Rule 9', 'Rule 10', 'Rule 1']],
    ['last_match', ['Rule 10', 'Rule 9', 'Rule 1']],
  ])('sorts: %s', (order, sorted) => {
    expect(names({ order })).toEqual(sorted);
  });
});
