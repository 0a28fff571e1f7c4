/** The spans that a predicate holds in, the steps that finding them takes, and what happens when the steps run out. */
import { describe, expect, it } from 'vitest';
import type { Predicate } from '../../rules/query.ts';
import { scanWords } from '../../rules/x/words.ts';
import type { EventView } from '../events/event-view.ts';
import { addText, newViewBuilder, sameOffsets, shownAt } from '../events/view-builder.ts';
import { findSpans } from './find-spans.ts';
import { ViewLookup } from './view-lookup.ts';

/** A view of texts of the field `text`, far apart, and of one text of another field behind them. */
function viewOf(...texts: string[]): EventView {
  const builder = newViewBuilder();
  for (const text of texts) addText(builder, { scan: scanWords, gap: 100 }, 'text', text, shownAt('text', text));
  addText(builder, { scan: scanWords, gap: 0 }, 'other', 'a b', shownAt('other', 'a b'));
  const { pieces, words } = builder;
  return { id: '1', pieces, words, numbers: [], place: undefined, publishedAt: undefined, offsetsOf: sameOffsets };
}

/** The spans as `piece:start-end`, whether the predicate holds, and the steps beyond the reading of words. */
function found(view: EventView, predicate: Predicate, most = 10, limit = Number.POSITIVE_INFINITY) {
  const lookup = new ViewLookup(view, 0);
  expect(lookup.words).toBe(lookup.words);
  const { steps } = lookup;
  expect(steps).toBe(view.words.count);
  lookup.limit = steps + limit;
  const { holds, spans } = findSpans(predicate, lookup, most);
  const places = spans.map(({ piece, start, end }) => `${view.pieces.indexOf(piece)}:${start}-${end}`);
  return { holds, places, steps: lookup.steps - steps };
}

const term = (text: string): Predicate => ({ kind: 'term', field: 'text', term: text });
const wildcard = (pattern: string): Predicate => ({ kind: 'wildcard', field: 'text', pattern });
const part = (text: string, field = 'text'): Predicate => ({ kind: 'contains', field, text });
const literal = (text: string, ...terms: string[]): Predicate => ({ kind: 'literal', field: 'text', text, terms });
const phrase = (slop: number, ...terms: (string | null)[]): Predicate => ({
  kind: 'phrase',
  field: 'text',
  terms,
  slop,
});

describe('a word', () => {
  it('is found in the places asked for, the earliest, a step each', () => {
    const view = viewOf('a b a', 'a');
    expect(found(view, term('a'))).toEqual({ holds: true, places: ['0:0-1', '0:4-5', '1:0-1'], steps: 4 });
    expect(found(view, term('a'), 2)).toEqual({ holds: true, places: ['0:0-1', '0:4-5'], steps: 3 });
    expect(found(view, term('a'), 0)).toEqual({ holds: true, places: [], steps: 2 });
    expect(found(view, term('c'))).toEqual({ holds: false, places: [], steps: 1 });
  });
});

describe('a pattern', () => {
  it('is tried once on each distinct word, and one more step for each 8 characters and each place', () => {
    const view = viewOf(`ab ${'x'.repeat(8)} ab ac`);
    expect(found(view, wildcard('a*'))).toEqual({
      holds: true,
      places: ['0:0-2', '0:12-14', '0:15-17'],
      steps: 1 + 2 + 1 + 3,
    });
    expect(found(viewOf('x'.repeat(7)), wildcard('a*'))).toEqual({ holds: false, places: [], steps: 1 });
  });

  it('is found in the earliest places of all words that fit', () => {
    const view = viewOf('ab ac ab ac ad');
    expect(found(view, wildcard('a*'), 3)).toEqual({ holds: true, places: ['0:0-2', '0:3-5', '0:6-8'], steps: 3 + 5 });
    // The search ends with as many words that fit as places are asked for.
    expect(found(view, wildcard('a*'), 2)).toEqual({ holds: true, places: ['0:0-2', '0:3-5'], steps: 2 + 4 });
    expect(found(view, wildcard('a*'), 1)).toEqual({ holds: true, places: ['0:0-2'], steps: 1 + 1 });
  });

  it('is undecided when the steps run out first, and decided when they just suffice', () => {
    const view = viewOf('a b c d');
    expect(found(view, wildcard('*z'), 10, 3)).toEqual({ holds: undefined, places: [], steps: 3 });
    expect(found(view, wildcard('*z'), 10, 5)).toEqual({ holds: false, places: [], steps: 4 });
    expect(found(view, wildcard('c*'), 10, 3)).toMatchObject({ holds: true, places: ['0:4-5'] });
    expect(found(view, wildcard('c*'), 10, 2)).toMatchObject({ holds: undefined, places: [] });
  });
});

