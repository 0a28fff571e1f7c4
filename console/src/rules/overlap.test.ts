import { describe, expect, it } from 'vitest';
import { isMuch, overlapPairs, overlapTable } from './overlap.ts';

const overlap = {
  rules: [
    { rule_id: 'a', matches: 100 },
    { rule_id: 'b', matches: 10 },
    { rule_id: 'c', matches: 40 },
  ],
  pairs: [
    { a: 'a', b: 'c', shared: 12 },
    { a: 'a', b: 'b', shared: 9 },
  ],
};

describe('the overlap of rules', () => {
  it('is measured by the smaller rule, the most first', () => {
    const pairs = overlapPairs(overlap);
    expect(pairs.map(({ a, b, share }) => [a, b, share])).toEqual([
      ['a', 'b', 0.9],
      ['a', 'c', 0.3],
    ]);
    expect(pairs.map(isMuch)).toEqual([true, false]);
    expect(overlapPairs({ rules: [], pairs: [{ a: 'x', b: 'y', shared: 1 }] })[0]!.share).toBe(0);
  });

  it('is a table that reads the same both ways, with nothing where a rule meets itself', () => {
    expect(overlapTable(overlap)).toEqual([
      [null, 9, 12],
      [9, null, 0],
      [12, 0, null],
    ]);
  });
});
