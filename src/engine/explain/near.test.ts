/** An explanation looks up like words, numbers, and the way back to the payload. */
import { describe, expect, it } from 'vitest';
import { explanationOf } from '../../../test/stages/explaining.ts';
import { languages } from '../../rules/languages.ts';
import type { Query } from '../../rules/query.ts';
import { queryOf } from '../../rules/rule-text.ts';
import { type EventView, isRejection } from '../events/event-view.ts';
import { pageAnalyzer } from '../events/page-event.ts';
import { xAnalyzer } from '../events/x-event.ts';
import { ViewLookup } from '../one-rule/view-lookup.ts';
import { merged } from './highlights.ts';
import { nearTo } from './near.ts';

function titled(title: string, rest: object = {}): EventView {
  const view = pageAnalyzer()({ id: '1', title, ...rest });
  if (isRejection(view)) throw new Error(view.rejected);
  return view;
}

const term = (word: string): Query => ({ kind: 'term', field: 'title', term: word });
const near = (title: string, word: string) => explanationOf(term(word), titled(title), 0).near;

describe('a word that is not there', () => {
  it('is shown with words that begin with it, or that it begins with but for an ending', () => {
    expect(near('Storms and stormy', 'storm')).toEqual(['storms', 'stormy']);
    expect(near('storm', 'storms')).toEqual(['storm']);
    expect(near('storm', "storm's")).toEqual(['storm']);
    expect(near('stor', 'storms')).toEqual(['stor']);
    expect(near('sto', 'storms')).toBeUndefined();
    expect(near('thunderstorm', 'storm')).toBeUndefined();
  });

  it('is shown with three words at most, and with none where it is very short', () => {
    expect(near('stormy storms storm1 storm2', 'storm')).toEqual(['stormy', 'storms', 'storm1']);
    expect(near('abc', 'ab')).toBeUndefined();
    expect(near('abcd', 'abc')).toEqual(['abcd']);
    expect(near('ab', 'abc')).toBeUndefined();
    expect(near('abc', 'abcd')).toEqual(['abc']);
  });

  it('is shown with nothing where it is there', () => {
    expect(explanationOf(term('storm'), titled('storm storms'), 0)).not.toHaveProperty('near');
  });

  it('is looked for in its own field, within a budget that all parts share', () => {
    const view = titled('storms', { added: 'stormy' });
    expect(explanationOf(term('storm'), view, 0).near).toEqual(['storms']);
    const lookup = new ViewLookup(titled('a b stormy storms'), 0);
    const budget = { words: 3 };
    expect(nearTo({ kind: 'term', field: 'title', term: 'storm' }, lookup, budget)).toEqual(['stormy']);
    expect(nearTo({ kind: 'term', field: 'title', term: 'storm' }, lookup, budget)).toEqual([]);
    expect(lookup.steps).toBe(4 + 3);
  });
});

const post = (data: object): EventView => {
  const view = xAnalyzer()({ data: { id: '1', text: '', ...data } });
  if (isRejection(view)) throw new Error(view.rejected);
  return view;
};
const known = languages();
const queryIn = (platform: 'x' | 'firehose', text: string): Query =>
  queryOf(known[platform], { value: text, flags: {} })!;
/** The words or numbers that are near to the one part of a rule that does not hold. */
const nearIn = (platform: 'x' | 'firehose', text: string, view: EventView) => {
  const { of, near: own } = explanationOf(queryIn(platform, text), view, 0);
  return own ?? of.find(({ holds }) => !holds)?.near;
};

