import { expect, it } from 'vitest';
import { type TimeTerm, termOf, wakeObstacle, withOwn, withTerm } from './wake-terms.ts';

it.each(['any', 'count', 'after', 'without', 'quiet_for'] as const)(
  'a form knows the term %s again',
  (term: TimeTerm) => {
    expect(termOf(withTerm(term))).toBe(term);
  },
);

it('another rule must be chosen before the contract is saved', () => {
  const wake = { per: 'match' as const, at_most: null, min_relevance: null };
  expect(wakeObstacle({ ...wake, when: withTerm('after')! })).toBe('Choose the other rule of “Only when”.');
  expect(wakeObstacle({ ...wake, when: { within: '1h', after: 'rule_1' } })).toBeUndefined();
  expect(wakeObstacle(null)).toBeUndefined();
});

it('a span that a program has chosen is listed', () => {
  expect(withOwn('45m')).toMatchObject({ '45m': '45m', '1h': '1 hour' });
});
