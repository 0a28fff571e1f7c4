import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textEvent } from '../../../test/generated/hard-matching.ts';
import { anyEvent, anyQuery, now } from '../../../test/generated/random-matching.ts';
import { unmark } from '../../../test/stages/corpus.ts';
import { explanationOf, highlightsOf } from '../../../test/stages/explaining.ts';
import { all, any, not, type Query } from '../../rules/query.ts';
import type { EventView } from '../events/event-view.ts';
import { pageAnalyzer } from '../events/page-event.ts';
import { ViewLookup } from '../one-rule/view-lookup.ts';
import { holds as scanHolds } from '../scan.ts';
import { explain } from './explain.ts';
import { highlights, MOST_STEPS } from './highlights.ts';

const analyze = pageAnalyzer();
const word = (term: string): Query => ({ kind: 'term', field: 'title', term });
/** A view of a title longer than any page may have. */
const titled = (title: string): EventView => {
  const view = textEvent(title);
  return { ...view, pieces: view.pieces.map((piece) => ({ ...piece, field: 'title', path: 'title' })) };
};
const near = (slop: number, ...terms: string[]): Query => ({ kind: 'phrase', field: 'title', terms, slop });

it.each<[string, Query, string]>([
  ['every place of a word', word('a'), '«a» b «a»'],
  ['all parts of an all', all([word('a'), word('b')]), '«a» x «b»'],
  ['only the branches of an any that hold', any([word('a'), word('b'), word('z')]), '«a» x «b»'],
  ['nothing of a branch that half holds', any([all([word('a'), word('z')]), word('b')]), 'a x «b»'],
  ['nothing that is excluded', all([word('a'), not(word('z'))]), '«a» b'],
  ['a phrase as one', near(0, 'a', 'b'), 'a «a b» b'],
  ['words near each other one by one', near(3, 'a', 'b'), '«a» x «b» x'],
  ['phrases that overlap as one', near(0, 'a', 'a'), 'x «a a a» x'],
  ['nothing when the query does not hold', all([word('a'), word('z')]), 'a b'],
  ['nothing where only an exclusion holds', not(word('z')), 'a b'],
])('shows %s', (_, query, marked) => {
  const { text, spans } = unmark(marked);
  const view = analyze({ id: '1', title: text }) as EventView;
  expect(highlightsOf(query, view, 0)).toEqual(spans.map((span) => ({ field: 'title', ...span })));
});

it('lists at most 200 places of one predicate and 1,000 in all, the earliest', () => {
  const once = (count: number) => Array.from({ length: count }, (_, index) => `w${index}`).join(' ');
  const repeated = titled('a b '.repeat(100_000));
  expect(highlightsOf(word('a'), repeated, 0)).toHaveLength(200);
  expect(highlightsOf(word('a'), repeated, 0).at(-1)).toEqual({ field: 'title', start: 796, end: 797 });
  expect(highlightsOf(near(2, 'a', 'b', 'a'), repeated, 0).length).toBeLessThanOrEqual(200);
  const pattern: Query = { kind: 'wildcard', field: 'title', pattern: '?' };
  expect(highlightsOf(pattern, repeated, 0).at(-1)).toEqual({ field: 'title', start: 398, end: 399 });
  const many = titled(once(3_000));
  const wanted = any(Array.from({ length: 3_000 }, (_, index) => word(`w${index}`)));
  expect(highlightsOf(wanted, many, 0)).toHaveLength(1_000);
});

describe('a rule of many patterns on a long page', () => {
  const CLAUSES = 1_024;
  const words = Array.from({ length: 20_000 }, (_, index) => `w${index.toString(36)}`);
  const hopeless = Array.from(
    { length: CLAUSES },
    (_, index): Query => ({
      kind: 'wildcard',
      field: 'title',
      pattern: `*?${index}-`,
    }),
  );
  const view = titled(`${words.join(' ')} end`);

  it('takes a bounded number of steps, and shows what it found within them', () => {
    const lookup = new ViewLookup(view, 0);
    const shown = highlights(all([word('end'), any([word('w1'), ...hopeless])]), lookup);
    expect(shown.map(({ end, start }) => end - start)).toEqual([2, 3]);
    expect(lookup.steps).toBeLessThanOrEqual(MOST_STEPS + 2 * view.words.count);
  });

  it('shows the certain parts when the steps end before the rest is known, and no uncertain branch', () => {
    const unknown = any(hopeless);
    expect(highlightsOf(all([word('end'), unknown]), view, 0)).toHaveLength(1);
    expect(highlightsOf(any([all([word('w1'), unknown]), word('end')]), view, 0)).toEqual([]);
    expect(highlightsOf(all([unknown, word('absent')]), view, 0)).toEqual([]);
  });

  it('tests a pattern once on each distinct word, however often the word stands there', () => {
    const repeated = titled('lava ash '.repeat(10_000));
    const lookup = new ViewLookup(repeated, 0);
    highlights({ kind: 'wildcard', field: 'title', pattern: '*z' }, lookup);
    expect(lookup.steps).toBe(repeated.words.count + 2);
  });

  it('takes six steps for each word whose edits are counted', () => {
    const lookup = new ViewLookup(titled('lava ash lava'), 0);
    highlights({ kind: 'fuzzy', field: 'title', term: 'zzzz', edits: 2 }, lookup);
    expect(lookup.steps).toBe(3 + 2 * 6);
  });

  it('is explained exactly, part by part, with a step for each pattern and distinct word', () => {
    const parts = 8;
    const lookup = new ViewLookup(view, 0);
    const { of } = explain(any([word('end'), ...hopeless.slice(0, parts)]), lookup);
    expect(of.map(({ holds }) => holds)).toEqual([true, ...Array.from({ length: parts }, () => false)]);
    expect(lookup.steps).toBeLessThanOrEqual((parts + 1) * (view.words.count + 2));
  });
});

