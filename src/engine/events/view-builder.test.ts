/** A view in the making: pieces, words and positions, cut at once or in slices. */
import { describe, expect, it } from 'vitest';
import { scanWords } from '../../rules/x/words.ts';
import {
  addText,
  addValue,
  clear,
  cutLater,
  listWithin,
  newViewBuilder,
  shownAt,
  type TextKind,
  type ViewBuilder,
} from './view-builder.ts';

const KIND: TextKind = { scan: scanWords, gap: 10 };
const SKIPPING: TextKind = { ...KIND, isSkipped: (text, start, end) => text.slice(start, end) === 'the' };

/** The words with their pieces and positions. */
const wordsOf = ({ words, pieces }: ViewBuilder): string[] =>
  Array.from({ length: words.count }, (_, at) => {
    const piece = words.pieces[at]!;
    return `${pieces[piece]!.text.slice(words.starts[at], words.ends[at])} ${piece} ${words.positions[at]}`;
  });

function fill(builder: ViewBuilder): void {
  addText(builder, KIND, 'text', 'a b', shownAt('data.text', 'A B'));
  addText(builder, SKIPPING, 'added', 'the c the d', shownAt('added', 'the C the D'));
  addValue(builder, 'tag', 'two words', shownAt('tag', 'Two Words'));
  addText(builder, KIND, 'text', '', shownAt('x', ''));
  addText(builder, KIND, 'text', 'e', shownAt('x', 'e'));
}

const EXPECTED = ['a 0 0', 'b 0 1', 'c 1 13', 'd 1 15', 'two words 2 26', 'e 4 37'];

describe('a view in the making', () => {
  it('has its words at positions that run on, with gaps behind texts and holes where words are left out', () => {
    const builder = newViewBuilder();
    fill(builder);
    expect(wordsOf(builder)).toEqual(EXPECTED);
    expect(builder.pieces[1]).toEqual({
      field: 'added',
      text: 'the c the d',
      path: 'added',
      source: 'the C the D',
      span: undefined,
    });
    expect(builder.problem).toBeUndefined();
  });

  it('is the same when its words are cut later, which it yields the characters of', () => {
    const builder = newViewBuilder([]);
    fill(builder);
    expect(builder.words.count).toBe(0);
    const read = [...cutLater(builder)];
    expect(wordsOf(builder)).toEqual(EXPECTED);
    expect(read).toEqual([3, 11, 1, 1]);
    expect([...cutLater(newViewBuilder())]).toEqual([]);
  });

  it('is cut in slices of 32 KiB, with every word whole', () => {
    const text = 'storm '.repeat(20_000);
    const [atOnce, later] = [newViewBuilder(), newViewBuilder([])];
    for (const builder of [atOnce, later]) addText(builder, SKIPPING, 'text', text, shownAt('', text));
    const read = [...cutLater(later)];
    expect(read.reduce((sum, units) => sum + units, 0)).toBe(text.length);
    expect(read.length).toBe(Math.ceil(text.length / (32 * 1024)));
    expect(wordsOf(later)).toEqual(wordsOf(atOnce));
    expect(later.position).toBe(atOnce.position);
  });

  it('has room for more words than it began with', () => {
    const builder = newViewBuilder();
    const text = Array.from({ length: 10_000 }, (_, index) => `w${index}`).join(' ');
    addText(builder, KIND, 'text', text, shownAt('', text));
    for (let value = 0; value < 10_000; value++) addValue(builder, 'tag', `t${value}`, shownAt('', ''));
    const words = wordsOf(builder);
    expect([words.length, words[9_999], words[10_000], words.at(-1)]).toEqual([
      20_000,
      'w9999 0 9999',
      't0 1 10010',
      't9999 10000 20009',
    ]);
  });

  it('begins anew when it is cleared', () => {
    const builder = newViewBuilder();
    fill(builder);
    const { pieces } = builder;
    builder.problem = 'too long';
    clear(builder);
    expect([builder.pieces, builder.words.count, builder.position, builder.problem]).toEqual([[], 0, 0, undefined]);
    expect(pieces).toHaveLength(5);
    fill(builder);
    expect(wordsOf(builder)).toEqual(EXPECTED);
  });

  it('remembers the first value that is too long, by its path, or by its field where no string shows all of it', () => {
    const long = 'x'.repeat(2_000);
    const problemOf = (shown: Parameters<typeof addValue>[3]) => {
      const builder = newViewBuilder();
      addValue(builder, 'tag', long, shown);
      addValue(builder, 'lang', long, shownAt('later', long));
      return builder.problem;
    };
    const words = (path: string) => `\`${path}\` has 2000 characters, and 1024 are the most`;
    expect(problemOf(shownAt('data.tag', long))).toBe(words('data.tag'));
    expect(problemOf(shownAt('', ''))).toBe(words('tag'));
    expect(problemOf({ path: 'data.text', source: long, span: { start: 0, end: 1 } })).toBe(words('tag'));
  });

  it('reads nothing of a list that is too long, and keeps the first problem', () => {
    const builder = newViewBuilder();
    const list = Array.from({ length: 65 }, () => 'a');
    expect(listWithin(builder, 'keys', list.slice(1), 'data.keys')).toHaveLength(64);
    expect(builder.problem).toBeUndefined();
    expect(listWithin(builder, 'keys', list, 'data.keys')).toEqual([]);
    expect(listWithin(builder, 'others', list, 'data.others')).toEqual([]);
    expect(builder.problem).toBe('`data.keys` has 65 entries, and 64 are the most');
    expect(listWithin(builder, 'keys', 'no list', 'data.keys')).toEqual([]);
  });
});
