import { describe, expect, it } from 'vitest';
import { costOf, fitOf } from './draft-words.ts';

describe('the figures of a draft', () => {
  it('say what of the examples it catches', () => {
    expect(fitOf({ wanted: 0, wanted_matched: 0, unwanted: 0, unwanted_matched: 0 })).toBeUndefined();
    expect(fitOf({ wanted: 3, wanted_matched: 2, unwanted: 1, unwanted_matched: 0 })).toBe(
      'catches 2 of 3 that you want, 0 of 1 that you do not',
    );
  });

  it('say what it costs, and how much of that is known', () => {
    expect(costOf({})).toBe('nothing: this server matches it itself');
    const price = { per_match: 0.005, currency: 'EUR' };
    expect(costOf({ price, rate_range: null })).toBe('EUR 0.005 a match; how many come is not known beforehand');
    expect(costOf({ price, rate_range: { low: 10, high: 40 } })).toBe('EUR 1.5 to EUR 6 a month, at EUR 0.005 a match');
  });
});
