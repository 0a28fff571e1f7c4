/**
 * The words by which texts are compared, each as the number that stands for it: what `comparedWords` and `wordNumber` give, in one
 * pass over the characters. No string is made of a word, unless the text is in a script that is written without spaces.
 */
import {
  COMMON_WORDS,
  comparedWords,
  ENDINGS,
  IS_UNSPACED,
  MAX_CHARACTERS,
  MAX_STEM,
  MAX_WORDS,
  MIN_STEM,
  plainText,
} from './words.ts';

/** Numbers that stand for texts: the same in every process and on every machine. */

const BASIS = 0x811c9dc5;
const PRIME = 0x01000193;
const OTHER_BASIS = 0x9747b28c;
const OTHER_PRIME = 0x85ebca6b;
/** Numbers are exact up to 53 bits. */
const HIGH_BITS = 20;

/** 32 bits, with a sign. */
export function hash32(text: string): number {
  let hash = BASIS;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), PRIME);
  return mixed(hash);
}

/** The 32-bit number of a text given as the codes of its characters in a range. */
function hashCodes(codes: Uint16Array, start: number, end: number): number {
  let hash = BASIS;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ codes[at]!, PRIME);
  return mixed(hash);
}

/** 52 bits: few enough texts share one that equal numbers count for equal texts. */
export function hash52(text: string): number {
  let other = OTHER_BASIS;
  for (let at = 0; at < text.length; at++) other = Math.imul(other ^ text.charCodeAt(at), OTHER_PRIME);
  return joined(mixed(other), hash32(text));
}

/** The 52-bit number of a list of numbers. */
export function hashNumbers(numbers: readonly number[]): number {
  let hash = BASIS;
  let other = OTHER_BASIS;
  for (const number of numbers) {
    hash = mixed(Math.imul(hash ^ number, PRIME));
    other = mixed(Math.imul(other ^ number, OTHER_PRIME));
  }
  return joined(other, hash);
}

const joined = (high: number, low: number): number => (high >>> (32 - HIGH_BITS)) * 2 ** 32 + (low >>> 0);

/** Spreads what differs in few bits over all of them. */
function mixed(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  const twice = Math.imul(once ^ (once >>> 15), 0x846ca68b);
  return twice ^ (twice >>> 16);
}

const COMMON = new Set([...COMMON_WORDS].map(hash32));
const MAYBE_COMMON = new Uint8Array(0x10000);
for (const number of COMMON) MAYBE_COMMON[number & 0xffff] = 1;
const ENDING_CODES = ENDINGS.map((ending) => Buffer.from(ending));
/** Whether an ending ends with the character. */
const MAY_END = new Uint8Array(0x10000);
for (const ending of ENDING_CODES) MAY_END[ending.at(-1)!] = 1;
const [APOSTROPHE, QUOTE, DOT, SMALL_S, ZERO, NINE] = [0x27, 0x2019, 0x2e, 0x73, 0x30, 0x39];

/** The kind of a character in words; 0 until it is first met. */
const [APART, INSIDE, BEGINS, UNSPACED] = [1, 2, 3, 4];
const KINDS = new Uint8Array(0x20000);

/** The text that is being read, in small letters, and what each of its characters is. */
const codes = new Uint16Array(2 * MAX_CHARACTERS);
const kinds = new Uint8Array(codes.length);

/** Each once, in the order of the text. */
export function comparedNumbers(text: string): number[] {
  const length = readCodes(plainText(text.length > MAX_CHARACTERS ? text.slice(0, MAX_CHARACTERS) : text));
  const numbers: number[] = [];
  if (length === undefined) {
    for (const word of comparedWords(text)) addOnce(numbers, wordNumber(word));
    return numbers;
  }
  let [at, words] = [0, 0];
  while (at < length && words < MAX_WORDS) {
    if (kinds[at] !== BEGINS) {
      at++;
      continue;
    }
    const start = at;
    while (at < length && kinds[at] !== APART) at++;
    const stem = stemNumber(start, at);
    if (stem === undefined) continue;
    words++;
    addOnce(numbers, stem);
  }
  return numbers;
}

