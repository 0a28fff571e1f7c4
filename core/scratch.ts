/**
 * The scratch areas of the threads that match beside the writer. The writer makes them, and nothing is matched while it does:
 * matchers take no blocks. What grows with the rules grows in all of them at once.
 */
import {
  FILTER,
  give,
  INPUT,
  INPUT_ROOM,
  LINES,
  MARKED,
  MET_BITS,
  MET_COUNT,
  NEXT_SCRATCH,
  PHRASE,
  PHRASE_ROOM,
  RULE_ROOM,
  SCRATCH,
  SCRATCH_END,
  TERM_BITS,
  TERM_ROOM,
  TEXT,
  TEXT_ROOM,
  take,
  takeZeros,
  WORD_ROOM,
  WORDS,
} from './memory';
import { WORD } from './words';

/** A line that a matcher takes has at most this many bytes; the words and the folded text of it have room. */
export const LONGEST_OF_MATCHER: u32 = 32768;
const MATCHER_WORDS: u32 = LONGEST_OF_MATCHER + 1024;
const MATCHER_TEXT: u32 = (LONGEST_OF_MATCHER << 2) + 4096 + 16;
/** Bytes of lines in one batch, and of what comes of them. */
const MATCHER_INPUT: u32 = 262144;
const MATCHER_LINES: u32 = 262144;

/** Makes the scratch of one more matcher, and answers the number that leads to it. */
export function openScratch(): u32 {
  const block = take(SCRATCH_END - SCRATCH);
  memory.fill(block, 0, FILTER - SCRATCH);
  const area = block - SCRATCH;
  store<u32>(area, take(MATCHER_WORDS * (WORD + 4)), WORDS);
  store<u32>(area, MATCHER_WORDS, WORD_ROOM);
  store<u32>(area, take(MATCHER_TEXT), TEXT);
  store<u32>(area, MATCHER_TEXT, TEXT_ROOM);
  store<u32>(area, take(MATCHER_INPUT), INPUT);
  store<u32>(area, MATCHER_INPUT, INPUT_ROOM);
  store<u32>(area, take(MATCHER_LINES), LINES);
  store<u32>(area, take(load<u32>(PHRASE_ROOM) * 12), PHRASE);
  store<u32>(area, take(load<u32>(TERM_ROOM) >> 3), TERM_BITS);
  store<u32>(area, take(load<u32>(RULE_ROOM) >> 3), MET_BITS);
  clearScratch(area);
  store<u32>(area, load<u32>(NEXT_SCRATCH), NEXT_SCRATCH);
  store<u32>(NEXT_SCRATCH, area);
  return area;
}

/** Forgets the event at hand: the matcher that had the scratch may have stopped in the middle of it. */
export function clearScratch(area: u32): void {
  memory.fill(area + FILTER, 0, 8192);
  memory.fill(load<u32>(area, TERM_BITS), 0, load<u32>(TERM_ROOM) >> 3);
  memory.fill(load<u32>(area, MET_BITS), 0, load<u32>(RULE_ROOM) >> 3);
  store<u32>(area, 0, MET_COUNT);
  store<u32>(area, 0, MARKED);
}

/** Makes room for the bits of this many terms. Between two events all bits are 0, so there is nothing to copy. */
export function growTermBits(room: u32): void {
  const held = load<u32>(TERM_ROOM);
  growEach(TERM_BITS, held >> 3, room >> 3);
  store<u32>(TERM_ROOM, room);
}

/** Has room in every scratch for a rule of this number. */
export function growRules(number: u32): void {
  const held = load<u32>(RULE_ROOM);
  if (number < held) return;
  const room = (number + 64) << 1;
  growEach(MET_BITS, held >> 3, room >> 3);
  store<u32>(RULE_ROOM, room & ~7);
}

/** Makes room for a phrase of this many terms or bytes: three integers for each. */
export function reservePhrase(count: u32): void {
  const held = load<u32>(PHRASE_ROOM);
  if (count <= held) return;
  growEach(PHRASE, held * 12, count * 12);
  store<u32>(PHRASE_ROOM, count);
}

/** Replaces a block of every scratch by a larger one of zeros. */
function growEach(place: u32, held: u32, bytes: u32): void {
  let area: u32 = 0;
  let more = true;
  while (more) {
    if (held !== 0) give(load<u32>(area + place), held);
    store<u32>(area + place, takeZeros(bytes));
    area = load<u32>(area, NEXT_SCRATCH);
    more = area !== 0;
  }
}
