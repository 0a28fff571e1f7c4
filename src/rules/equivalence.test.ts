import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sameMeaning } from './equivalence.ts';
import { all, any, NOTHING, not, type Query } from './query.ts';

const word = (term: string): Query => ({ kind: 'term', field: 'text', term });
const [a, b, c] = ['a', 'b', 'c'].map(word) as [Query, Query, Query];

describe('two queries mean the same', () => {
  it('when one is the other by the laws of logic', () => {
    expect(sameMeaning(not(any([a, b])), all([not(a), not(b)]))).toBe(true);
    expect(sameMeaning(any([a, all([a, b])]), a)).toBe(true);
    expect(sameMeaning(all([a, any([b, c])]), any([all([a, b]), all([a, c])]))).toBe(true);
  });

  it('and not when some event tells them apart', () => {
    expect(sameMeaning(all([a, b]), any([a, b]))).toBe(false);
    expect(sameMeaning(all([a, not(b)]), all([a, b]))).toBe(false);
  });

  it('exactly when every choice of truth for their predicates gives the same', () => {
    const words = Array.from({ length: 11 }, (_, at) => word(`w${at}`));
    const { query: anyQuery } = fc.letrec<{ query: Query }>((tie) => ({
      query: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constantFrom(...words),
        fc.array(tie('query'), { maxLength: 4 }).map(all),
        fc.array(tie('query'), { maxLength: 4 }).map(any),
        tie('query').map(not),
      ),
    }));
    const holds = (query: Query, truth: number): boolean => {
      if (query.kind === 'all') return query.of.every((part) => holds(part, truth));
      if (query.kind === 'any') return query.of.some((part) => holds(part, truth));
      if (query.kind === 'not') return !holds(query.query, truth);
      if (query.kind === 'term') return ((truth >> Number(query.term.slice(1))) & 1) === 1;
      return query.kind === 'everything';
    };
    const truths = Array.from({ length: 2 ** words.length }, (_, truth) => truth);
    fc.assert(
      fc.property(anyQuery, anyQuery, (one, other) => {
        const isSame = truths.every((truth) => holds(one, truth) === holds(other, truth));
        expect(sameMeaning(one, other)).toBe(isSame);
        expect(sameMeaning(one, any([all([one, other]), all([one, not(other)])]))).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it.each([11, 16, 200])('and not where one choice in very many, of %i predicates, tells them apart', (count) => {
    const parts = Array.from({ length: count }, (_, at) => (at % 3 === 0 ? word(`w${at}`) : not(word(`w${at}`))));
    expect(sameMeaning(all(parts), NOTHING)).toBe(false);
    expect(sameMeaning(all(parts), all(parts.toReversed()))).toBe(true);
  });

  it('of very many predicates, in any order', () => {
    const words = Array.from({ length: 2_000 }, (_, at) => word(`w${at}`));
    expect(sameMeaning(any(words), any(words.toReversed()))).toBe(true);
    expect(sameMeaning(any(words), all(words))).toBe(false);
    expect(sameMeaning(any(words), any(words.slice(0, 1_999)))).toBe(false);
  });

  it('and are not said to where that takes too many steps to prove', () => {
    const [left, right] = ['x', 'y'].map((side) => Array.from({ length: 40 }, (_, at) => word(`${side}${at}`)));
    const pairs = left!.map((one, at) => all([one, right![at]!]));
    const crossed = any([all(left!), all(right!), ...pairs]);
    expect(sameMeaning(crossed, crossed)).toBe(false);
    expect(sameMeaning(any(pairs), any(pairs.toReversed()))).toBe(true);
  });
});
