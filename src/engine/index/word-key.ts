/**
 * The key of a word in a field: 64 bits, and a hash of them. Up to eight ASCII characters are the key themselves, so that
 * equal keys mean equal words and nothing else need be compared; that is most words of most events. The top bits of the
 * eight bytes, unused by ASCII, hold the field. Any other word is hashed, and its characters are compared when found.
 */
/** What a field adds to the keys of its words. */
export interface KeyField {
  readonly firstMark: number;
  readonly secondMark: number;
  readonly seed: number;
  /** Words of up to this many characters are their own keys. */
  readonly packed: number;
}

/** One object serves for every word: it is filled, used and filled again. */
export interface WordKey {
  first: number;
  second: number;
  hash: number;
}

export const newWordKey = (): WordKey => ({ first: 0, second: 0, hash: 0 });

/** All top bits set, in both halves: a hashed word. No field has this mark. */
const HASHED = 0x80808080 | 0;

/** The most characters of a word that is its own key, in a field. */
export const packedLength = (field: number): number => (field < 0xff ? 8 : 0);

export const isHashed = ({ first, second }: WordKey): boolean => (first & second & HASHED) === HASHED;

/** The bits of a field's number, one at the top of each byte. */
export const markOf = (bits: number): number =>
  ((bits & 1) << 7) | ((bits & 2) << 14) | ((bits & 4) << 21) | ((bits & 8) << 28);

/** One long function on purpose: it runs for every word of every event. */
export function readKey(key: WordKey, text: string, start: number, end: number, field: KeyField): void {
  let first = 0;
  let second = 0;
  // Set when a character is beyond ASCII, or is a NUL, which would look like the end.
  let odd = -1;
  if (end - start <= field.packed) {
    odd = 0;
    const middle = end - start < 4 ? end : start + 4;
    let unit = start;
    for (let shift = 0; unit < middle; unit++, shift += 8) {
      const code = text.charCodeAt(unit);
      odd |= code | (code - 1);
      first |= code << shift;
    }
    for (let shift = 0; unit < end; unit++, shift += 8) {
      const code = text.charCodeAt(unit);
      odd |= code | (code - 1);
      second |= code << shift;
    }
    first |= field.firstMark;
    second |= field.secondMark;
  }
  if (odd >>> 7 !== 0) {
    first = field.seed;
    second = ~field.seed;
    for (let unit = start; unit < end; unit++) {
      const code = text.charCodeAt(unit);
      first = Math.imul(first ^ code, 0x01000193);
      second = Math.imul(second ^ code, 0x2c1b3c6d);
    }
    first |= HASHED;
    second |= HASHED;
  }
  let hash = Math.imul(first ^ field.seed, 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 15) ^ second, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  key.first = first;
  key.second = second;
  key.hash = hash ^ (hash >>> 16);
}
