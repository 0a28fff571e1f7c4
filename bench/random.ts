/** A stream of numbers in [0, 1) that is the same in every run. */
export type Random = () => number;

export function randomFrom(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)]!;

/** Small numbers more often than large ones: as likely between 10 and 100 as between 100 and 1,000. */
export const logUniform = (random: Random, from: number, to: number): number =>
  Math.floor(Math.exp(Math.log(from) + random() * (Math.log(to) - Math.log(from))));

const CONSONANTS = ['b', 'br', 'd', 'f', 'g', 'k', 'kl', 'l', 'm', 'n', 'p', 'r', 's', 'st', 't', 'v', 'z'];
const VOWELS = ['a', 'e', 'i', 'o', 'u', 'ai', 'ou'];

/** A word that could be a brand and is in no dictionary. */
export function inventWord(random: Random, syllables: number): string {
  let word = '';
  for (let count = 0; count < syllables; count++) word += pick(random, CONSONANTS) + pick(random, VOWELS);
  return `${word}x`;
}
