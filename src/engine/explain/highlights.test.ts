import { expect, it } from 'vitest';
import { unmark } from '../../../test/stages/corpus.ts';
import { all, any, not, type Query } from '../../rules/query.ts';
import type { EventView } from '../events/event-view.ts';
import { pageAnalyzer } from '../events/page-event.ts';
import { explain } from './explain.ts';
import { highlights } from './highlights.ts';

const analyze = pageAnalyzer();
const word = (term: string): Query => ({ kind: 'term', field: 'title', term });
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
  expect(highlights(query, view, 0)).toEqual(spans.map((span) => ({ field: 'title', ...span })));
});

it('stays small and quick on a text that repeats one word', () => {
  const view = analyze({ id: '1', title: 'a '.repeat(200_000) }) as EventView;
  expect(highlights(near(2, 'a', 'a', 'a'), view, 0).length).toBeLessThanOrEqual(3000);
  expect(highlights(word('a'), view, 0)).toHaveLength(1000);
});

it('explains every part', () => {
  const view = analyze({ id: '1', title: 'a b' }) as EventView;
  const leaf = (label: string, holds: boolean, start = 0) => ({
    label,
    holds,
    highlights: holds ? [{ field: 'title', start, end: start + 1 }] : [],
    of: [],
  });
  expect(explain(all([word('a'), any([word('z'), not(word('b'))])]), view, 0)).toEqual({
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
    [{ kind: 'number', field: 'f', to: { value: 3, inclusive: false } }, 'f is below 3'],
    [{ kind: 'exists', field: 'f' }, 'f is there'],
    [{ kind: 'circle', longitude: 1, latitude: 2, radius: 3 }, 'sent from within 3 m of 1, 2'],
    [{ kind: 'box', west: 1, south: 2, east: 3, north: 4 }, 'sent from between 1, 2 and 3, 4'],
    [{ kind: 'sample', percent: 5 }, 'in a sample of 5 %'],
    [{ kind: 'recent', milliseconds: 86_400_000 }, 'published in the last 24 h'],
    [{ kind: 'upstream', operator: 'embedding', value: 'a' }, 'embedding "a", for the upstream to judge'],
  ];
  for (const [query, label] of kinds) expect(explain(query, view, 0).label).toBe(label);
});
