/** Highlights as places in the payload's own strings, how many there are, and labels with bounds. */
import { describe, expect, it } from 'vitest';
import { textEvent } from '../../../test/generated/hard-matching.ts';
import { explanationOf, highlightsOf } from '../../../test/stages/explaining.ts';
import { all, any, not, type Query } from '../../rules/query.ts';
import type { EventView, Piece } from '../events/event-view.ts';
import { ViewLookup } from '../one-rule/view-lookup.ts';
import { explain, labelOf } from './explain.ts';
import { highlights, inPayload } from './highlights.ts';

const word = (term: string): Query => ({ kind: 'term', field: 'text', term });
const wildcard = (pattern: string): Query => ({ kind: 'wildcard', field: 'text', pattern });

/** The places of one span of a piece. */
function placesOf(rest: Partial<Piece>, span: [number, number], offsets?: number[]) {
  const piece: Piece = { field: 'text', text: 'abcd', path: 'data.text', source: 'abcd', span: undefined, ...rest };
  const view: EventView = {
    ...textEvent('abcd'),
    *offsetsOf() {
      yield 4;
      return offsets && Int32Array.from(offsets);
    },
  };
  const [start, end] = span;
  return inPayload([{ piece, start, end }], new ViewLookup(view, 0)).map((one) => [one.field, one.start, one.end]);
}

describe('a span of a piece in the payload', () => {
  it('is where it is when the offsets agree, and nowhere when no string shows it', () => {
    expect(placesOf({}, [1, 3])).toEqual([['data.text', 1, 3]]);
    expect(placesOf({ path: '' }, [1, 3])).toEqual([]);
    expect(placesOf({}, [2, 2])).toEqual([]);
  });

  it('comes from where its characters came from, up to the place of the next', () => {
    const offsets = [0, 5, 5, 5, 9];
    expect(placesOf({}, [0, 1], offsets)).toEqual([['data.text', 0, 5]]);
    expect(placesOf({}, [0, 2], offsets)).toEqual([['data.text', 0, 9]]);
    expect(placesOf({}, [2, 3], offsets)).toEqual([['data.text', 5, 9]]);
    expect(placesOf({}, [1, 4], offsets)).toEqual([['data.text', 5, 9]]);
    expect(placesOf({}, [0, 4], [0, 1, 2, 2, 2])).toEqual([['data.text', 0, 2]]);
  });

  it('is the span that the sender gave in code points, within the string', () => {
    const source = '🌋 #Etna';
    const given = (start: number, end: number) => placesOf({ source, span: { start, end } }, [0, 4]);
    expect(given(2, 7)).toEqual([['data.text', 3, 8]]);
    expect(given(0, 1)).toEqual([['data.text', 0, 2]]);
    expect(given(-5, 99)).toEqual([['data.text', 0, 8]]);
    expect(given(2.9, 3.9)).toEqual([['data.text', 3, 4]]);
    expect([given(4, 4), given(5, 2), given(50, 60)]).toEqual([[], [], []]);
  });
});

