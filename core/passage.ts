/**
 * Strings of a page on their way to words: unescaped, folded where they are texts, and cut as `rules/firehose/words.ts` does it,
 * with its own classes. False always means that the line is left to TypeScript.
 */
import { at, moveTo } from './json';
import { KINDS, LOWER, PAGE_WORDS } from './memory';
import {
  COMPLEX,
  classAt,
  HAN,
  HEBREW,
  HIRAGANA,
  isLetter,
  isMark,
  isOdd,
  JOINER,
  KATAKANA,
  LETTER,
  NUMERIC,
  OTHER,
  SPACE,
  widthAt,
} from './page-classes';
import {
  closePiece,
  endRecords,
  moveOut,
  nextRecord,
  out,
  placeOf,
  position,
  push,
  write,
  writeRecord,
} from './pieces';
import { complexEnd, emojiEnd, segmentEnd } from './segment';
import { readCode } from './strings';
import { WORD } from './words';

/** The analyzer cuts words at 255 characters; what comes near is left to it. */
const LONGEST_WORD: u32 = 250;
const LONGEST_STOP_WORD: u32 = 5;

/** Reads the rest of a string as words of a field. Words that the field leaves out keep their positions. */
export function readPassage(field: u32, skipsStopWords: bool): bool {
  const start = out;
  const place = placeOf(field);
  if (!readFolded()) return false;
  const end = out;
  closePiece();
  return cutPassage(start, end, place, skipsStopWords);
}

/** Reads the rest of a string as one exact value of a field: as it is written, and absent when it is empty. */
export function readExact(field: u32): bool {
  if (load<u8>(at) === 0x22) return true;
  const start = out;
  while (load<u8>(at) !== 0x22) {
    const code = readCode();
    if (code < 0) return false;
    write(code);
  }
  push(start, out, field, 1);
  closePiece();
  return true;
}

/** Unescapes and folds the rest of a string, 16 bytes at a time where they are plain. */
export function readFolded(): bool {
  let from = at;
  let to = out;
  let byte: u32 = 0;
  while (byte !== 0x22) {
    const bytes = v128.load(from);
    const isUpper = v128.lt<u8>(i8x16.sub(bytes, i8x16.splat(0x41)), i8x16.splat(26));
    v128.store(to, v128.or(bytes, v128.and(isUpper, i8x16.splat(0x20))));
    const ends = v128.or(i8x16.eq(bytes, i8x16.splat(0x22)), i8x16.eq(bytes, i8x16.splat(0x5c)));
    // Compared with signs, bytes beyond ASCII are less than a blank too.
    const special = i8x16.bitmask(v128.or(ends, v128.lt<i8>(bytes, i8x16.splat(0x20))));
    const plain: u32 = special === 0 ? 16 : ctz(special);
    from += plain;
    to += plain;
    byte = load<u8>(from);
    if (byte >= 0x80 || byte === 0x5c || byte < 0x20) {
      moveTo(from);
      moveOut(to);
      if (!foldSome()) return false;
      from = at;
      to = out;
      byte = load<u8>(from);
    }
  }
  moveTo(from);
  moveOut(to);
  return true;
}

/** Folds characters up to the next one of ASCII. */
function foldSome(): bool {
  let byte = <u32>load<u8>(at);
  while (byte >= 0x80 || byte === 0x5c || byte < 0x20) {
    const code = readCode();
    if (code < 0 || isOdd(code)) return false;
    write(code < 0x10000 ? load<u16>(LOWER + (code << 1)) : code);
    byte = load<u8>(at);
  }
  return true;
}

function cutPassage(start: u32, end: u32, place: u32, skipsStopWords: bool): bool {
  let record = nextRecord();
  let count = position;
  let from = start;
  while (from < end) {
    const byte = <u32>load<u8>(from);
    const kind = classAt(from);
    let next = from;
    let isWord = true;
    if (kind === LETTER || kind === NUMERIC) {
      next = wordEnd(from, byte, kind);
    } else if ((kind === OTHER || kind === SPACE) && byte !== 0x23 && byte !== 0x2a) {
      from += widthAt(from);
      continue;
    } else if (kind === HAN || kind === HIRAGANA) {
      next = from + widthAt(from);
      if (isMark(classAt(next))) next = segmentEnd(next, kind);
    } else {
      next = emojiEnd(from, kind);
      if (next === from) {
        next = kind === COMPLEX ? complexEnd(from) : segmentEnd(from + widthAt(from), kind);
        isWord = isWordOf(kind, from, next);
      }
    }
    if (next - from > LONGEST_WORD && isTooLong(from, next)) return false;
    if (isWord) {
      writeRecord(record, from, next, count, place);
      record += skipsStopWords && isStopWord(from, next - from) ? 0 : WORD;
      count++;
    }
    from = next;
  }
  endRecords(record, count);
  return true;
}

/** The end of a word that begins with a letter or digit. Nearly every one is ASCII up to a blank, and needs no rules. */
// @inline
function wordEnd(start: u32, first: u32, kind: u32): u32 {
  if (first >= 0x80) return segmentEnd(start + widthAt(start), kind);
  let place = start;
  let others = othersAt(place);
  while (others === 0) {
    place += 16;
    others = othersAt(place);
  }
  place += ctz(others);
  const byte = <u32>load<u8>(place);
  if (byte === 0x20 || byte === 0xff) return place;
  if (byte < 0x80 && byte !== 0x5f) {
    const next = load<u8>(place, 1);
    // Punctuation without a letter or digit after it ends the word too.
    if (load<u8>(KINDS + byte) === OTHER || next === 0x20 || next === 0xff) return place;
  }
  return segmentEnd(place, load<u8>(KINDS + <u32>load<u8>(place - 1)));
}

/** A bit for each of the next 16 bytes that is no letter or digit of ASCII in lower case. */
// @inline
function othersAt(place: u32): i32 {
  const bytes = v128.load(place);
  const letters = v128.lt<u8>(i8x16.sub(bytes, i8x16.splat(0x61)), i8x16.splat(26));
  const digits = v128.lt<u8>(i8x16.sub(bytes, i8x16.splat(0x30)), i8x16.splat(10));
  return i8x16.bitmask(v128.not(v128.or(letters, digits)));
}

/** Whether a piece that begins with neither letter, digit, ideograph nor emoji is a word. */
function isWordOf(kind: u32, start: u32, end: u32): bool {
  if (kind === COMPLEX || kind === KATAKANA || kind === HEBREW) return true;
  if (kind !== JOINER) return false;
  for (let place = start; place < end; place += widthAt(place)) {
    const one = classAt(place);
    if (isLetter(one) || one === NUMERIC || one === KATAKANA) return true;
  }
  return false;
}

/** Counted as the analyzer does: a character beyond the first plane, which takes four bytes, is two. */
function isTooLong(start: u32, end: u32): bool {
  let units: u32 = 0;
  for (let place = start; place < end; place += widthAt(place)) units += widthAt(place) === 4 ? 2 : 1;
  return units > LONGEST_WORD;
}

// @inline
function isStopWord(place: u32, length: u32): bool {
  return length <= LONGEST_STOP_WORD && isListed(PAGE_WORDS, place, length);
}

/** Whether a word of up to eight bytes stands in a table: its factor, which keeps all words apart, and 256 places. */
export function isListed(table: u32, place: u32, length: u32): bool {
  if (length === 0 || length > 8) return false;
  const word = load<u64>(place) & (<u64>-1 >> ((<u64>(8 - length)) << 3));
  return load<u64>(table + ((<u32>((word * load<u64>(table)) >> 56)) << 3), 8) === word;
}
