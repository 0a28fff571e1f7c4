import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scanWords } from '../../rules/x/words.ts';
import { DistinctWords } from './distinct-words.ts';
import type { EventView } from './event-view.ts';
import { addText, newViewBuilder, shownAt } from './view-builder.ts';

function viewOf(texts: readonly (readonly [field: string, text: string])[]): EventView {
  const builder = newViewBuilder();
  for (const [field, text] of texts) addText(builder, { scan: scanWords, gap: 1 }, field, text, shownAt('', text));
  const { pieces, words } = builder;
  return {
    id: '1',
    pieces,
    words,
    numbers: [],
    place: undefined,
    publishedAt: undefined,
    *offsetsOf() {},
  } as EventView;
}

function read(view: EventView): { words: DistinctWords; yielded: number[] } {
  const words = new DistinctWords(view);
  return { words, yielded: [...words.readWords()] };
}

const wordAt = ({ pieces, words }: EventView, at: number): string =>
  pieces[words.pieces[at]!]!.text.slice(words.starts[at], words.ends[at]);

describe('the distinct words of an event', () => {
  it('of a long event stand in memory that nobody fills number by number', () => {
    const nextOf = (count: number) => read(viewOf([['text', 'a '.repeat(count)]])).words.next;
    expect(nextOf(16_384)).toBeInstanceOf(Array);
    expect(nextOf(16_385)).toBeInstanceOf(Int32Array);
  });

  it('are in the order of their first places, with the way to every other place', () => {
    const view = viewOf([
      ['text', 'b a b'],
      ['title', 'a'],
      ['text', 'c a'],
    ]);
    const { words } = read(view);
    expect([words.inField('text'), words.inField('title'), words.inField('none')]).toEqual([[0, 1, 4], [3], []]);
    expect([...words.next]).toEqual([2, 5, -1, -1, -1, -1]);
    expect(['a', 'b', 'c', 'd', ''].map((word) => words.firstPlace('text', word))).toEqual([1, 0, 4, -1, -1]);
    expect([words.firstPlace('title', 'a'), words.firstPlace('title', 'b')]).toEqual([3, -1]);
  });

  it('are found as a plain search finds them', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'ab', 'ba', 'größe', 'x1'), { maxLength: 40 })
      .map((all) => all.join(' '));
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom('text', 'title'), text), { maxLength: 5 }), (texts) => {
        const view = viewOf(texts);
        const { words } = read(view);
        const all = Array.from({ length: view.words.count }, (_, at) => ({
          at,
          field: view.pieces[view.words.pieces[at]!]!.field,
          word: wordAt(view, at),
        }));
        for (const { field, word } of all) {
          const places = all.filter((one) => one.field === field && one.word === word).map(({ at }) => at);
          const walked: number[] = [];
          for (let at = words.firstPlace(field, word); at >= 0; at = words.next[at]!) walked.push(at);
          expect(walked).toEqual(places);
        }
      }),
    );
  });

  it('are read in several parts where there are very many, with a word that stands in two of them', () => {
    const many = viewOf([
      ['text', 'a b c'],
      ['text', `${'w '.repeat(20_000)}b`],
    ]);
    const { words, yielded } = read(many);
    expect(yielded.length).toBeGreaterThan(1);
    expect(yielded.reduce((sum, count) => sum + count, 0)).toBe(many.words.count);
    expect([words.inField('text'), words.next[1]]).toEqual([[0, 1, 2, 3], 20_003]);
  });
});
