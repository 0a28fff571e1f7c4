/**
 * From the words of an event to the numbers of the rules it matches. Each step touches all that the next one reads before it is
 * read, so that the processor fetches many places of memory at a time: slots, lists, entries, programs.
 */
import { findSlot, firstSlot, hashOfTerm, POSTINGS, slotOf, TERM } from './dictionary';
import { leave, takeResults } from './host';
import { FIELD, HOLDS_NUL, hashedHigh, hashedLow, hashWith, highOf, isHashed, lowOf, mustHash } from './key';
import { ENTRY, entriesOf, FIRST_HALF, nextBlock } from './lists';
import {
  CANDIDATES,
  CHAINED,
  DEPTH,
  DIRECTORY,
  EVALUATED,
  FILTER,
  MARKED,
  MARKS,
  MATCHED,
  MAX_CANDIDATES,
  MAX_MET,
  MAX_RESULTS,
  MET,
  MET_BITS,
  MET_COUNT,
  RESULTS,
  RULE_ROOM,
  SEED,
  SLOW_LIST,
  scratch,
  TERM_BITS,
  TERM_ROOM,
  TOUCHED,
  UNDECIDED,
  USES_PAIRS,
  WORD_COUNT,
  WORD_ROOM,
  WORDS,
} from './memory';
import { begin, left, programHolds } from './program';
import { countWord } from './shares';
import { END, HASH, HIGH, hasTerm, LOW, PAIR, PLACE, POSITION, SLOT, START, WORD, WORD_TERM } from './words';

const SEVERAL: u32 = 1;
/** The filter has a byte for the low bits of a term: how far the list of candidates moves on for a term that is there. */
const FILTERED: u32 = 8191;
const STEP: u8 = 4;
/** As many bits of terms are cleared at once in the time that a word takes, as a power of two. */
const BITS_A_WORD: u32 = 6;
/** Words whose records the cache of a processor does not hold. */
const MANY: u32 = 16384;

/** Matches the words that stand in their records. Answers how many rule numbers are left in the results. */
export function matchWords(counting: bool): u32 {
  lookUp(counting);
  touchSlots();
  const lists = markTerms();
  touchLists(lists);
  if (load<u32>(scratch, MARKED) !== 0) markPatterns(counting);
  if (load<u32>(USES_PAIRS)) markPairs();
  store<u32>(scratch, 0, EVALUATED);
  store<u32>(scratch, 0, MATCHED);
  store<u32>(scratch, 0, CHAINED);
  let candidates = gatherAll(lists);
  if (load<u32>(scratch, MARKED) !== 0) candidates = gatherMarked(candidates);
  if (load<u32>(SLOW_LIST) !== 0) candidates = gather(load<u32>(SLOW_LIST), candidates);
  judge(candidates);
  clear();
  return load<u32>(scratch, MATCHED);
}

/** Only counts the words. */
export function countWords(): void {
  lookUp(true);
}

/** Makes the keys of all words, and finds the slots where they may stand. */
function lookUp(counting: bool): void {
  const first = load<u32>(scratch, WORDS);
  const end = first + load<u32>(scratch, WORD_COUNT) * WORD;
  const seed = load<u32>(SEED);
  const directory = load<u32>(DIRECTORY);
  const shift = 32 - load<u32>(DEPTH);
  for (let word = first; word < end; word += WORD) {
    const start = load<u32>(word, START);
    const length = load<u32>(word, END) - start;
    const field = load<u32>(word, PLACE) & (FIELD | HOLDS_NUL);
    const hashed = mustHash(length, field);
    const low = hashed ? hashedLow(start, length, field & FIELD) : lowOf(start, length);
    const high = hashed ? hashedHigh(low) : highOf(start, length, field);
    const hash = hashWith(seed, low, high);
    const slot = firstSlot(load<u32>(directory + ((hash >> shift) << 2)), hash);
    store<u64>(word, low, LOW);
    store<u64>(word, high, HIGH);
    store<u32>(word, hash, HASH);
    store<u32>(word, slot, SLOT);
    if (counting) countWord(hash);
  }
}

