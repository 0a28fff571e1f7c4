/** The tables by which the core folds and cuts, against the code that they are made from. */
import { describe, expect, it } from 'vitest';
import { SECOND_LEVEL } from '../../base/domains.ts';
import { fold as foldPage, STOP_WORDS } from '../../rules/firehose/words.ts';
import { isTagCharacter, isTagLetter } from '../../rules/x/lexer.ts';
import { fold as foldPost } from '../../rules/x/words.ts';
import { characterTables } from './character-tables.ts';
import { pageTables } from './page-tables.ts';

const [LEFT_OUT, ODD, IN_TAG, TAG_LETTER, SPECIAL] = [7, 8, 16, 32, 64];
const END = 0x20000;
const PLANE = 0x10000;

const codesWhere = (fits: (code: number) => boolean, end = END): number[] => {
  const found: number[] = [];
  for (let code = 0; code < end; code++) if (fits(code)) found.push(code);
  return found;
};

describe('the tables for posts', () => {
  const { lower, kinds, ranks } = characterTables.get();
  const isOdd = (code: number): boolean => (kinds[code]! & ODD) !== 0;

  it('fold every character that is not odd as the analyzer does, by itself', () => {
    const wrong = codesWhere((code) => {
      const folded = foldPost(String.fromCodePoint(code));
      if (isOdd(code) || code === 0xfe0e || code === 0xfe0f) return false;
      return folded !== (code < PLANE ? String.fromCharCode(lower[code]!) : String.fromCodePoint(code));
    });
    expect(wrong).toEqual([]);
  });

  it.each<[string, string, boolean]>([
    ['ASCII', 'aZ~', false],
    ['letters with accents of their own', 'àßłÀ', false],
    ['a letter that lower case makes longer', 'İ', true],
    ['sigmas, one of which stands at the ends of words', 'Σσς', false],
    ['marks that melt into the letter before them', '\u0300\u0301\u0345\u093c\u3099', true],
    ['marks that do not', '\u0316\u0334\u20d0\u0488\ufb1e', false],
    ['vowels and finals of Hangul', '\u1160\u11ff', true],
    ['their neighbours', '\u115f\u1200\u1100\uac00', false],
    ['halves of surrogate pairs', '\udfff\ud800', true],
    ['their neighbours', '\ud7ff\ue000', false],
    ['signs that normal form replaces', '\u0387', true],
    ['letters of the second plane that have lower case', '\u{10400}', true],
    ['those that are it', '\u{10428}\u{1f600}', false],
    ['marks of the second plane', '\u{11100}\u{1d165}', true],
    ['signs of it that normal form takes apart', '\u{1d15e}', true],
  ])('take for odd, or not: %s', (_, characters, odd) => {
    for (const character of characters) expect([character, isOdd(character.codePointAt(0)!)]).toEqual([character, odd]);
  });

  it('say what belongs to a tag, what is left out, and where the short way ends', () => {
    const plain = (code: number) => code !== 0xfe0e && code !== 0xfe0f;
    expect(codesWhere((code) => plain(code) && ((kinds[code]! & IN_TAG) !== 0) !== isTagCharacter(code))).toEqual([]);
    expect(codesWhere((code) => plain(code) && ((kinds[code]! & TAG_LETTER) !== 0) !== isTagLetter(code))).toEqual([]);
    expect(codesWhere((code) => (kinds[code]! & 7) === LEFT_OUT)).toEqual([0xfe0e, 0xfe0f]);
    expect([kinds[0xfe0e], kinds[0xfe0f]]).toEqual(Array<number>(2).fill(LEFT_OUT | IN_TAG | TAG_LETTER));
    const special = [...codesWhere((code) => code < 0x20, 0x20), ...Buffer.from('"\\&.$#@')];
    expect(codesWhere((code) => (kinds[code]! & SPECIAL) !== 0)).toEqual(special.toSorted((one, two) => one - two));
  });

  it('rank marks in the order in which normal form puts them', () => {
    const first = new Map<number, string>();
    for (const code of codesWhere((one) => ranks[one]! > 0, PLANE)) {
      const mark = String.fromCharCode(code);
      const known = first.get(ranks[code]!);
      if (known === undefined) first.set(ranks[code]!, mark);
      // Marks of one rank stay as they stand.
      expect(`a${mark}${known ?? ''}`.normalize('NFD')).toBe(`a${mark}${known ?? ''}`);
    }
    const ordered = [...first].toSorted(([one], [two]) => one - two).map(([, mark]) => mark);
    expect(ordered.length).toBeGreaterThan(30);
    expect(`a${ordered.toReversed().join('')}`.normalize('NFD')).toBe(`a${ordered.join('')}`);
    expect([ranks[0x334], ranks[0x488], ranks[0x903], ranks[0x61], ranks[0x301]]).toEqual([1, 0, 0, 0, 0]);
    expect(codesWhere((code) => ranks[code]! > 0 && isOdd(code), PLANE)).toEqual([]);
  });
});

describe('the tables for pages', () => {
  const { lower, kinds, stopWords, secondLevels } = pageTables.get();

  it('fold every character as the analyzer does, and take for odd what has lower case beyond the first plane', () => {
    const wrong = codesWhere((code) => {
      const folded = foldPage(String.fromCodePoint(code));
      if (code >= PLANE) return (folded !== String.fromCodePoint(code)) !== ((kinds[code]! & 128) !== 0);
      return folded.charCodeAt(0) !== lower[code];
    });
    expect(wrong).toEqual([]);
  });

  it.each<[string, Uint8Array, Iterable<string>]>([
    ['stop words', stopWords, STOP_WORDS],
    ['second levels', secondLevels, SECOND_LEVEL],
  ])('hold all %s, each where its product says, and nothing else', (_, table, words) => {
    const [factor, ...places] = new BigUint64Array(table.buffer);
    const packed = Array.from(words, (word) => Buffer.from(word.padEnd(8, '\0')).readBigUInt64LE());
    expect(places).toHaveLength(256);
    expect(places.filter((word) => word !== 0n)).toHaveLength(packed.length);
    for (const word of packed) expect(places[Number(BigInt.asUintN(64, word * factor!) >> 56n)]).toBe(word);
  });
});
