/** How patterns that were left open are decided in parts. */
import { describe, expect, it } from 'vitest';
import { textEvent } from '../../../test/generated/hard-matching.ts';
import { isSpent, newPatternBudget, outdate, renew, settlePatterns } from './pattern-budget.ts';
import { Predicates } from './predicates.ts';
import type { SharedPredicate, Tested } from './shared-predicate.ts';

const predicates = new Predicates({ use: () => 1, release: () => {} });
const held = (predicate: Tested): SharedPredicate => predicates.at(predicates.use(predicate));
const wildcard = (pattern: string, field = 'text') => held({ kind: 'wildcard', field, pattern });
const part = (text: string, field = 'text') => held({ kind: 'contains', field, text });
const words = (count: number) => Array.from({ length: count }, (_, index) => `w${index}`).join(' ');

/** Settles these, and says what each yield was and what came out. */
function settled(text: string, open: readonly SharedPredicate[]) {
  const budget = newPatternBudget(0);
  for (const one of open) budget.open.add(one);
  const yields = [...settlePatterns(textEvent(text), budget, 77)];
  expect([budget.open.size, budget.left]).toEqual([0, 77]);
  return { yields, verdicts: open.map((one) => budget.settled.get(one)) };
}

describe('open patterns', () => {
  it('are decided on the distinct words of their field', () => {
    const open = [wildcard('a*'), wildcard('*-'), wildcard('a*', 'title'), part('a b'), part('c a'), part('a', 'none')];
    expect(settled('a b a a b', open)).toEqual({
      // The words are read first; a text is looked at eight words a step, and no word is in the other field.
      yields: [5, 2, 2, 0, 0, 0],
      verdicts: [true, false, false, true, false, false],
    });
    expect(settled('a', [])).toEqual({ yields: [], verdicts: [] });
  });

  it('are tested on 4,096 words at a time, and no further than the part with one that fits', () => {
    const text = words(9_000);
    expect(settled(text, [wildcard('*-')]).yields).toEqual([9_000, 4_096, 4_096, 9_000 - 2 * 4_096]);
    expect(settled(text, [wildcard('w4095'), wildcard('w4096'), part('w1 w2')])).toEqual({
      yields: [9_000, 4_096, 4_096, 4_096, 9_000 >>> 3],
      verdicts: [true, true, true],
    });
  });

  it('take more steps for long words: one more for each sixteen characters', () => {
    const text = `${'x'.repeat(15)} ${'y'.repeat(16)} ${'z'.repeat(33)}`;
    expect(settled(text, [wildcard('*-')]).yields).toEqual([3, 3 + 1 + 2]);
  });

  it('take six steps a word where edits are counted', () => {
    expect(settled('a b c', [held({ kind: 'fuzzy', field: 'text', term: 'xyz', edits: 1 })]).yields).toEqual([3, 18]);
  });

  it('are compiled one by one, with a yield after each', () => {
    const open = ['(a+)+1', '(b+)+1'].map((pattern) => held({ kind: 'regex', field: 'text', pattern }));
    const { yields } = settled('a1', open);
    expect(yields).toEqual([1, expect.any(Number), 1, expect.any(Number), 1]);
    expect(yields[1]).toBeGreaterThan(20);
    // What is compiled once is not again.
    expect(settled('a1', open).yields).toEqual([1, 1, 1]);
  });

  it('that could not be made fit nothing', () => {
    expect(settled('a', [held({ kind: 'regex', field: 'text', pattern: '(' })]).verdicts).toEqual([false]);
  });
});

describe('a budget', () => {
  it('is spent while patterns are open or rules are left', () => {
    const budget = newPatternBudget();
    expect([budget.left, budget.version, isSpent(budget)]).toEqual([50_000, -1, false]);
    budget.open.add(wildcard('a'));
    expect(isSpent(budget)).toBe(true);
    budget.open.clear();
    budget.rest = ['rule'];
    expect(isSpent(budget)).toBe(true);
  });

  it('is as new for another event, but for the version of the rules', () => {
    const budget = newPatternBudget(5);
    const one = wildcard('a');
    budget.open.add(one);
    budget.settled.set(one, true);
    budget.wholeFields.add('text');
    budget.rest = ['rule'];
    budget.phrases.set('0 1', true);
    budget.terms = Int32Array.of(1);
    budget.version = 3;
    renew(budget);
    expect(budget).toEqual({ ...newPatternBudget(), version: 3 });
    renew(budget, 9);
    expect(budget.left).toBe(9);
  });

  it('keeps what was decided on patterns when the rules change, and forgets terms and phrases', () => {
    const budget = newPatternBudget(5);
    const one = wildcard('a');
    budget.settled.set(one, true);
    budget.phrases.set('0 1', true);
    budget.terms = Int32Array.of(1);
    outdate(budget, 4);
    expect(budget).toEqual({ ...newPatternBudget(5), version: 4, settled: new Map([[one, true]]) });
  });
});
