/**
 * Whether the event at hand may have a word that fits a pattern on which a rule is anchored. A pattern asks for a beginning of a
 * word, or for something inside a text: its first bytes, or some of its bytes, stand as one bit among the pattern bits. Only
 * where such a bit is met are the patterns themselves tried, in TypeScript.
 */
import {
  give,
  MARKED,
  MARKS,
  MARKS_ROOM,
  PATTERN_BITS,
  PATTERNS_ASK,
  scratch,
  TEXT,
  TEXT_END,
  take,
  WORD_COUNT,
  WORDS,
} from './memory';
import { START, WORD } from './words';

/** Bits of `PATTERNS_ASK`: beginnings of one to four bytes, three and four bytes inside, and a pattern of which nothing is known. */
const BEGINNINGS: u32 = 15;
const THREE_INSIDE: u32 = 16;
const FOUR_INSIDE: u32 = 32;
const ANYTHING: u32 = 64;

export function meetsPattern(): bool {
  const ask = load<u32>(PATTERNS_ASK);
  if ((ask & ANYTHING) !== 0) return true;
  if ((ask & BEGINNINGS) !== 0 && meetsBeginning(ask)) return true;
  return (ask & (THREE_INSIDE | FOUR_INSIDE)) !== 0 && meetsInside(ask);
}

/** The bit of some bytes, as `pattern-filter.ts` has it. */
// @inline
function isAsked(bytes: u32, kind: u32): bool {
  const hash = ((bytes ^ (kind * 0x85ebca6b)) * 0x9e3779b1) >> 14;
  return ((load<u8>(hash >> 3, PATTERN_BITS) >> <u8>(hash & 7)) & 1) !== 0;
}

function meetsBeginning(ask: u32): bool {
  const first = load<u32>(scratch, WORDS);
  const end = first + load<u32>(scratch, WORD_COUNT) * WORD;
  for (let word = first; word < end; word += WORD) {
    const bytes = load<u32>(load<u32>(word, START));
    if ((ask & 1) !== 0 && isAsked(bytes & 0xff, 0)) return true;
    if ((ask & 2) !== 0 && isAsked(bytes & 0xffff, 1)) return true;
    if ((ask & 4) !== 0 && isAsked(bytes & 0xffffff, 2)) return true;
    if ((ask & 8) !== 0 && isAsked(bytes, 3)) return true;
  }
  return false;
}

function meetsInside(ask: u32): bool {
  const end = load<u32>(scratch, TEXT_END);
  for (let place = load<u32>(scratch, TEXT); place < end; place++) {
    const bytes = load<u32>(place);
    if ((ask & THREE_INSIDE) !== 0 && isAsked(bytes & 0xffffff, 4)) return true;
    if ((ask & FOUR_INSIDE) !== 0 && isAsked(bytes, 5)) return true;
  }
  return false;
}

/** Has room for the terms of this many patterns that fit the event at hand, and answers where. */
export function reserveMarks(count: u32): u32 {
  const held = load<u32>(scratch, MARKS_ROOM);
  if (count > held) {
    if (held !== 0) give(load<u32>(scratch, MARKS), held << 2);
    const room = max(count, held << 1);
    store<u32>(scratch, take(room << 2), MARKS);
    store<u32>(scratch, room, MARKS_ROOM);
  }
  return load<u32>(scratch, MARKS);
}

export function forgetMarks(): void {
  store<u32>(scratch, 0, MARKS_ROOM);
  store<u32>(scratch, 0, MARKED);
}
