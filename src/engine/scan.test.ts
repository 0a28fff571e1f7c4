import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createScan } from '../../test/stages/scan.ts';
import type { Predicate, Query } from '../rules/query.ts';
import type { EventView } from './events/event-view.ts';
import { pageAnalyzer } from './events/page-event.ts';
import { xAnalyzer } from './events/x-event.ts';
import { findSpans } from './one-rule/find-spans.ts';
import { ViewLookup } from './one-rule/view-lookup.ts';
import { holds } from './scan.ts';

const readPage = pageAnalyzer();
const readPost = xAnalyzer();
const page = (title: string, rest: object = {}) => readPage({ id: '1', title, ...rest }) as EventView;
const post = (text: string) => readPost({ data: { id: '1', text } }) as EventView;

const phrase = (slop: number, ...terms: (string | null)[]): Predicate => ({
  kind: 'phrase',
  field: 'title',
  terms,
  slop,
});
const literal = (text: string, ...terms: string[]): Predicate => ({ kind: 'literal', field: 'text', text, terms });

describe('a phrase', () => {
  it.each([
    ['in order', phrase(0, 'a', 'b'), 'x a b', true],
    ['in another order', phrase(0, 'a', 'b'), 'b a', false],
    ['apart', phrase(0, 'a', 'b'), 'a x b', false],
    ['with a hole', phrase(0, 'a', null, 'b'), 'a x b', true],
    ['with a hole that nothing fills', phrase(0, 'a', null, 'b'), 'a b', false],
    ['with a hole before it', phrase(0, null, 'a'), 'a', true],
    ['within reach', phrase(1, 'a', 'b'), 'a x b', true],
    ['swapped, which costs two', phrase(2, 'a', 'b'), 'b a', true],
    ['swapped, out of reach', phrase(1, 'a', 'b'), 'b a', false],
    ['twice the same word, which must be there twice', phrase(5, 'a', 'a'), 'x a x', false],
    ['twice the same word', phrase(1, 'a', 'a'), 'a x a', true],
    ['of holes alone', phrase(0, null), 'a', false],
  ])('%s', (_, query, title, expected) => {
    expect(holds(query, page(title), 0)).toBe(expected);
  });
});

describe('a literal', () => {
  it.each([
    ['as written', literal('call gnip', 'call', 'gnip'), 'Call GNIP, again', true],
    ['with other punctuation', literal('call gnip', 'call', 'gnip'), 'call-gnip', false],
    ['that ends inside a word', literal('call gnip', 'call', 'gnip'), 'call gnips', false],
    ['that begins inside a word', literal('call gnip', 'call', 'gnip'), 'recall gnip', false],
    ['that first stands inside words and then free', literal('a b', 'a', 'b'), 'xa bx a b', true],
    ['with its sign', literal('#word', 'word'), 'a #word', true],
    ['without its sign', literal('#word', 'word'), 'a word', false],
    ['in a script without blanks', literal('火山', '火', '山'), '日本火山国', true],
  ])('%s', (_, query, text, expected) => {
    expect(holds(query, post(text), 0)).toBe(expected);
  });
});

it('judges the rest of the predicates', () => {
  const view = page('alpha beta', { url: 'https://a.example/Quakes', dr: 50, publish_time: '2026-01-01T00:00:00' });
  const now = Date.UTC(2026, 0, 1, 12);
  const hour = 3_600_000;
  const expected: [Query, boolean][] = [
    [{ kind: 'everything' }, true],
    [{ kind: 'nothing' }, false],
    [{ kind: 'not', query: { kind: 'nothing' } }, true],
    [{ kind: 'contains', field: 'url', text: 'ake' }, true],
    [{ kind: 'prefix', field: 'title', prefix: 'al' }, true],
    [{ kind: 'prefix', field: 'title', prefix: 'lp' }, false],
    [{ kind: 'wildcard', field: 'title', pattern: '*et?' }, true],
    [{ kind: 'regex', field: 'title', pattern: 'b.*a' }, true],
    [{ kind: 'fuzzy', field: 'title', term: 'bate', edits: 1 }, false],
    [{ kind: 'fuzzy', field: 'title', term: 'beat', edits: 1 }, true],
    [{ kind: 'range', field: 'title', from: { value: 'b', inclusive: true } }, true],
    [{ kind: 'range', field: 'title', from: { value: 'beta', inclusive: false } }, false],
    [{ kind: 'number', field: 'dr', from: { value: 50, inclusive: true } }, true],
    [{ kind: 'number', field: 'dr', from: { value: 50, inclusive: false } }, false],
    [{ kind: 'number', field: 'dr', to: { value: 50, inclusive: false } }, false],
    [{ kind: 'number', field: 'rank', to: { value: 50, inclusive: false } }, false],
    [{ kind: 'exists', field: 'title' }, true],
    [{ kind: 'exists', field: 'language' }, false],
    [{ kind: 'recent', milliseconds: 12 * hour }, true],
    [{ kind: 'recent', milliseconds: 12 * hour - 1 }, false],
    [{ kind: 'sample', percent: 100 }, true],
    [{ kind: 'circle', longitude: 0, latitude: 0, radius: 1e9 }, false],
    [{ kind: 'upstream', operator: 'embedding', value: 'alpha' }, false],
  ];
  expect(expected.map(([query]) => [query, holds(query, view, now)])).toEqual(expected);
});

it('finds a place exactly where a phrase or a literal holds', () => {
  const words = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 12 });
  const terms = fc.array(fc.constantFrom('a', 'b', 'c', null), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(words, terms, fc.nat(6), (title, wanted, slop) => {
      const query = phrase(slop, ...wanted);
      const view = page(title.join(' '));
      expect(findSpans(query, new ViewLookup(view, 0), 1).holds).toBe(holds(query, view, 0));
    }),
    { numRuns: 2000 },
  );
  const separators = fc.array(fc.constantFrom('a', 'b', ' ', '-', '火'), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(separators, fc.constantFrom('a b', 'a-b', 'ab', '火a'), (text, wanted) => {
      const query = literal(wanted, ...wanted.split(/(?<=火)| |-/));
      const view = post(text.join(''));
      expect(findSpans(query, new ViewLookup(view, 0), 1).holds).toBe(holds(query, view, 0));
    }),
    { numRuns: 2000 },
  );
});

it('is an engine: it puts, drops, matches, and goes on past a rule that throws', () => {
  const scan = createScan({ now: () => 0 });
  scan.put('one', { kind: 'term', field: 'title', term: 'alpha' });
  scan.put('two', { kind: 'term', field: 'title', term: 'beta' });
  scan.put('bad', { kind: 'regex', field: 'title', pattern: '[' });
  scan.put('three', { kind: 'everything' });
  expect(scan.drop('two')).toBe(true);
  expect(scan.drop('two')).toBe(false);
  expect(scan.size).toBe(3);
  expect(scan.match(page('alpha beta'))).toEqual({
    matches: ['one', 'three'],
    evaluated: 3,
    failures: [{ ruleId: 'bad', error: expect.any(Error) }],
  });
});
