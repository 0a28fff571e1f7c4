import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fallbacksOf, textFinder, textsFinder } from './text-finder.ts';

it('knows how much of a phrase may begin inside of it, so that no place is passed over', () => {
  expect([...fallbacksOf(Int32Array.of(1, 2, 1, 2, 3))]).toEqual([0, 0, 1, 2, 0]);
  expect([...fallbacksOf(Int32Array.of(1, 1, 1, 2, 1, 1))]).toEqual([0, 1, 2, 0, 1, 2]);
  expect([...fallbacksOf(Int32Array.of(2, 1, 2, 2, 1, 2, 1))]).toEqual([0, 0, 1, 1, 2, 3, 2]);
});

/** Few letters and a long text, so that it stands in itself. */
const few = (longest: number) => fc.string({ unit: fc.constantFrom('a', 'b', 'é'), maxLength: longest, size: 'max' });

function places(text: string, wanted: string, most = Infinity): number[] {
  const found: number[] = [];
  textFinder(wanted).each(text, (start) => found.push(start) < most);
  return found;
}

describe('a finder', () => {
  it('finds the first place that indexOf finds, of short texts and of long ones', () => {
    fc.assert(
      fc.property(few(900), few(12), fc.nat(400), (text, word, times) => {
        for (const wanted of [word, word.repeat(times), text.slice(times), text.slice(3, times)]) {
          expect(textFinder(wanted).indexIn(text)).toBe(text.indexOf(wanted));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('finds every place, also where one begins in another', () => {
    fc.assert(
      fc.property(few(300), few(4), (text, wanted) => {
        const expected = Array.from(text, (_, at) => at).filter((at) => wanted !== '' && text.startsWith(wanted, at));
        expect(places(text, wanted)).toEqual(expected);
      }),
    );
    expect(places('a'.repeat(1_000), 'a'.repeat(998))).toEqual([0, 1, 2]);
  });

  it('stops when it is told to', () => {
    expect(places('aaaa', 'a', 2)).toEqual([0, 1]);
  });

  it('finds an empty text at the beginning, and at no place of its own', () => {
    expect([textFinder('').indexIn('ab'), places('ab', '')]).toEqual([0, []]);
  });
});

describe('a finder of many texts', () => {
  it('finds those that are in a text, also where one is in another', () => {
    fc.assert(
      fc.property(few(60), fc.array(few(6), { maxLength: 12 }), fc.nat(60), (text, words, from) => {
        const wanted = [...words, text.slice(from), text.slice(from, from + 3)].filter((one) => one !== '');
        expect(textsFinder(wanted)(text)).toEqual(new Set(wanted.filter((one) => text.includes(one))));
      }),
      { numRuns: 1_000 },
    );
  });

  it('finds nothing where nothing is wanted', () => expect(textsFinder([])('a').size).toBe(0));
});