describe('a text', () => {
  it('is found wherever it stands, overlapping itself, in its own field', () => {
    const view = viewOf('aaa', 'b', 'aa');
    expect(found(view, part('aa'))).toMatchObject({ holds: true, places: ['0:0-2', '0:1-3', '2:0-2'] });
    expect(found(view, part('aa'), 2).places).toEqual(['0:0-2', '0:1-3']);
    expect(found(view, part('aa'), 1).places).toEqual(['0:0-2']);
    expect(found(view, part('a b', 'other')).places).toEqual(['3:0-3']);
    expect(found(view, part('a b'))).toMatchObject({ holds: false, places: [] });
  });

  it('takes a step for each piece of the field and for 32 characters, and little for another piece', () => {
    expect(found(viewOf('x'.repeat(64), 'y'), part('z')).steps).toBe(3 / 32 + (1 + 2) + (1 + 1 / 32));
    expect(found(viewOf('x'.repeat(64), 'y'), literal('zz')).steps).toBe(3 / 32 + (1 + 2) + (1 + 1 / 32));
  });

  it('is looked for no further when the steps run out', () => {
    for (const predicate of [part('b'), literal('b', 'b')]) {
      expect(found(viewOf('a', 'b'), predicate, 10, 1)).toMatchObject({ holds: undefined, places: [] });
      expect(found(viewOf('a', 'b'), predicate, 10, 1.1)).toMatchObject({ holds: true, places: ['1:0-1'] });
      expect(found(viewOf('a', 'b'), predicate, 10, 0)).toEqual({ holds: undefined, places: [], steps: 0 });
    }
  });
});

describe('a literal', () => {
  it.each<[string, Predicate, string[], string[]]>([
    ['neither begins nor ends inside a word', literal('a b', 'a', 'b'), ['xa b a bx a b'], ['0:10-13']],
    ['has the words it says, and no others', literal('a b', 'a', 'b', 'c'), ['a b c'], []],
    ['has every word that it touches', literal('a b', 'a'), ['a b'], []],
    ['has its words in their order', literal('a b', 'b', 'a'), ['a b'], []],
    ['may overlap itself', literal('a a', 'a', 'a'), ['a a a'], ['0:0-3', '0:2-5']],
    ['is found behind a false beginning', literal('a a b', 'a', 'a', 'b'), ['a a a b'], ['0:2-7']],
    ['has signs around its words', literal('.a.', 'a'), ['.a. b', 'x .a.'], ['0:0-3', '1:2-5']],
    ['may have no words', literal('..'), ['a.. ..', '.'], ['0:1-3', '0:4-6']],
    ['without words touches none', literal('. '), ['a. b'], ['0:1-3']],
    ['stands in one piece', literal('a b', 'a', 'b'), ['a', 'b'], []],
    ['is found in a later piece', literal('b', 'b'), ['a', 'x', 'a b'], ['2:2-3']],
    ['may end with its piece', literal('b', 'b'), ['ab', 'b'], ['1:0-1']],
  ])('%s', (_, predicate, texts, places) => {
    expect(found(viewOf(...texts), predicate)).toMatchObject({ holds: places.length > 0, places });
  });

  it('is found at the end of an event, whatever stood behind it in the one before', () => {
    const view = viewOf('abc');
    const { words } = view;
    // The places behind the last word are those of a longer event.
    const at = words.count;
    [words.pieces[at], words.starts[at], words.ends[at]] = [1, 0, 1];
    const last: Predicate = { kind: 'literal', field: 'other', text: 'a b', terms: ['a', 'b'] };
    expect(found(view, last).places).toEqual(['1:0-3']);
  });

  it('takes a step for each place where its characters stand, and stops with the last one asked for', () => {
    const view = viewOf('ab a b a b');
    const base = 1 / 32 + 1 + 10 / 32;
    expect(found(view, literal('a b', 'a', 'b'))).toMatchObject({
      places: ['0:3-6', '0:7-10'],
      steps: base + 1 / 32 + 2,
    });
    expect(found(view, literal('a b', 'a', 'b'), 1)).toMatchObject({ places: ['0:3-6'], steps: base + 1 });
    expect(found(view, literal('b', 'b'), 10, base + 2)).toMatchObject({ places: ['0:5-6'] });
    expect(found(view, literal('b', 'b'), 10, base + 2.5)).toMatchObject({ places: ['0:5-6', '0:9-10'] });
  });
});

