import { describe, expect, it } from 'vitest';
import { randomFrom } from '../../bench/random.ts';
import { hasSharedData, sharedLines } from '../../test/stages/shared-data.ts';
import { comparedNumbers, isNumeral, wordNumber } from './word-numbers.ts';
import { comparedWords } from './words.ts';

const SEED = Number(process.env['PROPERTY_SEED'] ?? 20_261_116);

const plainly = (text: string): number[] => [...new Set(comparedWords(text).map(wordNumber))];

const PIECES = (
  "the The storm storm's STORMS stormings parties boxes used ings s 's it's. u.s. http://a.example/b www.a.example @name " +
  "für Straße ＡＢＣ 大雨 ไทย \u{1f600} don''t .. averylongwordindeed 2026 1.5 a , - ’s o'clock … ﬁ cañón’s l’été ΟΔΟΣ 𝐛𝐨𝐥𝐝 𐐷𐐷 İstanbul ﷺ \ud83d \u{20000}\u{20001} \u{e0001} ½ don’t’’ émotions"
)
  .split(' ')
  .concat(['rt @name:', ' ', '\n']);

describe('the numbers of compared words', () => {
  it('say which words have a digit', () => {
    const texts = ['4.2', 'cve', '2026', 'lh441', 'storm', '大雨'];
    expect(texts.map((text) => comparedNumbers(text).map(isNumeral))).toEqual([
      [true],
      [false],
      [true],
      [true],
      [false],
      [false],
    ]);
  });

  it.each([0, 1, 2])('are those of the words that are found one by one, in made-up texts (%i)', (turn) => {
    const random = randomFrom(SEED + turn);
    for (let count = 0; count < 1_000; count++) {
      const length = Math.floor(random() * (count % 100 === 0 ? 300 : 20));
      const text = Array.from(
        { length },
        () => PIECES[Math.floor(random() * PIECES.length)]! + (random() < 0.7 ? ' ' : ''),
      );
      expect(comparedNumbers(text.join('')), JSON.stringify(text.join(''))).toEqual(plainly(text.join('')));
    }
  });

  it.runIf(hasSharedData)('are those of the words that are found one by one, in real posts', () => {
    const texts = sharedLines<{ text: string }>('posts/short-texts.ndjson.gz').slice(0, 10_000);
    const wrong = texts.filter(({ text }) => String(comparedNumbers(text)) !== String(plainly(text)));
    expect(wrong).toEqual([]);
  });
});