/** Nothing but loads, so that many are under way at a time. The records of a long event would leave the cache meanwhile. */
function touchSlots(): void {
  if (load<u32>(scratch, WORD_COUNT) > MANY) return;
  const first = load<u32>(scratch, WORDS);
  const end = first + load<u32>(scratch, WORD_COUNT) * WORD;
  let touched: u32 = 0;
  for (let word = first; word < end; word += WORD) touched ^= load<u32>(load<u32>(word, SLOT), TERM);
  store<u32>(scratch, touched, TOUCHED);
}

function touchLists(lists: u32): void {
  const from = load<u32>(scratch, WORDS) + load<u32>(scratch, WORD_ROOM) * WORD;
  let touched: u32 = 0;
  for (let place = from; place < from + (lists << 2); place += 4) touched ^= load<u32>(load<u32>(place));
  store<u32>(scratch, touched, TOUCHED);
}

/** Finds the terms of all words and marks them. Leaves the lists of the distinct ones after the records, and answers how many. */
function markTerms(): u32 {
  const first = load<u32>(scratch, WORDS);
  const end = first + load<u32>(scratch, WORD_COUNT) * WORD;
  const lists = first + load<u32>(scratch, WORD_ROOM) * WORD;
  const bits = load<u32>(scratch, TERM_BITS);
  store<u8>(bits, load<u8>(bits) | 1);
  store<u8>(scratch, STEP, FILTER);
  let count: u32 = 0;
  for (let word = first; word < end; word += WORD) {
    const slot = slotFor(word);
    store<u32>(word, 0, PAIR);
    if (slot === 0) {
      store<u32>(word, 0, WORD_TERM);
      continue;
    }
    const term = load<u32>(slot, TERM);
    store<u32>(word, term, WORD_TERM);
    if (hasTerm(bits, term)) continue;
    mark(bits, term);
    const list = load<u32>(slot, POSTINGS);
    store<u32>(lists + (count << 2), list);
    count += list !== 0 ? 1 : 0;
  }
  return count;
}

/** Most words stand in the first slot where they may, or nowhere. */
// @inline
function slotFor(word: u32): u32 {
  const slot = load<u32>(word, SLOT);
  const low = load<u64>(word, LOW);
  const high = load<u64>(word, HIGH);
  if (load<u32>(slot, TERM) === 0) return 0;
  if (load<u64>(slot) === low && load<u64>(slot, 8) === high && load<i32>(slot, TERM) > 0 && !isHashed(high))
    return slot;
  const start = load<u32>(word, START);
  return findSlot(
    low,
    high,
    load<u32>(word, HASH),
    start,
    load<u32>(word, END) - start,
    load<u32>(word, PLACE) & FIELD,
  );
}

// @inline
function mark(bits: u32, term: u32): void {
  const byte = bits + (term >> 3);
  store<u8>(byte, load<u8>(byte) | <u8>((<u32>1) << (term & 7)));
  store<u8>(scratch + (term & FILTERED), STEP, FILTER);
}

// @inline
function unmark(bits: u32, term: u32): void {
  store<u8>(bits + (term >> 3), 0);
  store<u8>(scratch + (term & FILTERED), 0, FILTER);
}

/** The number that stands for two terms side by side, as `pairOf` in TypeScript has it. */
// @inline
function pairOf(first: u32, second: u32): u32 {
  return (((first * 0x9e3779b1) ^ second) * 0x85ebca6b) >> 19;
}

function markPairs(): void {
  const bits = load<u32>(scratch, TERM_BITS);
  const first = load<u32>(scratch, WORDS);
  const end = first + load<u32>(scratch, WORD_COUNT) * WORD;
  for (let word = first + WORD; word < end; word += WORD) {
    const term = load<u32>(word, WORD_TERM);
    const before = load<u32>(word - WORD, WORD_TERM);
    if (term === 0 || before === 0 || load<i32>(word, POSITION) !== load<i32>(word - WORD, POSITION) + 1) continue;
    const pair = pairOf(before, term);
    store<u32>(word, pair, PAIR);
    mark(bits, pair);
  }
}

/** Patterns that fit count as terms that the event holds. */
function markPatterns(counting: bool): void {
  const bits = load<u32>(scratch, TERM_BITS);
  const first = load<u32>(scratch, MARKS);
  const end = first + (load<u32>(scratch, MARKED) << 2);
  for (let place = first; place < end; place += 4) {
    const term = load<u32>(place);
    mark(bits, term);
    if (counting) countWord(hashOfTerm(term));
  }
}

