import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ALWAYS, Dictionary, FIRST_TERM, pairOf, unitAt, unitsOf } from './dictionary.ts';
import { Fields, type TermField } from './field.ts';
import { newWordKey, readKey } from './word-key.ts';

function find(dictionary: Dictionary, field: TermField, text: string): number {
  const key = newWordKey();
  readKey(key, `<${text}>`, 1, 1 + text.length, field);
  return dictionary.find(key, field, `<${text}>`, 1, 1 + text.length);
}

const WORDS = [
  'a',
  'ab',
  'storm',
  'eightcha',
  'ninechars',
  'größer',
  'größere',
  '\0',
  'a\0',
  '火山',
  'x'.repeat(3_000),
];

describe('the dictionary', () => {
  it('finds each word in its field alone, under one term for all its uses', () => {
    const dictionary = new Dictionary();
    const fields = new Fields(7);
    const [text, title] = [fields.use('text'), fields.use('title')];
    const terms = WORDS.map((word) => dictionary.use(text, word));
    expect(new Set(terms).size).toBe(WORDS.length);
    expect(Math.min(...terms)).toBe(FIRST_TERM);
    for (const [index, word] of WORDS.entries()) {
      const term = terms[index]!;
      expect([find(dictionary, text, word), find(dictionary, title, word)]).toEqual([term, -1]);
      expect(dictionary.use(text, word)).toBe(term);
      expect([dictionary.textOf(term), dictionary.lengthOf(term), dictionary.fieldOf(term)]).toEqual([
        word,
        word.length,
        text.number,
      ]);
    }
    const other = dictionary.use(title, 'storm');
    expect([find(dictionary, title, 'storm'), find(dictionary, text, 'storm')]).toEqual([other, terms[2]]);
    expect([dictionary.size, dictionary.end]).toEqual([WORDS.length + 1, FIRST_TERM + WORDS.length + 1]);
  });

  it('forgets a word with its last use, whether or not it was met lately', () => {
    const dictionary = new Dictionary();
    const field = new Fields(7).use('text');
    for (const word of WORDS) {
      expect(find(dictionary, field, word)).toBe(-1);
      const term = dictionary.use(field, word);
      dictionary.use(field, word);
      expect(find(dictionary, field, word)).toBe(term);
      dictionary.release(term);
      expect(find(dictionary, field, word)).toBe(term);
      dictionary.release(term);
      expect(find(dictionary, field, word)).toBe(-1);
    }
    expect([dictionary.size, dictionary.used]).toEqual([0, 0]);
  });

  it('tells the postings of the word that it found, also after they have changed', () => {
    const dictionary = new Dictionary();
    const field = new Fields(7).use('text');
    for (const word of WORDS) {
      const term = dictionary.use(field, word);
      find(dictionary, field, word);
      expect(dictionary.foundPostings).toBe(0);
      dictionary.setPostings(term, 77);
      for (let time = 0; time < 2; time++) {
        find(dictionary, field, word);
        expect([dictionary.foundPostings, dictionary.postings(term)]).toEqual([77, 77]);
      }
      find(dictionary, field, 'absent');
      expect(dictionary.foundPostings).toBe(0);
    }
  });

  it('agrees with a map over thousands of words that come and go', () => {
    const field = new Fields(7).use('text');
    fc.assert(
      fc.property(
        fc.array(fc.record({ word: fc.nat(3_000), adds: fc.integer({ min: 0, max: 2 }) }), { maxLength: 4_000 }),
        (steps) => {
          const dictionary = new Dictionary();
          const uses = new Map<string, number[]>();
          for (const { word, adds } of steps) {
            const text = `${word % 3 === 0 ? 'a-longer-word-' : 'w'}${word}`;
            const mine = uses.get(text) ?? [];
            if (adds > 0 || mine.length === 0) mine.push(dictionary.use(field, text));
            else dictionary.release(mine.pop()!);
            uses.set(text, mine);
          }
          for (const [text, [term = -1]] of uses) expect(find(dictionary, field, text)).toBe(term);
          expect(dictionary.size).toBe([...uses.values()].filter((mine) => mine.length > 0).length);
        },
      ),
      { numRuns: 15 },
    );
  });

  it('loses no word when thousands of others go, in any order, and finds none of those', () => {
    const dictionary = new Dictionary();
    const field = new Fields(7).use('text');
    const words = Array.from({ length: 4_000 }, (_, index) => `${index % 5 === 0 ? 'a-longer-word-' : 'w'}${index}`);
    const terms = new Map(words.map((word) => [word, dictionary.use(field, word)]));
    // Every word has a turn, in an order that has nothing to do with their own.
    const turns = words.map((_, turn) => words[(turn * 1_777) % words.length]!);
    const wrong = () => words.filter((word) => find(dictionary, field, word) !== (terms.get(word) ?? -1));
    for (const [turn, word] of turns.entries()) {
      if (turn % 4 === 3) continue;
      dictionary.release(terms.get(word)!);
      terms.delete(word);
      if (turn % 500 === 0) expect(wrong()).toEqual([]);
    }
    expect([wrong(), dictionary.size]).toEqual([[], 1_000]);
    for (const word of words) if (!terms.has(word)) terms.set(word, dictionary.use(field, word));
    expect([wrong(), dictionary.size, new Set(terms.values()).size]).toEqual([[], 4_000, 4_000]);
    expect(words.filter((word) => dictionary.textOf(terms.get(word)!) !== word)).toEqual([]);
    for (const term of terms.values()) dictionary.release(term);
    expect([dictionary.size, dictionary.used, dictionary.end]).toEqual([0, 0, FIRST_TERM]);
  });

  it('takes memory in proportion to its words', () => {
    const dictionary = new Dictionary();
    const field = new Fields(7).use('text');
    const empty = dictionary.bytes;
    // 256 segments of 8 slots, and 16,384 hot words of 4 integers; then a page of 4,096 rows and a chunk of records.
    expect(empty).toBe((256 * 8 + 16_384 * 4) * 4);
    dictionary.use(field, 'first');
    expect(dictionary.bytes - empty).toBe((4_096 * 4 + (1 << 15)) * 4);
    for (let word = 0; word < 20_000; word++) dictionary.use(field, `w${word}`);
    // A slot is at most half full and at least a quarter; a row has 16 bytes, a record at most 28.
    expect(dictionary.bytes - empty).toBeGreaterThan(20_000 * (8 + 16 + 20));
    expect(dictionary.bytes - empty).toBeLessThan(20_000 * (20 + 20 + 60));
  });
});

describe('a pair of neighbours', () => {
  it('has a number below those of words, by the order of the two, spread evenly', () => {
    const pairs = Array.from({ length: 2_000 }, (_, index) => pairOf(FIRST_TERM + index, FIRST_TERM + 2 * index + 1));
    expect(pairs.every((pair) => pair >= ALWAYS && pair < FIRST_TERM)).toBe(true);
    expect(new Set(pairs).size).toBeGreaterThan(1_600);
    expect(pairOf(9_000, 9_001)).not.toBe(pairOf(9_001, 9_000));
  });
});

describe('characters, two to an integer', () => {
  it.each(['', 'a', 'ab', 'größe', '\uffff\u0001\uffff'])('are those of %j', (text) => {
    const { length, packed } = unitsOf(text);
    expect([length, packed.length]).toEqual([text.length, Math.ceil(text.length / 2)]);
    const units = Array.from({ length }, (_, unit) => unitAt(packed, 0, unit));
    expect(String.fromCharCode(...units)).toBe(text);
  });
});