describe('the highlights of a match', () => {
  it('leave no limit to what is looked up next', () => {
    const lookup = new ViewLookup(textEvent('a b'), 0);
    highlights(word('a'), lookup);
    expect([lookup.limit, lookup.steps]).toEqual([Number.POSITIVE_INFINITY, 2 + 2]);
  });

  it('are those of the parts that hold: an all needs every part, an any takes each that does', () => {
    const view = textEvent('a b c');
    const starts = (query: Query) => highlightsOf(query, view, 0).map(({ start }) => start);
    expect(starts(all([any([word('z'), word('a')]), word('c')]))).toEqual([0, 4]);
    expect(starts(any([word('z'), all([word('a'), word('z')])]))).toEqual([]);
    expect(starts(any([all([word('a'), { kind: 'everything' }]), { kind: 'nothing' }]))).toEqual([0]);
    expect(starts(all([word('a'), { kind: 'nothing' }]))).toEqual([]);
    expect(starts(all([word('b'), not(all([word('a'), word('z')]))]))).toEqual([2]);
    expect(starts(all([word('b'), not(all([word('a'), word('c')]))]))).toEqual([]);
  });

  it('show what is certain beside an exclusion that the steps did not suffice for', () => {
    // A word of 800 characters takes 101 steps: two patterns take more than the 100,000 of one match.
    const view = textEvent(`b a ${Array.from({ length: 500 }, (_, index) => `${index}x`.padEnd(800, 'x')).join(' ')}`);
    const prefix = (text: string): Query => ({ kind: 'prefix', field: 'text', prefix: text });
    const starts = (query: Query) => highlightsOf(query, view, 0).map(({ start }) => start);
    const undecided = any([prefix('y'), prefix('z')]);
    expect(starts(all([word('a'), not(undecided)]))).toEqual([2]);
    expect(starts(any([word('b'), all([word('a'), not(undecided)])]))).toEqual([0]);
    expect(starts(any([word('b'), all([word('a'), not(prefix('y'))])]))).toEqual([0, 2]);
  });
});

describe('an explanation', () => {
  it('lists 200 places of a part and 1,000 in all, and then one for each part that holds', () => {
    const view = textEvent('a b c d e f g '.repeat(250));
    const parts = ['a', 'b', 'c', 'd', 'e', 'f', 'z', 'g'].map(word);
    const { of } = explanationOf(any(parts), view, 0);
    expect(of.map((part) => part.highlights.length)).toEqual([200, 200, 200, 200, 200, 1, 0, 1]);
    expect(of.map(({ holds }) => holds)).toEqual([true, true, true, true, true, true, false, true]);
  });

  it('leaves no limit of steps behind', () => {
    const lookup = new ViewLookup(textEvent('a b c'), 0);
    const parts = [word('a'), not(wildcard('*z')), { kind: 'everything' as const }];
    const explanation = explain({ kind: 'all', of: parts }, lookup);
    expect(explanation).toMatchObject({ holds: true, of: [{ holds: true }, { holds: true }, { holds: true, of: [] }] });
    expect(lookup.limit).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('a label', () => {
  const range = (from?: [string, boolean], to?: [string, boolean]): string =>
    labelOf({
      kind: 'range',
      field: 'f',
      ...(from && { from: { value: from[0], inclusive: from[1] } }),
      ...(to && { to: { value: to[0], inclusive: to[1] } }),
    });

  it('says whether bounds belong to what lies between them', () => {
    expect(range(['a', true], ['b', true])).toBe('f has a word from "a" up to "b"');
    expect(range(['a', false], ['b', false])).toBe('f has a word above "a" below "b"');
    expect([range(['a', false]), range(undefined, ['b', true])]).toEqual([
      'f has a word above "a"',
      'f has a word up to "b"',
    ]);
  });

  it('of a number says what it may be as a person would', () => {
    const number = (from?: [number, boolean], to?: [number, boolean]): string =>
      labelOf({
        kind: 'number',
        field: 'dr',
        ...(from && { from: { value: from[0], inclusive: from[1] } }),
        ...(to && { to: { value: to[0], inclusive: to[1] } }),
      });
    expect([number([70, true]), number([70, false]), number(undefined, [9, true])]).toEqual([
      'dr is 70 or more',
      'dr is more than 70',
      'dr is 9 or less',
    ]);
    expect([number([5, true], [9, false]), number([7, true], [7, true]), number()]).toEqual([
      'dr is 5 or more and less than 9',
      'dr is 7',
      'dr is of any value',
    ]);
  });

  it('of a phrase says how far apart its words may be, unless they must be neighbours', () => {
    expect(labelOf({ kind: 'phrase', field: 'f', terms: ['a', 'b'], slop: 0 })).toBe('f has "a b"');
    expect(labelOf({ kind: 'regex', field: 'f', pattern: '"\\d' })).toBe('f has a word like /\\"\\\\d/');
  });
});
