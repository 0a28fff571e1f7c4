/**
 * The words by which texts are compared, each as the number that stands for it: what `comparedWords` and `hash32` give, in one
 * pass over the characters. Most texts are ASCII, and no string is made of their words.
 */
import { hash32, hashCodes } from './hashes.ts';
import {
  COMMON_WORDS,
  comparedWords,
  ENDINGS,
  MAX_CHARACTERS,
  MAX_STEM,
  MAX_WORDS,
  MIN_STEM,
  plainText,
} from './words.ts';

const COMMON = new Set([...COMMON_WORDS].map(hash32));
const ENDING_CODES = ENDINGS.map((ending) => Buffer.from(ending));
const [APOSTROPHE, DOT, SMALL_S] = [0x27, 0x2e, 0x73];

/** What a character is: 0 for none of a word, 1 for what may stand inside one, 2 for what may begin one. */
const KIND = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code === APOSTROPHE || code === DOT) return 1;
  return /[a-z0-9]/.test(String.fromCharCode(code)) ? 2 : 0;
});
/** The text that is being read, in small letters. */
const codes = new Uint8Array(MAX_CHARACTERS);

/** Each once, in the order of the text. */
export function comparedNumbers(text: string): number[] {
  const plain = plainText(text.length > MAX_CHARACTERS ? text.slice(0, MAX_CHARACTERS) : text);
  const numbers: number[] = [];
  if (plain.length > MAX_CHARACTERS || !readAscii(plain)) {
    for (const word of comparedWords(text)) addOnce(numbers, hash32(word));
    return numbers;
  }
  let [at, words] = [0, 0];
  while (at < plain.length && words < MAX_WORDS) {
    if (KIND[codes[at]!] !== 2) {
      at++;
      continue;
    }
    const start = at;
    while (at < plain.length && KIND[codes[at]!] !== 0) at++;
    const stem = stemNumber(start, at);
    if (stem === undefined) continue;
    words++;
    addOnce(numbers, stem);
  }
  return numbers;
}

/** The lists are short. */
export function addOnce(numbers: number[], number: number): void {
  if (!numbers.includes(number)) numbers.push(number);
}

/** False for a text that has another character. */
function readAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 0x7f) return false;
    codes[at] = code >= 0x41 && code <= 0x5a ? code + 0x20 : code;
  }
  return true;
}

/** Undefined for a word that tells nothing. */
function stemNumber(start: number, end: number): number | undefined {
  if (COMMON.has(hashCodes(codes, start, end))) return undefined;
  const stem = stemEnd(start, bareEnd(start, end));
  if (stem - start < 2) return undefined;
  const number = hashCodes(codes, start, stem);
  return COMMON.has(number) ? undefined : number;
}

/** Without `'s`, then without marks at its end. */
function bareEnd(start: number, end: number): number {
  let bare = end;
  if (bare - start >= 2 && codes[bare - 1] === SMALL_S && codes[bare - 2] === APOSTROPHE) bare -= 2;
  while (bare > start && KIND[codes[bare - 1]!] === 1) bare--;
  return bare;
}

function stemEnd(start: number, end: number): number {
  const longest = start + MAX_STEM;
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
