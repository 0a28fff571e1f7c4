import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANY_CHARACTER } from '../../../test/generated/any-character.ts';
import { anyMarked } from '../../../test/generated/marks.ts';
import { newWordSpans } from '../words.ts';
import { fold, scanWholeRuns, scanWords, wordsOf } from './words.ts';

describe('the words of a post', () => {
  it.each([
    ['I like coca-cola!', 'I like coca cola'],
    ["Check gnip's #docs @gnip $x", 'Check gnip s docs gnip x'],
    ['call_me covid19 2024', 'call me covid19 2024'],
    ['Diacrítica e\u0301te\u0301', 'Diacrítica e\u0301te\u0301'],
    ['https://en.wikipedia.org/wiki/Snow', 'https en wikipedia org wiki Snow'],
    ['Iceland🌋wow', 'Iceland 🌋 wow'],
    ['👩‍🚀👍🏿🇮🇸🇳🇴', '👩‍🚀 👍🏿 🇮🇸 🇳🇴'],
    ['1️⃣ 15️⃣ #⃣', '1️⃣ 1 5️⃣ #⃣'],
    ['☀️☀', '☀️ ☀'],
    ['🏴󠁧󠁢󠁥󠁮󠁧󠁿!', '🏴󠁧󠁢󠁥󠁮󠁧󠁿'],
    ['brand© name™', 'brand name'],
    ['火山が噴火', '火 山 が 噴 火'],
    ['iPhone發表', 'iPhone 發 表'],
    ['ผู้ไป', 'ผู้ ไ ป'],
    ['트위터 한국말', '트위터 한국말'],
    ['Приве́т мир', 'Приве́т мир'],
    ['𝐁𝐨𝐥𝐝x', '𝐁𝐨𝐥𝐝x'],
    ['\ud800a\udc00b\0c', 'a b c'],
    ['', ''],
  ])('of %j are %j', (text, expected) => {
    expect(wordsOf(text).join(' ')).toBe(expected);
  });

  it('are whole runs where that is asked for', () => {
    expect(wordsOf('火山が噴火 now', scanWholeRuns)).toEqual(['火山が噴火', 'now']);
  });

  it('are added behind those that are there', () => {
    const spans = newWordSpans(1);
    scanWords('one two', spans);
    scanWords('1⃣', spans);
    expect([spans.count, spans.starts[2], spans.ends[2]]).toEqual([3, 0, 2]);
  });

  it('stand in order, apart and inside any text whatever', () => {
    fc.assert(
      fc.property(fc.string({ unit: ANY_CHARACTER, maxLength: 40 }), (text) => {
        const spans = newWordSpans();
        scanWords(text, spans);
        let before = 0;
        for (let index = 0; index < spans.count; index++) {
          expect(spans.starts[index]).toBeGreaterThanOrEqual(before);
          expect(spans.ends[index]).toBeGreaterThan(spans.starts[index]!);
          before = spans.ends[index]!;
        }
        expect(before).toBeLessThanOrEqual(text.length);
      }),
    );
  });
});

describe('folding', () => {
  it.each([
    ['CAFÉ', 'café'],
    ['Cafe\u0301', 'café'],
    ['☀\ufe0f', '☀'],
    ['İ', 'i\u0307'],
    ['J\u030c', '\u01f0'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['οδος', 'οδοσ'],
    ['ΟΔΟΣ.Α', 'οδοσ.α'],
  ])('%j gives %j', (text, expected) => {
    expect(fold(text)).toBe(expected);
  });

  it.each([
    ['any text', fc.string({ unit: ANY_CHARACTER })],
    ['letters with very many marks', anyMarked(80)],
  ])('changes nothing of %s the second time', (_, texts) => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(fold(fold(text))).toBe(fold(text));
      }),
    );
  });
});

describe('fold', () => {
  it('gives the normal form of any two characters side by side, also where it takes the short way', () => {
    const slow = (text: string) =>
      text
        .replaceAll(/[\ufe0e\ufe0f]/g, '')
        .toLowerCase()
        .replaceAll('ς', 'σ')
        .normalize('NFC');
    const second = ['\u0301', '\u0307', '\u3099', '\u1161', '\u11a8', '\ufe0f', 'a'];
    const differing: string[] = [];
    for (let code = 0; code < 0x20000; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const character = String.fromCodePoint(code);
      for (const text of [character, ...second.map((one) => character + one)]) {
        if (fold(text) !== slow(text)) differing.push(text);
      }
    }
    expect(differing).toEqual([]);
  });
});
