/**
 * The words of the event at hand, one record each, in the order of the event:
 *
 *     start 4 | end 4 | position 4 | piece << 16 | holds a NUL << 15 | field 4 | key 16 | term 4 | slot, later pair 4 | next 4 | hash 4
 *
 * Start and end are addresses in the folded text. The postings of the event's distinct terms stand after the last record.
 */
import {
  CHAIN_HEADS,
  CHAINED,
  give,
  STEPS,
  scratch,
  TEXT,
  TEXT_ROOM,
  take,
  WORD_COUNT,
  WORD_ROOM,
  WORDS,
} from './memory';

export const WORD: u32 = 48;
export const START: u32 = 0;
export const END: u32 = 4;
export const POSITION: u32 = 8;
export const PLACE: u32 = 12;
export const LOW: u32 = 16;
export const HIGH: u32 = 24;
export const WORD_TERM: u32 = 32;
export const SLOT: u32 = 36;
export const PAIR: u32 = 36;
export const NEXT: u32 = 40;
export const HASH: u32 = 44;

/** Up to this many words are searched one by one. */
const FEW: u32 = 64;
const CHAIN_MASK: u32 = 1023;

/** Has room for this many words and bytes of text; what was there is lost. */
export function reserveEvent(words: u32, bytes: u32): void {
  const held = load<u32>(scratch, WORD_ROOM);
  if (words > held) {
    if (held !== 0) give(load<u32>(scratch, WORDS), held * (WORD + 4));
    const room = max(words, held << 1);
    store<u32>(scratch, take(room * (WORD + 4)), WORDS);
    store<u32>(scratch, room, WORD_ROOM);
  }
  // Keys are read 16 bytes at a time, from the last byte too.
  const wanted = bytes + 16;
  const textRoom = load<u32>(scratch, TEXT_ROOM);
  if (wanted > textRoom) {
    if (textRoom !== 0) give(load<u32>(scratch, TEXT), textRoom);
    const room = max(wanted, textRoom << 1);
    store<u32>(scratch, take(room), TEXT);
    store<u32>(scratch, room, TEXT_ROOM);
  }
}

/** What TypeScript writes of a record: start, end, position, place. */
const WRITTEN: u32 = 16;

/**
 * Makes records of words that stand side by side at the end of the room for so many. Their starts and ends count from the text's first
 * byte. A record is never written over a word that was not read yet.
 */
export function spreadWords(count: u32): void {
  const first = load<u32>(scratch, WORDS);
  const end = first + count * WORD;
  const text = load<u32>(scratch, TEXT);
  let written = first + count * (WORD + 4 - WRITTEN);
  for (let word = first; word < end; word += WORD, written += WRITTEN) {
    const place = load<u64>(written, POSITION);
    store<u32>(word, text + load<u32>(written, START), START);
    store<u32>(word, text + load<u32>(written, END), END);
    store<u64>(word, place, POSITION);
  }
  store<u32>(scratch, count, WORD_COUNT);
}

// @inline
export function wordAt(index: u32): u32 {
  return load<u32>(scratch, WORDS) + index * WORD;
}

/** The first word with a term, as a record; go on with `nextWord`. 0 at the end. */
export function firstWord(term: u32): u32 {
  if (load<u32>(scratch, WORD_COUNT) <= FEW) return searchFrom(load<u32>(scratch, WORDS), term);
  if (!load<u32>(scratch, CHAINED)) chain();
  return inChain(load<u32>(scratch + ((term & CHAIN_MASK) << 2), CHAIN_HEADS), term);
}

export function nextWord(word: u32): u32 {
  const term = load<u32>(word, WORD_TERM);
  if (load<u32>(scratch, WORD_COUNT) <= FEW) return searchFrom(word + WORD, term);
  return inChain(load<u32>(word, NEXT), term);
}

function searchFrom(from: u32, term: u32): u32 {
  const end = load<u32>(scratch, WORDS) + load<u32>(scratch, WORD_COUNT) * WORD;
  for (let word = from; word < end; word += WORD) if (load<u32>(word, WORD_TERM) === term) return word;
  return 0;
}

/** Words of other terms in the same chain take time, too. */
function inChain(from: u32, term: u32): u32 {
  let word = from;
  let passed: u32 = 1;
  for (; word !== 0 && load<u32>(word, WORD_TERM) !== term; passed++) word = load<u32>(word, NEXT);
  spend(passed);
  return word;
}

/** Takes steps from those that are left for the phrases of the event, and answers whether there were as many: a step is a look at a word. */
// @inline
export function spend(steps: u32): bool {
  const left = load<i32>(scratch, STEPS) - <i32>steps;
  store<i32>(scratch, left, STEPS);
  return left >= 0;
}

/** Links the words that share the low bits of their terms. Done on the first phrase of an event: most events meet none. */
function chain(): void {
  store<u32>(scratch, 1, CHAINED);
  memory.fill(scratch + CHAIN_HEADS, 0, (CHAIN_MASK + 1) << 2);
  const first = load<u32>(scratch, WORDS);
  for (let index = load<u32>(scratch, WORD_COUNT); index > 0; index--) {
    const word = first + (index - 1) * WORD;
    const term = load<u32>(word, WORD_TERM);
    if (term === 0) continue;
    const head = scratch + CHAIN_HEADS + ((term & CHAIN_MASK) << 2);
    store<u32>(word, load<u32>(head), NEXT);
    store<u32>(head, word);
  }
}

/** Whether the event at hand holds a term, by the bits of its terms. */
// @inline
export function hasTerm(bits: u32, term: u32): bool {
  return ((load<u8>(bits + (term >> 3)) >> <u8>(term & 7)) & 1) !== 0;
}
