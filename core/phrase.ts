/**
 * Whether words stand where a phrase wants them: side by side, at given offsets, or with some leeway. Every search goes
 * forward only, so that neither a long text nor a long phrase of few words makes it slow.
 */
import { PHRASE, scratch, TERM_BITS } from './memory';
import { PHRASE_COUNT, PHRASE_FORM, PHRASE_TERMS, termOf } from './phrase-form';
import { findsRun } from './run';
import { firstWord, hasTerm, nextWord, POSITION, spend } from './words';

const SPREAD: u32 = 2;
const SLOP_SHIFT: u32 = 4;
/** Smaller than any position less any offset. */
const NOWHERE: i32 = -0x40000000;

// @inline
function offsetOf(phrase: u32, count: u32, spread: bool, index: u32): i32 {
  return spread ? load<i32>(phrase + PHRASE_TERMS + ((count + index) << 2)) : <i32>index;
}

/**
 * Whether the phrase at `at` is found; its being negated is the caller's business. A search that runs out of steps ends, and its
 * answer means nothing.
 */
export function findsPhrase(at: u32): bool {
  const form = load<u32>(at, PHRASE_FORM);
  const count = load<u32>(at, PHRASE_COUNT);
  const bits = load<u32>(scratch, TERM_BITS);
  for (let index: u32 = 0; index < count; index++) if (!hasTerm(bits, termOf(at, index))) return false;
  const slop = <i32>(form >> SLOP_SHIFT);
  const spread = (form & SPREAD) !== 0;
  if (slop === 0 && !spread) return findsRun(at, form, count);
  const words = load<u32>(scratch, PHRASE);
  const order = words + (count << 2);
  for (let index: u32 = 0; index < count; index++) {
    store<u32>(words + (index << 2), firstWord(termOf(at, index)));
    store<u32>(order + (index << 2), index);
  }
  return slop === 0 ? findsExact(at, count, spread, words, order) : findsSloppy(at, count, spread, slop, words, order);
}

/** Moves the place where the phrase may begin forward until every term agrees with it. */
function findsExact(at: u32, count: u32, spread: bool, words: u32, order: u32): bool {
  let place = NOWHERE;
  let step: u32 = 0;
  while (step < count) {
    if (!spend(1)) return false;
    const index = load<u32>(order + (step << 2));
    const offset = offsetOf(at, count, spread, index);
    const word = advance(load<u32>(words + (index << 2)), place + offset);
    if (word === 0) return false;
    store<u32>(words + (index << 2), word);
    if (load<i32>(word, POSITION) === place + offset) {
      step++;
    } else {
      place = load<i32>(word, POSITION) - offset;
      askFirst(order, step);
      step = 0;
    }
  }
  return true;
}

/** The word with the same term, from this one on, that stands at a position or after it. */
function advance(from: u32, position: i32): u32 {
  let word = from;
  while (word !== 0 && load<i32>(word, POSITION) < position) word = nextWord(word);
  return word;
}

/** The term that failed last is asked for first. */
function askFirst(order: u32, step: u32): void {
  if (step === 0) return;
  const failed = load<u32>(order + (step << 2));
  store<u32>(order + (step << 2), load<u32>(order, 4));
  store<u32>(order, load<u32>(order), 4);
  store<u32>(order, failed);
}

/** Searches with leeway: each term's position less its offset must lie within `slop` from `place` on. */
function findsSloppy(at: u32, count: u32, spread: bool, slop: i32, words: u32, order: u32): bool {
  noteRepeats(at, count, order);
  let place = load<i32>(load<u32>(words), POSITION) - offsetOf(at, count, spread, 0) - slop;
  let index: u32 = 0;
  while (index < count) {
    if (!spend(1)) return false;
    const offset = offsetOf(at, count, spread, index);
    const same = load<i32>(order + (index << 2));
    // A term that is asked for twice must stand twice.
    const after = same < 0 ? NOWHERE : load<i32>(load<u32>(words + (same << 2)), POSITION);
    const word = advance(load<u32>(words + (index << 2)), max(place + offset, after + 1));
    if (word === 0) return false;
    store<u32>(words + (index << 2), word);
    const position = load<i32>(word, POSITION);
    if (position <= place + offset + slop) {
      index++;
    } else {
      place = position - offset - slop;
      index = 0;
    }
  }
  return true;
}

/** Leaves in `order`, for each term, the index of the same term before it, or -1. */
function noteRepeats(at: u32, count: u32, order: u32): void {
  for (let index: u32 = 0; index < count; index++) {
    let before = <i32>index - 1;
    while (before >= 0 && termOf(at, before) !== termOf(at, index)) before--;
    spend(index - <u32>before);
    store<i32>(order + (index << 2), before);
  }
}
