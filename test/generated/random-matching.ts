/**
 * Random queries of every kind, and events that they often match: few words, in few fields. The index is compared with
 * the scan on these.
 */
import fc from 'fast-check';
import type { EventView } from '../../src/engine/events/event-view.ts';
import { addText, addValue, newViewBuilder, sameOffsets, shownAt } from '../../src/engine/events/view-builder.ts';
import { all, any, EVERYTHING, NOTHING, not, type Query } from '../../src/rules/query.ts';
import { scanWords } from '../../src/rules/x/words.ts';

/** The moment of matching. */
const NOW = 1_700_000_000_000;
export const now = () => NOW;

const WORDS = ['a', 'b', 'c', 'd', 'ab', 'abc', 'abcd', 'bcd', 'xyz', 'abcdefgh', 'abcdefghij', 'é', '火', '🌋'];
const anyWord = fc.constantFrom(...WORDS);
const anyField = fc.constantFrom('text', 'title', 'tag');
const gap = fc.constantFrom(' ', ' ', ' ', ' ', ', ', '-', '  ', '!');

const anyText = fc.array(fc.tuple(anyWord, gap), { maxLength: 12 }).map((parts) => parts.flat().join(''));

export const anyEvent: fc.Arbitrary<EventView> = fc
  .record({
    id: fc.nat(99).map(String),
    texts: fc.array(anyText, { maxLength: 2 }),
    titles: fc.array(anyText, { maxLength: 1 }),
    tags: fc.array(anyWord, { maxLength: 3 }),
    number: fc.option(fc.nat(9)),
    age: fc.option(fc.integer({ min: -5, max: 20 })),
    place: fc.option(
      fc.record({ longitude: fc.integer({ min: -3, max: 3 }), latitude: fc.integer({ min: -3, max: 3 }) }),
    ),
  })
  .map(({ id, texts, titles, tags, number, age, place }) => {
    const builder = newViewBuilder();
    for (const one of texts) {
      addText(builder, { scan: scanWords, gap: 0 }, 'text', one, shownAt('text', one));
      builder.position += 100;
    }
    for (const one of titles) addText(builder, { scan: scanWords, gap: 0 }, 'title', one, shownAt('title', one));
    for (const one of tags) addValue(builder, 'tag', one, shownAt('tag', one));
    return {
      id,
      pieces: builder.pieces,
      words: builder.words,
      numbers: number === null ? [] : [{ field: 'followers', value: number }],
      place: place === null ? undefined : { kind: 'point', ...place },
      publishedAt: age === null ? undefined : NOW - age * 1000,
      offsetsOf: sameOffsets,
    };
  });

const bound = <T>(value: fc.Arbitrary<T>) => fc.record({ value, inclusive: fc.boolean() });

const anyLiteral = fc.tuple(
  anyField,
  fc.array(fc.tuple(anyWord, gap), { minLength: 1, maxLength: 3 }),
  fc.constantFrom('', '', '!', '-'),
);

const predicate: fc.Arbitrary<Query> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ kind: fc.constant('term' as const), field: anyField, term: anyWord }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('phrase' as const),
      field: anyField,
      terms: fc.array(fc.option(anyWord, { freq: 6 }), { minLength: 1, maxLength: 4 }),
      slop: fc.constantFrom(0, 0, 1, 2, 5),
    }),
  },
  {
    weight: 4,
    arbitrary: anyLiteral.map(([field, parts, lead]) => ({
      kind: 'literal' as const,
      field,
      text: lead + parts.flat().slice(0, -1).join(''),
      terms: parts.map(([term]) => term),
    })),
  },
  {
    arbitrary: fc
      .constantFrom('!', '- ', ', ')
      .map((text) => ({ kind: 'literal' as const, field: 'text', text, terms: [] })),
    weight: 1,
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('contains' as const),
      field: anyField,
      text: fc.constantFrom('b', 'bcd', 'c ab', 'xy'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('prefix' as const),
      field: anyField,
      prefix: fc.constantFrom('', 'a', 'ab', 'abcd', 'x'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('wildcard' as const),
      field: anyField,
      pattern: fc.constantFrom('*', '?', 'a*d', '*bcd', '*bc*', 'x?z'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('regex' as const),
      field: anyField,
      pattern: fc.constantFrom('a.*', '[abc]+', 'abc?d?', '(x|é)y?z?', '.*bcd'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('fuzzy' as const),
      field: anyField,
      term: anyWord,
      edits: fc.constantFrom(1, 2),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(anyField, fc.option(bound(anyWord)), fc.option(bound(anyWord))).map(([field, from, to]) => ({
      kind: 'range' as const,
      field,
      ...(from === null ? {} : { from }),
      ...(to === null ? {} : { to }),
    })),
  },
  { weight: 1, arbitrary: bound(fc.nat(9)).map((from) => ({ kind: 'number' as const, field: 'followers', from })) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('exists' as const), field: fc.constantFrom('text', 'tag', 'none') }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'circle' as const, longitude: 0, latitude: 0, radius: 250_000 }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'box' as const, west: -2, south: -2, east: 2, north: 1 }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('sample' as const), percent: fc.nat(100) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('recent' as const), milliseconds: fc.nat(20_000) }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Query>(EVERYTHING, NOTHING, { kind: 'upstream', operator: 'embedding', value: 'x' }),
  },
);

export const anyQuery = fc.letrec<{ query: Query }>((tie) => ({
  query: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    predicate,
    predicate,
    fc.array(tie('query'), { minLength: 1, maxLength: 4 }).map(all),
    fc.array(tie('query'), { minLength: 1, maxLength: 4 }).map(any),
    tie('query').map(not),
    // As a caller may build them: joins that no constructor has tidied.
    fc.record({ kind: fc.constantFrom('all' as const, 'any' as const), of: fc.array(tie('query'), { maxLength: 3 }) }),
    tie('query').map((negated) => ({ kind: 'not' as const, query: negated })),
  ),
})).query;