function gatherMarked(gathered: u32): u32 {
  const first = load<u32>(scratch, MARKS);
  const end = first + (load<u32>(scratch, MARKED) << 2);
  let count = gathered;
  for (let place = first; place < end; place += 4) count = gather(load<u32>(slotOf(load<u32>(place)), POSTINGS), count);
  return count;
}

function unmarkPatterns(bits: u32): void {
  const first = load<u32>(scratch, MARKS);
  const end = first + (load<u32>(scratch, MARKED) << 2);
  for (let place = first; place < end; place += 4) unmark(bits, load<u32>(place));
  store<u32>(scratch, 0, MARKED);
}

function clear(): void {
  const bits = load<u32>(scratch, TERM_BITS);
  // Of a long event, all bits are cleared in less time than those of each word.
  if (load<u32>(scratch, WORD_COUNT) > load<u32>(TERM_ROOM) >> BITS_A_WORD) {
    memory.fill(bits, 0, load<u32>(TERM_ROOM) >> 3);
    memory.fill(scratch + FILTER, 0, FILTERED + 1);
  } else unmarkWords(bits);
  unmarkPatterns(bits);
  forgetMet();
}

function unmarkWords(bits: u32): void {
  const first = load<u32>(scratch, WORDS);
  const end = first + load<u32>(scratch, WORD_COUNT) * WORD;
  for (let word = first; word < end; word += WORD) {
    const term = load<u32>(word, WORD_TERM);
    if (term === 0) continue;
    unmark(bits, term);
    unmark(bits, load<u32>(word, PAIR));
  }
}

function gatherAll(lists: u32): u32 {
  const from = load<u32>(scratch, WORDS) + load<u32>(scratch, WORD_ROOM) * WORD;
  let candidates: u32 = 0;
  for (let index: u32 = 0; index < lists; index++) candidates = gather(load<u32>(from + (index << 2)), candidates);
  return candidates;
}

/** Adds the entries of a list that the filter lets through, as addresses. Where there is no room for more, all are judged. */
function gather(list: u32, gathered: u32): u32 {
  const candidates = scratch + CANDIDATES;
  let next = candidates + (gathered << 2);
  for (let block = list; block !== 0; block = nextBlock(block)) {
    const held = <u32>load<u16>(block);
    if (next + (held << 2) > candidates + (MAX_CANDIDATES << 2)) {
      judge((next - candidates) >> 2);
      next = candidates;
    }
    let half = block + FIRST_HALF;
    let entry = entriesOf(block);
    const end = half + (held << 1);
    // Four at a time, without a branch: every address is written, and the next one over it unless the filter lets it through.
    for (const fours = half + ((held & ~3) << 1); half < fours; half += 8) {
      const terms = load<u64>(half);
      store<u32>(next, entry);
      next += passes(<u32>terms);
      store<u32>(next, entry + ENTRY);
      next += passes(<u32>terms >> 16);
      store<u32>(next, entry + 2 * ENTRY);
      next += passes(<u32>(terms >> 32));
      store<u32>(next, entry + 3 * ENTRY);
      next += passes(<u32>(terms >> 48));
      entry += 4 * ENTRY;
    }
    for (; half < end; half += 2) {
      store<u32>(next, entry);
      next += passes(load<u16>(half));
      entry += ENTRY;
    }
  }
  return (next - candidates) >> 2;
}

// @inline
function passes(term: u32): u32 {
  return load<u8>(scratch + (term & FILTERED), FILTER);
}

/** Checks the witnesses of the gathered entries, and evaluates the rules that are left. */
function judge(gathered: u32): void {
  touchEntries(gathered);
  const count = holdWitnesses(gathered);
  touchPrograms(count);
  for (let index: u32 = 0; index < count; index++) decideRule(load<i32>(scratch + (index << 2), CANDIDATES));
}

function touchEntries(gathered: u32): void {
  let touched: u32 = 0;
  for (let index: u32 = 0; index < gathered; index++)
    touched ^= load<u32>(load<u32>(scratch + (index << 2), CANDIDATES), 8);
  store<u32>(scratch, touched, TOUCHED);
}

/**
 * Reports the rules that their witnesses prove and that have one anchor. Leaves the others whose witnesses hold in the place of
 * the entries, and answers how many. Nothing here branches: which of these a rule is, no processor could guess.
 */
