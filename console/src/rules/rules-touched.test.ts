/** How often a page looks at a rule, counted: with ten thousand of them, twice as often is felt. */
import { describe, expect, it } from 'vitest';
import type { Rule, Status } from '../data/queries.ts';
import { concernsOf } from '../home/attention.ts';
import { candidates } from '../home/volume-by-rule.ts';
import { silent, slow } from '../status/ranking.ts';
import { findRules, ORDERS, type Order } from './find-rules.ts';

const MANY = 2_000;
const NOW = Date.UTC(2026, 10, 15, 12);

/** Rules that count how often what they have on their platforms is asked for. */
function countedRules() {
  let touched = 0;
  const rules = Array.from({ length: MANY }, (_, n): Rule => {
    const platforms: Rule['platforms'] = {
      x: {
        platform_rule_id: '1',
        translated_value: `word${n}`,
        rule_type: 'premium',
        status: n % 500 === 0 ? 'failed' : 'active',
        match_count: (n * 7) % 1_000,
        last_match_at: n % 2 === 0 ? null : new Date(NOW - n * 3_600_000).toISOString(),
      },
    };
    return {
      id: `rule_${n}`,
      name: `Rule ${n}`,
      intent: '',
      get platforms() {
        touched++;
        return platforms;
      },
      created_at: '2026-11-01T00:00:00.000Z',
      version: 1,
      alerts: { surge: true, silence: true },
      paused: false,
    };
  });
  const touchedBy = (work: () => unknown): number => {
    touched = 0;
    work();
    return touched;
  };
  return { rules, touchedBy };
}

describe('with very many rules', () => {
  const { rules, touchedBy } = countedRules();

  it('Home looks at each of them once for what is wrong, and at most twice for the volume', () => {
    // The one failed rule that is named is asked for its error: here there are several, which are counted.
    expect(touchedBy(() => concernsOf(undefined, [], rules))).toBe(MANY);
    expect(touchedBy(() => candidates(rules, NOW - 30 * 86_400_000))).toBeLessThanOrEqual(2 * MANY);
  });

  it('Health looks at each of them once, and keeps five', () => {
    expect(touchedBy(() => expect(silent(rules, NOW)).toHaveLength(5))).toBe(MANY);
    const status = { platforms: { x: { slow_rules: [] } } } as unknown as Status;
    expect(touchedBy(() => slow(rules, status))).toBe(0);
  });

  it.each(Object.keys(ORDERS) as Order[])('the list looks at each at most once to order it: %s', (order) => {
    expect(touchedBy(() => findRules(rules, { search: '', state: '', order }))).toBeLessThanOrEqual(MANY);
  });

  it('the search looks at each once, whatever is typed after that', () => {
    const find = (search: string) => findRules(rules, { search, state: '', order: 'newest' });
    expect(touchedBy(() => find('w'))).toBe(MANY);
    expect(touchedBy(() => [find('wo'), find('wor'), find('word1')])).toBe(0);
  });
});
