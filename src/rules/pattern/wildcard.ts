/**
 * Wildcards: `*` is any run of characters, `?` one character, a backslash makes the next one plain. All readings of the
 * text are followed at once, with one bit for each place in the pattern, so no pattern makes matching backtrack.
 */
const STAR = -1;
const ANY = -2;

export interface Wildcard {
  readonly test: (text: string, start: number, end: number) => boolean;
  /** The plain pieces between the wildcards, in order. The first is empty if a wildcard comes first. */
  readonly pieces: readonly string[];
  /** Numbers that a test goes over for each character of the text. */
  readonly size: number;
}

/** Code points, with `STAR` and `ANY` for the wildcards. */
export function readWildcard(pattern: string): number[] {
  const codes: number[] = [];
  const characters = Array.from(pattern);
  for (let index = 0; index < characters.length; index++) {
    const one = characters[index]!;
    if (one === '\\' && index + 1 < characters.length) codes.push(characters[++index]!.codePointAt(0)!);
    else if (one === '*') codes.push(STAR);
    else if (one === '?') codes.push(ANY);
    else codes.push(one.codePointAt(0)!);
  }
  return codes;
}

export function compileWildcard(pattern: string): Wildcard {
  const codes = readWildcard(pattern);
  const places = codes.filter((code) => code !== STAR);
  const test = places.length <= MOST_IN_A_NUMBER ? shortTest(codes, places) : longTest(codes, places);
  return { test, pieces: piecesOf(codes), size: sizeOf(places) };
}

/** The numbers that have a bit for each place, and one for the beginning. */
const sizeOf = (places: readonly number[]): number => (places.length >> 5) + 1;

/** As many as the numbers that the tables of a long wildcard may hold; one of the usual lengths costs nothing. */
export function workOf(pattern: string): number {
  const places = readWildcard(pattern).filter((code) => code !== STAR);
  return (sizeOf(places) - 1) * places.length;
}

/** Only the plain pieces of a pattern. */
export const wildcardPieces = (pattern: string): readonly string[] => piecesOf(readWildcard(pattern));

function piecesOf(codes: readonly number[]): readonly string[] {
  const pieces = [''];
  for (const code of codes) {
    if (code < 0) pieces.push('');
    else pieces[pieces.length - 1] += String.fromCodePoint(code);
  }
  return pieces;
}

/** Places of a pattern whose bits are one number. Rules have very many of these, and hardly any longer ones. */
const MOST_IN_A_NUMBER = 31;

/**
 * Bit i stands for "the first i places fit". `stays` has the bits after which a star may take a character. Each
 * character has the bits of the places that it fits.
 */
function shortTest(codes: readonly number[], places: readonly number[]): Wildcard['test'] {
  const fits = new Map<number, number>();
  let [stays, fitsAny, place] = [0, 0, 0];
  for (const code of codes) {
    if (code === STAR) stays |= 1 << place;
    else place++;
    if (code === ANY) fitsAny |= 1 << place;
  }
  for (const [index, code] of places.entries())
    if (code !== ANY) fits.set(code, (fits.get(code) ?? fitsAny) | (1 << (index + 1)));
  const last = 1 << places.length;
  const openEnd = codes.at(-1) === STAR;
  return (text, start, end) => {
    let now = 1;
    for (let at = start; at < end && now !== 0; at++) {
      const code = at + 1 < end ? text.codePointAt(at)! : text.charCodeAt(at);
      if (code > 0xffff) at++;
      if (openEnd && (now & last) !== 0) return true;
      now = ((now << 1) & (fits.get(code) ?? fitsAny)) | (now & stays);
    }
    return (now & last) !== 0;
  };
}

/** Does the same as the test above, with as many numbers as it takes. */
function longTest(codes: readonly number[], places: readonly number[]): Wildcard['test'] {
  const size = sizeOf(places);
  const stays = new Int32Array(size);
  const fitsAny = new Int32Array(size);
  const fits = new Map<number, Int32Array>();
  let place = 0;
  for (const code of codes) {
    if (code === STAR) setBit(stays, place);
    else place++;
    if (code === ANY) setBit(fitsAny, place);
  }
  for (const [index, code] of places.entries()) {
    if (code === ANY) continue;
    const bits = fits.get(code) ?? fitsAny.slice();
    setBit(bits, index + 1);
    fits.set(code, bits);
  }
  const last = places.length;
  // The last place may be reached early: a star at the end takes the rest.
  const openEnd = codes.at(-1) === STAR;
  const now = new Int32Array(size);
  return (text, start, end) => {
    now.fill(0);
    now[0] = 1;
    for (let at = start; at < end; at++) {
      const code = at + 1 < end ? text.codePointAt(at)! : text.charCodeAt(at);
      if (code > 0xffff) at++;
      if (openEnd && hasBit(now, last)) return true;
      if (!advance(now, stays, fits.get(code) ?? fitsAny)) return false;
    }
    return hasBit(now, last);
  };
}

/** False if no reading is left. */
function advance(now: Int32Array, stays: Int32Array, fits: Int32Array): boolean {
  let carry = 0;
  let alive = 0;
  for (let word = 0; word < now.length; word++) {
    const old = now[word]!;
    const next = (((old << 1) | carry) & fits[word]!) | (old & stays[word]!);
    carry = old >>> 31;
    now[word] = next;
    alive |= next;
  }
  return alive !== 0;
}

const setBit = (bits: Int32Array, bit: number) => {
  bits[bit >> 5]! |= 1 << (bit & 31);
};

const hasBit = (bits: Int32Array, bit: number) => (bits[bit >> 5]! & (1 << (bit & 31))) !== 0;
