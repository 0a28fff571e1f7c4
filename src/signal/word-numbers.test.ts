import { describe, expect, it } from 'vitest';
import { randomFrom } from '../../bench/random.ts';
import { hasSharedData, sharedLines } from '../../test/stages/shared-data.ts';
import { originOf } from './story-text.ts';
import { comparedNumbers, hash32, hash52, hashNumbers, isNumeral, wordNumber } from './word-numbers.ts';
import { comparedWords, isVariantOf } from './words.ts';

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

describe('numbers that stand for texts', () => {
  it('are those of the books that are kept, in every process and on every machine', () => {
    expect(['', 'storm', '東京'].map(hash32)).toEqual([1_947_474_976, -1_017_597_913, 364_672_368]);
    expect(['', 'storm', '東京'].map(hash52)).toEqual([
      2_441_300_013_227_040, 1_057_621_794_140_199, 1_171_499_939_296_624,
    ]);
    expect([[], [1, 2, 3], [3, 2, 1]].map(hashNumbers)).toEqual([
      2_661_348_586_331_589, 3_248_384_827_224_716, 98_776_022_200_324,
    ]);
    expect(['storm', 'a1'].map(wordNumber)).toEqual([-1_017_597_914, -1_275_680_063]);
    expect(originOf('evening', 1)).toBe(664_455_418);
  });
});

describe('a variant of a word', () => {
  it.each([
    ['flood', 'floods'],
    ['flooded', 'flood'],
    ['harbour', 'harbor'],
    ['storming', 'stormink'],
  ])('is %s of %s, and the other way round', (one, other) =>
    expect([isVariantOf(one, other), isVariantOf(other, one)]).toEqual([true, true]),
  );

  it.each([
    ['flood', 'flood'],
    ['flood', 'brood'],
    ['sea', 'seas'],
    ['harbour', 'harrow'],
    ['flood', 'floodlights'],
  ])('is not %s of %s', (one, other) =>
    expect([isVariantOf(one, other), isVariantOf(other, one)]).toEqual([false, false]),
  );
});
