/**
 * Identifiers: a prefix that names the kind, ten characters of time, and a tail: sixteen random characters or those of a
 * digest, before them a rank where several ids share a millisecond. They sort by time and are otherwise opaque. The alphabet is Crockford's base 32, in lower case: no i, l, o or u to misread.
 */
import { createHash, randomBytes } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
export const TIME_CHARACTERS = 10;
/** Eighty bits are sixteen characters. */
export const TAIL_BYTES = 10;

export type IdPrefix =
  | 'rule'
  | 'match'
  | 'acct'
  | 'key'
  | 'hook'
  | 'dlv'
  | 'grant'
  | 'alert'
  | 'evt'
  | 'st'
  | 'sugg'
  | 'view'
  | 'silence'
  | 'feed'
  | 'source'
  | 'reh'
  | 'ers'
  | 'cold';

export const newId = (prefix: IdPrefix, now: Date): string =>
  idOf(prefix, now.getTime(), tailOf(randomBytes(TAIL_BYTES)));

/** The tail of an id that is the same for the same things. */
export const tailOfParts = (parts: readonly unknown[]): string =>
  tailOf(createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, TAIL_BYTES));

export const idOf = (prefix: IdPrefix, time: number, tail: string): string => `${prefix}_${timePart(time)}${tail}`;

/** The time and the tail of an id of this kind; undefined if it is not one. */
export function readId(prefix: IdPrefix, id: string): { time: number; tail: string } | undefined {
  const start = prefix.length + 1;
  if (id.length < start + TIME_CHARACTERS + 16 || !id.startsWith(`${prefix}_`)) return undefined;
  const time = readDigits(id.slice(start, start + TIME_CHARACTERS));
  return time === undefined ? undefined : { time, tail: id.slice(start + TIME_CHARACTERS) };
}

/** The number that `digitsOf` wrote; undefined if the text is none. */
export function readDigits(text: string): number | undefined {
  let number = 0;
  for (const character of text) {
    const digit = ALPHABET.indexOf(character);
    if (digit === -1) return undefined;
    number = number * 32 + digit;
  }
  return number;
}

/** Ten bytes as sixteen characters of five bits. */
export function tailOf(bytes: Uint8Array): string {
  let tail = '';
  for (let at = 0; at < TAIL_BYTES; at += 5) {
    const high = bytes[at]! * 4096 + bytes[at + 1]! * 16 + (bytes[at + 2]! >> 4);
    const low = (bytes[at + 2]! & 15) * 65_536 + bytes[at + 3]! * 256 + bytes[at + 4]!;
    tail += fourCharacters(high) + fourCharacters(low);
  }
  return tail;
}

/** Twenty bits as four characters. */
const fourCharacters = (bits: number): string =>
  ALPHABET.charAt(bits >> 15) +
  ALPHABET.charAt((bits >> 10) & 31) +
  ALPHABET.charAt((bits >> 5) & 31) +
  ALPHABET.charAt(bits & 31);

const timePart = (milliseconds: number): string => digitsOf(milliseconds, TIME_CHARACTERS);

/** A number in this many characters that sort as numbers do. */
export function digitsOf(number: number, length: number): string {
  let text = '';
  for (let rest = number; text.length < length; rest = Math.floor(rest / 32)) text = ALPHABET.charAt(rest % 32) + text;
  return text;
}