function holdWitnesses(gathered: u32): u32 {
  const bits = load<u32>(scratch, TERM_BITS);
  let matched = roomForResults(gathered);
  const before = matched;
  let count: u32 = 0;
  for (let index: u32 = 0; index < gathered; index++) {
    const entry = load<u32>(scratch + (index << 2), CANDIDATES);
    const rule = load<i32>(entry);
    const both = holdsWitness(bits, load<i32>(entry, 4)) & holdsWitness(bits, load<i32>(entry, 8));
    // A proven rule has its top bit set, and its lowest unless it has several anchors.
    const isReported = both & (<u32>rule >> 31) & <u32>rule;
    store<u32>(scratch + (matched << 2), <u32>~rule >> 1, RESULTS);
    matched += isReported;
    store<i32>(scratch + (count << 2), rule, CANDIDATES);
    count += both ^ isReported;
  }
  store<u32>(scratch, matched, MATCHED);
  store<u32>(scratch, load<u32>(scratch, EVALUATED) + matched - before, EVALUATED);
  return count;
}

/** Has room for this many more results, and answers how many there are. */
function roomForResults(wanted: u32): u32 {
  const matched = load<u32>(scratch, MATCHED);
  if (matched + wanted <= MAX_RESULTS) return matched;
  noteUndecided();
  takeResults(matched);
  return 0;
}

/** Rules that their witnesses prove have no program to read. */
function touchPrograms(count: u32): void {
  let touched: u32 = 0;
  for (let index: u32 = 0; index < count; index++) {
    const rule = load<i32>(scratch + (index << 2), CANDIDATES);
    const program = select<u32>(rule, scratch + CANDIDATES, rule > 0);
    touched ^= load<u32>(program) ^ load<u32>(program, 28);
  }
  store<u32>(scratch, touched, TOUCHED);
}

// @inline
function holdsWitness(bits: u32, witness: i32): u32 {
  const term = <u32>(witness ^ (witness >> 31));
  return ((<u32>load<u8>(bits + (term >> 3)) >> (term & 7)) ^ (<u32>witness >> 31)) & 1;
}

function decideRule(rule: i32): void {
  if (rule < 0) {
    const number = <u32>~rule >> 1;
    if (meet(number)) {
      store<u32>(scratch, load<u32>(scratch, EVALUATED) + 1, EVALUATED);
      report(number);
    }
    return;
  }
  const header = load<u32>(rule);
  if ((header & SEVERAL) !== 0 && !meet(header >> 2)) return;
  store<u32>(scratch, load<u32>(scratch, EVALUATED) + 1, EVALUATED);
  begin();
  const holds = programHolds(rule + 4);
  if (left) {
    noteUndecided();
    leave(header >> 2);
  } else if (holds) report(header >> 2);
}

/** Notes that the program around the core must do something, which a matcher's cannot. */
function noteUndecided(): void {
  store<u32>(scratch, load<u32>(scratch, UNDECIDED) + 1, UNDECIDED);
}

function report(rule: u32): void {
  const count = load<u32>(scratch, MATCHED);
  store<u32>(scratch + (count << 2), rule, RESULTS);
  store<u32>(scratch, count + 1, MATCHED);
  if (count + 1 < MAX_RESULTS) return;
  noteUndecided();
  takeResults(MAX_RESULTS);
  store<u32>(scratch, 0, MATCHED);
}

/** False when this event has met the rule before, by another anchor. */
function meet(rule: u32): bool {
  const byte = load<u32>(scratch, MET_BITS) + (rule >> 3);
  const bit = <u8>((<u32>1) << (rule & 7));
  if ((load<u8>(byte) & bit) !== 0) return false;
  store<u8>(byte, load<u8>(byte) | bit);
  const count = load<u32>(scratch, MET_COUNT);
  if (count < MAX_MET) store<u32>(scratch + (count << 2), rule, MET);
  store<u32>(scratch, count + 1, MET_COUNT);
  return true;
}

function forgetMet(): void {
  const count = load<u32>(scratch, MET_COUNT);
  const bits = load<u32>(scratch, MET_BITS);
  if (count > MAX_MET) memory.fill(bits, 0, load<u32>(RULE_ROOM) >> 3);
  else
    for (let index: u32 = 0; index < count; index++) store<u8>(bits + (load<u32>(scratch + (index << 2), MET) >> 3), 0);
  store<u32>(scratch, 0, MET_COUNT);
}