describe('a phrase', () => {
  it.each<[string, Predicate, string[], string[]]>([
    ['is one stretch where its words are neighbours', phrase(0, 'a', 'b'), ['a b x a b'], ['0:0-3', '0:6-9']],
    ['is its words one by one where they may be apart', phrase(2, 'a', 'b'), ['a x b'], ['0:0-1', '0:4-5']],
    ['may be out of order within its reach', phrase(2, 'a', 'b'), ['b a'], ['0:2-3', '0:0-1']],
    ['is not found beyond its reach', phrase(1, 'a', 'b'), ['a x x b', 'b a'], []],
    ['is found just within its reach', phrase(2, 'a', 'b'), ['a x x b'], ['0:0-1', '0:6-7']],
    ['needs a word twice that it asks for twice', phrase(3, 'a', 'a'), ['a', 'x a x'], []],
    ['takes two words for such a one', phrase(3, 'a', 'a'), ['a x a'], ['0:0-1', '0:4-5']],
    ['passes over its holes', phrase(0, 'a', null, 'b'), ['a b', 'a x b'], ['1:0-5']],
    ['may begin with a hole', phrase(0, null, 'a'), ['a'], ['0:0-1']],
    ['of holes alone is found nowhere', phrase(0, null), ['a'], []],
    ['does not cross texts that are far apart', phrase(5, 'a', 'b'), ['a', 'b'], []],
    ['may overlap the one before', phrase(0, 'a', 'a'), ['a a a'], ['0:0-3', '0:2-5']],
  ])('%s', (_, predicate, texts, places) => {
    expect(found(viewOf(...texts), predicate)).toMatchObject({ holds: places.length > 0, places });
  });

  it('takes a step for each word that it looks at, and ends with as many as are asked for', () => {
    expect(found(viewOf('a b'), phrase(0, 'a', 'b'))).toEqual({ holds: true, places: ['0:0-3'], steps: 2 + 2 });
    expect(found(viewOf('a b'), phrase(0, 'a', 'b'), 1)).toEqual({ holds: true, places: ['0:0-3'], steps: 2 });
    expect(found(viewOf('a x b'), phrase(0, 'a', 'b'))).toEqual({ holds: false, places: [], steps: 2 + 2 });
    expect(found(viewOf('a b a b a b'), phrase(0, 'a', 'b'), 2).places).toEqual(['0:0-3', '0:4-7']);
  });

  it('is undecided when the steps run out', () => {
    const view = viewOf('a x b a b');
    expect(found(view, phrase(0, 'a', 'b'))).toMatchObject({ holds: true, places: ['0:6-9'] });
    expect(found(view, phrase(0, 'a', 'b'), 10, 2)).toEqual({ holds: undefined, places: [], steps: 2 });
    expect(found(view, phrase(0, 'a', 'b'), 10, 0)).toEqual({ holds: undefined, places: [], steps: 0 });
  });
});

it('a fact holds or does not, and no text shows it', () => {
  expect(found(viewOf('a'), { kind: 'exists', field: 'other' })).toEqual({ holds: true, places: [], steps: 0 });
  expect(found(viewOf('a'), { kind: 'recent', milliseconds: 5 })).toEqual({ holds: false, places: [], steps: 0 });
});
