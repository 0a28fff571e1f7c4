/**
 * From keys to terms: extendible hashing. The top bits of a hash choose a segment of 512 slots by a directory, the low bits a
 * slot in it. A full segment is split in two or, where most of it is dead, written again; nothing ever stops for a whole table.
 *
 *     slot     key 16 | term 4 (0: empty, DEAD) | uses 4 | postings 4 | text of a hashed word 4: length, field, bytes
 *     segment  filled 4 | alive 4 | depth 4 | padding to 64 | 512 slots
 */
import { FIELD, hashedHigh, hashedLow, hashOf, highOf, isHashed, lowOf, mustHash } from './key';
import {
  countUsed,
  DEPTH,
  DIRECTORY,
  FREE_TERM,
  give,
  giveBlock,
  MAX_TERMS,
  PAGE_BITS,
  SEGMENT_CLASS,
  TERM_PAGES,
  TERM_ROOM,
  TERMS_END,
  TERMS_USED,
  take,
  takeAligned,
  takeZeros,
} from './memory';
import { growTermBits } from './scratch';

const SLOT_BITS: u32 = 5;
const SLOTS: u32 = 512;
const HEADER: u32 = 64;
const SEGMENT: u32 = HEADER + (SLOTS << SLOT_BITS);
const FULL: u32 = 384;
const DEAD: u32 = 0xffffffff;
const DEEPEST: u32 = 20;

/** The numbers below this are not words but pairs of neighbours; 0 is the term that every event holds. */
export const FIRST_TERM: u32 = 8192;

export const TERM: u32 = 16;
export const USES: u32 = 20;
export const POSTINGS: u32 = 24;
const TEXT_OF: u32 = 28;

export function startDictionary(): void {
  const directory = take(8);
  const segment = newSegment(0);
  store<u32>(directory, segment);
  store<u32>(directory + 4, segment);
  store<u32>(DIRECTORY, directory);
  store<u32>(DEPTH, 1);
  store<u32>(TERMS_END, FIRST_TERM);
  store<u32>(FREE_TERM, 0);
  growTermBits(FIRST_TERM << 1);
}

function newSegment(depth: u32): u32 {
  const segment = takeAligned(SEGMENT_CLASS, SEGMENT);
  memory.fill(segment, 0, SEGMENT);
  store<u32>(segment, depth, 8);
  return segment;
}

// @inline
export function segmentOf(hash: u32): u32 {
  return load<u32>(load<u32>(DIRECTORY) + ((hash >> (32 - load<u32>(DEPTH))) << 2));
}

/** The first slot where a word with this hash may stand. */
// @inline
export function firstSlot(segment: u32, hash: u32): u32 {
  return segment + HEADER + ((hash & (SLOTS - 1)) << SLOT_BITS);
}

// @inline
function nextSlot(slot: u32, segment: u32): u32 {
  const next = slot + (1 << SLOT_BITS);
  return next === segment + SEGMENT ? segment + HEADER : next;
}

/** The slot of a word, or 0. `at`, `length` and `field` are those of the word itself. */
export function findSlot(low: u64, high: u64, hash: u32, at: u32, length: u32, field: u32): u32 {
  const segment = segmentOf(hash);
  let slot = firstSlot(segment, hash);
  while (load<u32>(slot, TERM) !== 0) {
    if (load<u64>(slot) === low && load<u64>(slot, 8) === high && load<u32>(slot, TERM) !== DEAD) {
      if (!isHashed(high) || hasText(slot, at, length, field)) return slot;
    }
    slot = nextSlot(slot, segment);
  }
  return 0;
}

function hasText(slot: u32, at: u32, length: u32, field: u32): bool {
  const text = load<u32>(slot, TEXT_OF);
  return load<u32>(text) === length && load<u32>(text, 4) === field && memory.compare(text + 8, at, length) === 0;
}

// @inline
export function slotOf(term: u32): u32 {
  return load<u32>(load<u32>(TERM_PAGES + ((term >> PAGE_BITS) << 2)) + ((term & ((1 << PAGE_BITS) - 1)) << 2));
}

function setSlotOf(term: u32, slot: u32): void {
  const page = TERM_PAGES + ((term >> PAGE_BITS) << 2);
  if (load<u32>(page) === 0) store<u32>(page, takeZeros(4 << PAGE_BITS));
  store<u32>(load<u32>(page) + ((term & ((1 << PAGE_BITS) - 1)) << 2), slot);
}

/** The term of a word, from now on used once more. 0 when there are too many terms. `place` is the field, and `HOLDS_NUL`. */
export function useTerm(at: u32, length: u32, place: u32): u32 {
  const field = place & FIELD;
  const hashed = mustHash(length, place);
  const low = hashed ? hashedLow(at, length, field) : lowOf(at, length);
  const high = hashed ? hashedHigh(low) : highOf(at, length, field);
  const hash = hashOf(low, high);
  const known = findSlot(low, high, hash, at, length, field);
  if (known !== 0) {
    store<u32>(known, load<u32>(known, USES) + 1, USES);
    return load<u32>(known, TERM);
  }
  const term = newTerm();
  if (term === 0) return 0;
  const slot = freeSlot(hash);
  store<u64>(slot, low);
  store<u64>(slot, high, 8);
  store<u32>(slot, 1, USES);
  store<u32>(slot, 0, POSTINGS);
  store<u32>(slot, hashed ? copyText(at, length, field) : 0, TEXT_OF);
  store<u32>(slot, term, TERM);
  setSlotOf(term, slot);
  return term;
}

