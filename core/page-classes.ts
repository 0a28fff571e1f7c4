/**
 * The word-break classes of `rules/firehose/word-classes.ts`, by the same numbers. `KINDS` has one byte for each code point of
 * the first two planes: class 0–4 | odd 7: one beyond the first plane of which folding makes another.
 */
import { KINDS } from './memory';

export const OTHER: u32 = 0;
export const LETTER: u32 = 1;
export const NUMERIC: u32 = 2;
export const HEBREW: u32 = 3;
export const KATAKANA: u32 = 4;
export const JOINER: u32 = 5;
export const MARK: u32 = 6;
export const SKIN_TONE: u32 = 7;
export const ZWJ: u32 = 8;
export const MID_LETTER: u32 = 9;
export const MID_BOTH: u32 = 10;
export const MID_NUMBER: u32 = 11;
export const SINGLE_QUOTE: u32 = 12;
export const DOUBLE_QUOTE: u32 = 13;
export const HAN: u32 = 14;
export const HIRAGANA: u32 = 15;
export const COMPLEX: u32 = 16;
export const PICTOGRAPH: u32 = 17;
export const REGIONAL: u32 = 18;
export const SPACE: u32 = 19;
export const CR: u32 = 20;
export const LF: u32 = 21;
export const NEWLINE: u32 = 22;

const CLASS: u32 = 31;
const ODD: u32 = 128;

// @inline
export function isOdd(code: u32): bool {
  return code < 0x20000 && (load<u8>(KINDS + code) & ODD) !== 0;
}

/** The code point of folded text that stands here; of the byte between pieces, which ends every search, one that is none. */
export function codeAt(place: u32): u32 {
  const byte = <u32>load<u8>(place);
  if (byte < 0x80) return byte;
  const second = <u32>load<u8>(place, 1) & 0x3f;
  if (byte < 0xe0) return ((byte & 0x1f) << 6) | second;
  const third = <u32>load<u8>(place, 2) & 0x3f;
  if (byte < 0xf0) return ((byte & 0xf) << 12) | (second << 6) | third;
  if (byte === 0xff) return 0x110000;
  return ((byte & 7) << 18) | (second << 12) | (third << 6) | (<u32>load<u8>(place, 3) & 0x3f);
}

// @inline
export function classAt(place: u32): u32 {
  const byte = <u32>load<u8>(place);
  if (byte < 0x80) return load<u8>(KINDS + byte);
  if (byte < 0xe0) return load<u8>(KINDS + (((byte & 0x1f) << 6) | (<u32>load<u8>(place, 1) & 0x3f)));
  return classOf(codeAt(place));
}

// @inline
export function classOf(code: u32): u32 {
  if (code < 0x20000) return load<u8>(KINDS + code) & CLASS;
  if (code < 0x40000) return HAN;
  return code >= 0xe0000 && code <= 0xe01ef ? MARK : OTHER;
}

// @inline
export function widthAt(place: u32): u32 {
  const byte = load<u8>(place);
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

// @inline
export function isMark(kind: u32): bool {
  return kind >= MARK && kind <= ZWJ;
}

// @inline
export function isLetter(kind: u32): bool {
  return kind === LETTER || kind === HEBREW;
}

// @inline
export function isCore(kind: u32): bool {
  return kind >= LETTER && kind <= KATAKANA;
}

/** Whether the character before this place is a joiner of emoji, U+200D. */
// @inline
export function followsJoiner(place: u32): bool {
  return load<u8>(place - 1) === 0x8d && load<u8>(place - 2) === 0x80 && load<u8>(place - 3) === 0xe2;
}

/** Whether the character before this place asks for the emoji's own style, U+FE0F. */
// @inline
export function followsStyle(place: u32): bool {
  return load<u8>(place - 1) === 0x8f && load<u8>(place - 2) === 0xb8 && load<u8>(place - 3) === 0xef;
}
