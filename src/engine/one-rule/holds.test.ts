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

  it('pauses by the steps that tests take, and not by words', () => {
    const text = Array.from({ length: 1_000 }, (_, at) => `${at}`.padStart(250, 'a')).join(' ');
    const view = textEvent(text);
    const stepsOf = (query: Query) => [...holdsInParts(query, new ViewLookup(view, 0))].slice(1);
    const longest = stepsOf({ kind: 'wildcard', field: 'text', pattern: `*${'a?'.repeat(650)}*b` });
    const fuzzy = stepsOf({ kind: 'fuzzy', field: 'text', term: `b${'a'.repeat(246)}bbb`, edits: 2 });
    const short = stepsOf({ kind: 'wildcard', field: 'text', pattern: '*b' });
    for (const steps of [longest, fuzzy, short]) expect(Math.max(...steps)).toBeLessThan(8_192);
    const sum = (steps: number[]) => steps.reduce((total, one) => total + one, 0);
    expect(sum(short)).toBe(1_000 * (1 + 31));
    expect(sum(longest)).toBeGreaterThan(20 * sum(short));
    expect(sum(fuzzy)).toBeGreaterThan(5 * sum(short));
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