describe('what is there in its place', () => {
  it.each<[string, 'x' | 'firehose', EventView, readonly string[]]>([
    ['lava lang:en', 'x', post({ text: 'lava', lang: 'es' }), ['es']],
    ['title:tesla AND language:en', 'firehose', titled('tesla', { language: 'de' }), ['de']],
    ['café', 'x', post({ text: 'a cafe' }), ['cafe']],
    ['cafe', 'x', post({ text: 'un café' }), ['café']],
    ['"lava flow"', 'x', post({ text: 'the lava, then a flow' }), ['lava, then a flow']],
    ['"lava flow"', 'x', post({ text: `flow ${'and '.repeat(30)} lava` }), ['lava', 'flow']],
    ['"lava flow"', 'x', post({ text: 'lava fields' }), ['lava']],
    ['#etna', 'x', post({ text: 'etna' }), ['etna in text']],
    [
      'title:tesla',
      'firehose',
      titled('cars', { diff: { chunks: [{ typ: 'ins', text: 'tesla' }] } }),
      ['tesla in added'],
    ],
  ])('%s (%s)', (text, platform, view, expected) => {
    expect(nearIn(platform, text, view)).toEqual(expected);
  });

  it('is found with as many steps as the phrase has places, within the budget', () => {
    const lookup = new ViewLookup(titled('lava flow '.repeat(500)), 0);
    const budget = { words: 10 };
    nearTo({ kind: 'phrase', field: 'title', terms: ['flow', 'flow', 'lava'], slop: 0 }, lookup, budget);
    expect(budget.words).toBeLessThanOrEqual(0);
  });
});

it('a number that does not fit is shown', () => {
  const query: Query = { kind: 'number', field: 'dr', from: { value: 50, inclusive: true } };
  expect(explanationOf(query, titled('a', { dr: 7 }), 0).near).toEqual(['7']);
  expect(explanationOf(query, titled('a'), 0)).not.toHaveProperty('near');
  expect(explanationOf({ kind: 'exists', field: 'x' }, titled('a', { dr: 7 }), 0)).not.toHaveProperty('near');
});

describe('highlights that touch', () => {
  const at = (field: string, start: number, end: number) => ({ field, start, end });

  it('are one, and those apart stay apart, in the order of fields and places', () => {
    expect(merged([at('b', 0, 1), at('a', 4, 6), at('a', 0, 2), at('a', 2, 3), at('a', 4, 5)])).toEqual([
      at('a', 0, 3),
      at('a', 4, 6),
      at('b', 0, 1),
    ]);
    expect(merged([at('a', 0, 9), at('a', 2, 3), at('a', 5, 12), at('b', 9, 10)])).toEqual([
      at('a', 0, 12),
      at('b', 9, 10),
    ]);
    expect([merged([]), merged([at('a', 1, 2)])]).toEqual([[], [at('a', 1, 2)]]);
  });
});

describe('the way back to the payload', () => {
  it('counts code points in units, with one more for the end', () => {
    const lookup = new ViewLookup(titled('a'), 0);
    const starts = lookup.codePointStarts('a🌋b');
    expect([...starts]).toEqual([0, 1, 3, 4]);
    expect(lookup.codePointStarts('a🌋b')).toBe(lookup.codePointStarts('a🌋b'));
    expect([...lookup.codePointStarts('')]).toEqual([0]);
  });

  it('is worked out ahead for texts of 16,384 characters, and for shorter ones when it is asked for', () => {
    const asked: number[] = [];
    const view: EventView = {
      ...titled('a'),
      pieces: [16_383, 16_384].map((length) => ({ ...titled('a').pieces[0]!, text: 'x'.repeat(length) })),
      *offsetsOf({ text }) {
        asked.push(text.length);
        yield 1;
        return undefined;
      },
    };
    const lookup = new ViewLookup(view, 0);
    expect([[...lookup.prepare()], asked]).toEqual([[1, 1], [16_384]]);
    for (const piece of view.pieces) expect(lookup.sourceOffsets(piece)).toBeUndefined();
    expect(asked).toEqual([16_384, 16_383]);
  });

  it('is worked out in slices for long texts, and counted', () => {
    const text = 'é '.repeat(10_000).normalize('NFD');
    const view = xAnalyzer()({ data: { id: '1', text, entities: {} } });
    if (isRejection(view)) throw new Error(view.rejected);
    const lookup = new ViewLookup(view, 0);
    for (const _ of lookup.prepare());
    expect([lookup.steps, lookup.limit]).toEqual([view.words.count, Number.POSITIVE_INFINITY]);
    const offsets = lookup.sourceOffsets(view.pieces[0]!);
    expect([offsets![0], offsets![2], offsets!.at(-1)]).toEqual([0, 3, text.length]);
    expect([...lookup.prepare()]).toEqual([]);
  });
});