function copyText(at: u32, length: u32, field: u32): u32 {
  const text = take(8 + length);
  countUsed(8 + length);
  store<u32>(text, length);
  store<u32>(text, field, 4);
  memory.copy(text + 8, at, length);
  return text;
}

function newTerm(): u32 {
  let term = load<u32>(FREE_TERM);
  if (term !== 0) {
    store<u32>(FREE_TERM, slotOf(term));
  } else {
    term = load<u32>(TERMS_END);
    if (term >= MAX_TERMS) return 0;
    store<u32>(TERMS_END, term + 1);
    if (term >= load<u32>(TERM_ROOM)) growTermBits(term << 1);
  }
  store<u32>(TERMS_USED, load<u32>(TERMS_USED) + 1);
  return term;
}

/** Undoes one `useTerm`. */
export function releaseTerm(term: u32): void {
  const slot = slotOf(term);
  const uses = load<u32>(slot, USES) - 1;
  store<u32>(slot, uses, USES);
  if (uses > 0) return;
  const text = load<u32>(slot, TEXT_OF);
  if (text !== 0) {
    countUsed(-8 - load<i32>(text));
    give(text, 8 + load<u32>(text));
  }
  const segment = segmentOf(hashOf(load<u64>(slot), load<u64>(slot, 8)));
  store<u32>(slot, DEAD, TERM);
  store<u32>(segment, load<u32>(segment, 4) - 1, 4);
  setSlotOf(term, load<u32>(FREE_TERM));
  store<u32>(FREE_TERM, term);
  store<u32>(TERMS_USED, load<u32>(TERMS_USED) - 1);
}

/** An empty slot for a hash, made by splitting where there is none. */
function freeSlot(hash: u32): u32 {
  let segment = segmentOf(hash);
  while (load<u32>(segment) >= FULL) {
    makeRoom(segment, hash);
    segment = segmentOf(hash);
  }
  let slot = firstSlot(segment, hash);
  while (load<u32>(slot, TERM) !== 0) slot = nextSlot(slot, segment);
  store<u32>(segment, load<u32>(segment) + 1);
  store<u32>(segment, load<u32>(segment, 4) + 1, 4);
  return slot;
}

function makeRoom(segment: u32, hash: u32): void {
  const depth = load<u32>(segment, 8);
  if (load<u32>(segment, 4) < FULL / 2) {
    const copy = newSegment(depth);
    moveSlots(segment, copy, copy, depth);
    publish(hash, depth, copy);
  } else {
    if (depth === DEEPEST) unreachable();
    if (depth === load<u32>(DEPTH)) doubleDirectory();
    const low = newSegment(depth + 1);
    const high = newSegment(depth + 1);
    moveSlots(segment, low, high, depth);
    const bit: u32 = 1 << (31 - depth);
    publish(hash & ~bit, depth + 1, low);
    publish(hash | bit, depth + 1, high);
  }
  giveBlock(SEGMENT_CLASS, SEGMENT, segment);
}

/** Moves what is alive to `low` or `high`, by the bit of the hash after the first `depth`. */
function moveSlots(segment: u32, low: u32, high: u32, depth: u32): void {
  const end = segment + SEGMENT;
  for (let slot = segment + HEADER; slot < end; slot += 1 << SLOT_BITS) {
    const term = load<u32>(slot, TERM);
    if (term === 0 || term === DEAD) continue;
    const hash = hashOf(load<u64>(slot), load<u64>(slot, 8));
    const into = (hash >> (31 - depth)) & 1 ? high : low;
    let place = firstSlot(into, hash);
    while (load<u32>(place, TERM) !== 0) place = nextSlot(place, into);
    memory.copy(place, slot, 1 << SLOT_BITS);
    setSlotOf(term, place);
    store<u32>(into, load<u32>(into) + 1);
    store<u32>(into, load<u32>(into, 4) + 1, 4);
  }
}

/** Leads all hashes that share their first `depth` bits with `hash` to a segment. */
function publish(hash: u32, depth: u32, segment: u32): void {
  const spare = load<u32>(DEPTH) - depth;
  const prefix = depth === 0 ? 0 : hash >> (32 - depth);
  const from = load<u32>(DIRECTORY) + ((prefix << spare) << 2);
  const end = from + (4 << spare);
  for (let place = from; place < end; place += 4) store<u32>(place, segment);
}

function doubleDirectory(): void {
  const depth = load<u32>(DEPTH);
  const old = load<u32>(DIRECTORY);
  const directory = take(8 << depth);
  for (let index: u32 = 0; index < (<u32>1) << depth; index++) {
    const segment = load<u32>(old + (index << 2));
    store<u32>(directory + (index << 3), segment);
    store<u32>(directory + (index << 3) + 4, segment);
  }
  store<u32>(DIRECTORY, directory);
  store<u32>(DEPTH, depth + 1);
  give(old, 4 << depth);
}

/** The hash of a term: its share is counted under it. */
export function hashOfTerm(term: u32): u32 {
  const slot = slotOf(term);
  return hashOf(load<u64>(slot), load<u64>(slot, 8));
}
