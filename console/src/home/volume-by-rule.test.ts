import { describe, expect, it } from 'vitest';
import type { Rule } from '../data/queries.ts';
import { candidates, stackOf } from './volume-by-rule.ts';

const rule = (id: string, count: number, last: string | null): Rule => ({
  id,
  name: `Rule ${id}`,
  intent: '',
  platforms: {
    x: {
      platform_rule_id: null,
      translated_value: 'storm',
      rule_type: 'premium',
      status: 'active',
      match_count: count,
      last_match_at: last,
    },
  },
  created_at: '2026-01-01T00:00:00.000Z',
  version: 1,
  alerts: { surge: true, silence: true },
  paused: false,
});
const names = new Map(['1', '2', '3'].map((id) => [id, `Rule ${id}`]));

describe('the volume by rule', () => {
  it('is led by what matched in the shown time, not by what was loud last month', () => {
    const rules = [rule('1', 1_000_000, '2026-10-01T00:00:00.000Z'), rule('2', 5, '2026-11-15T11:00:00.000Z')];
    expect(candidates(rules, Date.parse('2026-11-14T12:00:00Z'))).toEqual(['2']);
    const series = stackOf([1, 4], { 1: [0, 0], 2: [0, 1], 3: [1, 3], gone: [0, 2] }, names);
    expect(series.map(({ name, href }) => [name, href])).toEqual([
      ['Rule 3', '#/rules/3'],
      ['A deleted rule', undefined],
      ['Rule 2', '#/rules/2'],
    ]);
  });

  it('adds up to what the server counted, with the rest as other rules', () => {
    const series = stackOf([5, 4], { 1: [1, 0], 2: [2, 4] }, names);
    expect(series.map(({ name, values }) => [name, values])).toEqual([
      ['Rule 2', [2, 4]],
      ['Rule 1', [1, 0]],
      ['Other rules', [2, 0]],
    ]);
    expect(stackOf([0, 0], {}, names)).toMatchObject([{ name: 'Matches', values: [0, 0] }]);
  });
});
