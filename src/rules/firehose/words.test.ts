import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANY_CHARACTER } from '../../../test/generated/any-character.ts';
import { newWordSpans } from '../words.ts';
import { fold, isStopWord, scanWords } from './words.ts';

function words(text: string): string[] {
  const spans = newWordSpans(1);
  scanWords(text, spans);
  return Array.from({ length: spans.count }, (_, index) => text.slice(spans.starts[index], spans.ends[index]));
}

describe('words', () => {
  it.each([
    ['AT&T R&D Q&A', 'at t r d q a'],
    ['wi-fi some-dashed-phrase', 'wi fi some dashed phrase'],
    ['C++ C# .NET', 'c c net'],
    ['node.js example.com U.S.A.', 'node.js example.com u.s.a'],
    ["O'Reilly's don’t", "o'reilly's don’t"],
    ['3.14 1,000 v2.0 1.a', '3.14 1,000 v2.0 1 a'],
    ['12:30 A:B A::B', '12 30 a:b a b'],
    ['user@example.com', 'user example.com'],
    ['foo_bar _x_ ___', 'foo_bar _x_'],
    ['#tag @name $100 50%', 'tag name 100 50'],
    ['2026-02-13T08:06:32Z', '2026 02 13t08 06 32z'],
    ['中国经济', '中 国 经 济'],
    ['ひらがな', 'ひ ら が な'],
    ['カタカナ', 'カタカナ'],
    ['한국어', '한국어'],
    ['ภาษาไทย', 'ภาษาไทย'],
    ['hello👍', 'hello 👍'],
    ['👨‍👩‍👧👍🏽 🇩🇪🇫🇷', '👨‍👩‍👧 👍🏽 🇩🇪 🇫🇷'],
    ['1️⃣ #️⃣ # ❤️', '1️⃣ #️⃣ ❤️'],
    ['צה"ל ג\' x', 'צה"ל ג\' x'],
    ['end. Next, (word)', 'end next word'],
    ['a\u0301bc \u0301 x', 'a\u0301bc x'],
    ['𝐀𝐁 𠀀𠀁', '𝐀𝐁 𠀀 𠀁'],
    ['\ud83d x \udc4d', 'x'],
    ['', ''],
  ])('of %j', (text, expected) => {
    expect(words(fold(text)).join(' ')).toBe(expected);
  });

  it('are cut into pieces of 255', () => {
    expect(words('a'.repeat(600)).map((word) => word.length)).toEqual([255, 255, 90]);
    expect(words('ä'.repeat(300)).map((word) => word.length)).toEqual([255, 45]);
    expect(words('𝐀'.repeat(200)).map((word) => word.length)).toEqual([254, 146]);
  });

  it('stand in order, apart, and hold no white space', () => {
    fc.assert(
      fc.property(fc.string({ unit: ANY_CHARACTER, maxLength: 60 }), (text) => {
        const spans = newWordSpans(1);
        scanWords(text, spans);
        let last = 0;
        for (let index = 0; index < spans.count; index++) {
          expect(spans.starts[index]).toBeGreaterThanOrEqual(last);
          expect(spans.ends[index]).toBeGreaterThan(spans.starts[index]!);
          last = spans.ends[index]!;
        }
        expect(last).toBeLessThanOrEqual(text.length);
        expect(words(text).join('')).not.toMatch(/[ \n\r\t]/);
      }),
    );
  });

  it('are the same alone as in a text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), (text) => {
        for (const word of words(text)) expect(words(word)).toEqual([word]);
      }),
    );
  });
});

describe('folding', () => {
  it.each([
    ['ΟΔΟΣ', 'οδοσ'],
    ['İstanbul', 'istanbul'],
    ['Straße', 'straße'],
    ['ＡＢ𐐀', 'ａｂ𐐨'],
  ])('%s is %s', (text, expected) => {
    expect(fold(text)).toBe(expected);
  });

  it('keeps the length', () => {
    fc.assert(
      fc.property(fc.string({ unit: ANY_CHARACTER }), (text) => {
        expect(fold(text)).toHaveLength(text.length);
      }),
    );
  });
});

it('knows the 33 stop words', () => {
  const some = ['a', 'and', 'the', 'their', 'these', 'with', 'you', 'there', 'he', 'thé', 'thesis', ''];
  expect(some.filter((word) => isStopWord(word, 0, word.length))).toEqual([
    'a',
    'and',
    'the',
    'their',
    'these',
    'with',
    'there',
  ]);
});
