import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textEvent } from '../../../test/generated/hard-matching.ts';
import { anyEvent, anyQuery, now } from '../../../test/generated/random-matching.ts';
import { runThrough } from '../../base/cooperate.ts';
import { all, any, type Query } from '../../rules/query.ts';
import { holds } from '../scan.ts';
import { holdsInParts, queryHolds } from './holds.ts';
import { ViewLookup } from './view-lookup.ts';

describe('a query on an event', () => {
  it('holds where a full scan says so, at once and in parts, on 20,000 pairs', () => {
    let [pairs, matching] = [0, 0];
    fc.assert(
      fc.property(fc.array(anyQuery, { minLength: 20, maxLength: 20 }), anyEvent, (queries, view) => {
        const lookup = new ViewLookup(view, now());
        for (const query of queries) {
          const expected = holds(query, view, now());
          expect([query, queryHolds(query, lookup)]).toEqual([query, expected]);
          expect([query, runThrough(holdsInParts(query, lookup))]).toEqual([query, expected]);
          pairs++;
          if (expected) matching++;
        }
      }),
      { numRuns: 1_000 },
    );
    expect(pairs).toBe(20_000);
    expect(matching / pairs).toBeGreaterThan(0.3);
  });

  it('throws where a regular expression of it is refused, and not where that is not asked', () => {
    const broken: Query = { kind: 'regex', field: 'text', pattern: '(' };
    const lookup = new ViewLookup(textEvent('storm'), 0);
    expect(() => queryHolds(any([{ kind: 'term', field: 'text', term: 'calm' }, broken]), lookup)).toThrow(
      'The pattern ends',
    );
    expect(queryHolds(all([{ kind: 'term', field: 'text', term: 'calm' }, broken]), lookup)).toBe(false);
    expect(() => runThrough(holdsInParts(broken, lookup))).toThrow('The pattern ends');
  });
});