it('decides a phrase whose places take too many steps to find, so that an explanation stays exact', () => {
  const nearly = `${'a '.repeat(400)}b `.repeat(100);
  const phrase = near(0, ...Array.from({ length: 401 }, () => 'a'));
  const without = titled(nearly);
  expect(explanationOf(phrase, without, 0)).toMatchObject({ holds: false, highlights: [] });
  const withIt = titled(`${nearly}${'a '.repeat(401)}`);
  expect(explanationOf(phrase, withIt, 0)).toMatchObject({ holds: true });
});

it('agrees with the scan on random queries and events', () => {
  fc.assert(
    fc.property(anyEvent, anyQuery, (event, query) => {
      const held = scanHolds(query, event, now());
      expect(explanationOf(query, event, now()).holds).toBe(held);
      expect(held ? [] : highlightsOf(query, event, now())).toEqual([]);
    }),
    { numRuns: 3_000 },
  );
});

it('explains every part', () => {
  const view = analyze({ id: '1', title: 'a b' }) as EventView;
  const leaf = (label: string, holds: boolean, start = 0) => ({
    label,
    holds,
    highlights: holds ? [{ field: 'title', start, end: start + 1 }] : [],
    of: [],
  });
  expect(explanationOf(all([word('a'), any([word('z'), not(word('b'))])]), view, 0)).toEqual({
    label: 'all of',
    holds: false,
    highlights: [],
    of: [
      leaf('title has "a"', true),
      {
        label: 'any of',
        holds: false,
        highlights: [],
        of: [
          leaf('title has "z"', false),
          { label: 'not', holds: false, highlights: [], of: [leaf('title has "b"', true, 2)] },
        ],
      },
    ],
  });
});

it('has a label that prints for every kind', () => {
  const view = analyze({ id: '1' }) as EventView;
  const bound = { value: 'a\n', inclusive: true };
  const kinds: [Query, string][] = [
    [{ kind: 'everything' }, 'every event'],
    [{ kind: 'nothing' }, 'no event'],
    [{ kind: 'term', field: 'f', term: '\u0000' }, 'f has "\\u0000"'],
    [{ kind: 'phrase', field: 'f', terms: ['a', null, 'b'], slop: 2 }, 'f has "a ? b" within 2'],
    [{ kind: 'literal', field: 'f', text: 'a-b', terms: ['a', 'b'] }, 'f has "a-b", to the letter'],
    [{ kind: 'contains', field: 'f', text: 'a' }, 'f contains "a"'],
    [{ kind: 'prefix', field: 'f', prefix: 'a' }, 'f has a word that begins "a"'],
    [{ kind: 'wildcard', field: 'f', pattern: 'a*' }, 'f has a word like "a*"'],
    [{ kind: 'regex', field: 'f', pattern: 'a.b' }, 'f has a word like /a.b/'],
    [{ kind: 'fuzzy', field: 'f', term: 'a', edits: 1 }, 'f has a word within 1 of "a"'],
    [{ kind: 'range', field: 'f', from: bound }, 'f has a word from "a\\n"'],
    [{ kind: 'range', field: 'f' }, 'f has a word of any value'],
    [{ kind: 'number', field: 'f', to: { value: 3, inclusive: false } }, 'f is less than 3'],
    [{ kind: 'exists', field: 'f' }, 'f is there'],
    [{ kind: 'circle', longitude: 1, latitude: 2, radius: 3 }, 'sent from within 3 m of 1, 2'],
    [{ kind: 'box', west: 1, south: 2, east: 3, north: 4 }, 'sent from between 1, 2 and 3, 4'],
    [{ kind: 'sample', percent: 5 }, 'in a sample of 5 %'],
    [{ kind: 'recent', milliseconds: 86_400_000 }, 'published in the last 24 h'],
    [{ kind: 'upstream', operator: 'embedding', value: 'a' }, 'embedding "a", for the upstream to judge'],
  ];
  for (const [query, label] of kinds) expect(explanationOf(query, view, 0).label).toBe(label);
});