/** The number of one word. */
export const wordNumber = (word: string): number => withKind(hash32(word), /\d/.test(word));

/** The lowest bit says whether a word has a digit: it is one of those that tell alarms of a kind apart. */
export const isNumeral = (word: number): boolean => (word & 1) === 1;

const withKind = (hash: number, isOfDigits: boolean): number => (isOfDigits ? hash | 1 : hash & ~1);

/** The lists are short. */
export function addOnce(numbers: number[], number: number): void {
  if (!numbers.includes(number)) numbers.push(number);
}

/** How many there are; undefined for a text that is too long, or has words that are not separated. */
function readCodes(text: string): number | undefined {
  if (text.length > codes.length) return undefined;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 0x7f) return readAnyCodes(text.toLowerCase());
    const small = code >= 0x41 && code <= 0x5a ? code + 0x20 : code;
    codes[at] = small;
    kinds[at] = KINDS[small] || kindOf(small);
  }
  return text.length;
}

function readAnyCodes(text: string): number | undefined {
  if (text.length > codes.length) return undefined;
  for (let at = 0; at < text.length; at++) {
    const code = text.codePointAt(at)!;
    const kind = KINDS[code] || kindOf(code);
    if (kind === UNSPACED) return undefined;
    if (code > 0xffff) {
      codes[at] = text.charCodeAt(at);
      kinds[at] = kind;
      at++;
    }
    codes[at] = text.charCodeAt(at);
    kinds[at] = kind;
  }
  return text.length;
}

function kindOf(code: number): number {
  const character = String.fromCodePoint(code);
  let kind = APART;
  if (code === APOSTROPHE || code === QUOTE || code === DOT) kind = INSIDE;
  else if (IS_UNSPACED.test(character)) kind = UNSPACED;
  else if (/[\p{L}\p{N}]/u.test(character)) kind = BEGINS;
  // Beyond the table nothing is kept.
  KINDS[code] = kind;
  return kind;
}

/** Returns undefined for a word that tells nothing. */
function stemNumber(start: number, end: number): number | undefined {
  const whole = hashCodes(codes, start, end);
  if (isCommon(whole)) return undefined;
  const stem = stemEnd(start, bareEnd(start, end));
  if (stem - start < 2) return undefined;
  const number = stem === end ? whole : hashCodes(codes, start, stem);
  return isCommon(number) ? undefined : withKind(number, hasDigit(start, stem));
}

function hasDigit(start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (codes[at]! >= ZERO && codes[at]! <= NINE) return true;
  return false;
}

/** Most words are not, and one look at a small table tells. */
const isCommon = (number: number): boolean => MAYBE_COMMON[number & 0xffff] === 1 && COMMON.has(number);

/** Without `'s`, then without marks at its end. */
function bareEnd(start: number, end: number): number {
  let bare = end;
  if (bare - start >= 2 && codes[bare - 1] === SMALL_S && isApostrophe(codes[bare - 2]!)) bare -= 2;
  while (bare > start && kinds[bare - 1] === INSIDE) bare--;
  return bare;
}

const isApostrophe = (code: number): boolean => code === APOSTROPHE || code === QUOTE;

function stemEnd(start: number, end: number): number {
  const longest = start + MAX_STEM;
  if (!MAY_END[codes[end - 1]!]) return Math.min(longest, end);
  for (const ending of ENDING_CODES) {
    const cut = end - ending.length;
    if (cut - start >= MIN_STEM && endsWith(ending, cut)) return Math.min(longest, cut);
  }
  return Math.min(longest, end);
}

function endsWith(ending: Uint8Array, from: number): boolean {
  for (let at = 0; at < ending.length; at++) if (codes[from + at] !== ending[at]) return false;
  return true;
}
