/**
 * Postings: for each anchor term, the rules worth a look when an event holds it. An entry is the rule (the address of its
 * program, or ~(number << 1 | several) where anchor and witnesses prove it) and two witnesses. The low half of its first
 * positive witness stands apart, at the front of the block: most candidates die on that, and their entries are never read.
 *
 *     block  count 2 | class 1 | has a next block 1 | half a witness 2 × c, padded | entries 12 × c | next block 4, if any
 *
 * A full block is copied into one of the next class; one of the last class gets another block before it. An entry that is
 * taken away leaves with its block: the others are copied into a block of the right class.
 */
import { countUsed, giveBlock, LIST_CLASSES, takeBlock } from './memory';

const LARGEST: u32 = 19;
const CHAINED_CLASSES: u32 = 32;
export const ENTRY: u32 = 12;
export const FIRST_HALF: u32 = 4;

/** 1, 2, 3, 4, 6, 8, 12, 16, … 768, 1,024. */
// @inline
function capacityOf(size: u32): u32 {
  if (size < 2) return size + 1;
  return size & 1 ? 4 << ((size - 3) >> 1) : 3 << ((size - 2) >> 1);
}

// @inline
export function entriesOf(block: u32): u32 {
  return block + FIRST_HALF + ((capacityOf(load<u8>(block, 2)) * 2 + 3) & ~3);
}

function bytesOf(size: u32, chained: u32): u32 {
  const capacity = capacityOf(size);
  return FIRST_HALF + ((capacity * 2 + 3) & ~3) + capacity * ENTRY + (chained << 2);
}

// @inline
export function nextBlock(block: u32): u32 {
  const chained = load<u8>(block, 3);
  return chained === 0 ? 0 : load<u32>(block + bytesOf(load<u8>(block, 2), 1) - 4);
}

function setNext(block: u32, next: u32): void {
  store<u32>(block + bytesOf(load<u8>(block, 2), 1) - 4, next);
}

function newBlock(size: u32, next: u32): u32 {
  const chained: u32 = next === 0 ? 0 : 1;
  const block = takeBlock(LIST_CLASSES + size + chained * CHAINED_CLASSES, bytesOf(size, chained));
  countUsed(bytesOf(size, chained));
  store<u16>(block, 0);
  store<u8>(block, <u8>size, 2);
  store<u8>(block, <u8>chained, 3);
  if (chained) setNext(block, next);
  return block;
}

function freeBlock(block: u32): void {
  const size = <u32>load<u8>(block, 2);
  const chained = <u32>load<u8>(block, 3);
  giveBlock(LIST_CLASSES + size + chained * CHAINED_CLASSES, bytesOf(size, chained), block);
  countUsed(-(<i32>bytesOf(size, chained)));
}

/** Adds an entry to the list at `list` (0: none yet), and returns where it begins now. */
export function addEntry(list: u32, rule: i32, first: i32, second: i32): u32 {
  const block = list === 0 ? newBlock(0, 0) : withRoom(list);
  const count = <u32>load<u16>(block);
  const half = first >= 0 ? first : second >= 0 ? second : 0;
  store<u16>(block + FIRST_HALF + (count << 1), <u16>half);
  const entry = entriesOf(block) + count * ENTRY;
  store<i32>(entry, rule);
  store<i32>(entry, first, 4);
  store<i32>(entry, second, 8);
  store<u16>(block, <u16>(count + 1));
  return block;
}

function withRoom(block: u32): u32 {
  const size = <u32>load<u8>(block, 2);
  const count = <u32>load<u16>(block);
  if (count < capacityOf(size)) return block;
  if (size === LARGEST) return newBlock(0, block);
  const larger = newBlock(size + 1, nextBlock(block));
  copyEntries(block, 0, count, larger);
  freeBlock(block);
  return larger;
}

/** Appends `count` entries of a block, from one on, to another. */
function copyEntries(block: u32, from: u32, count: u32, into: u32): void {
  const held = <u32>load<u16>(into);
  memory.copy(into + FIRST_HALF + (held << 1), block + FIRST_HALF + (from << 1), count << 1);
  memory.copy(entriesOf(into) + held * ENTRY, entriesOf(block) + from * ENTRY, count * ENTRY);
  store<u16>(into, <u16>(held + count));
}

/** Takes one entry of a rule away, whichever of its two forms it has, and returns where the list begins now. */
export function removeEntry(list: u32, rule: i32, proven: i32): u32 {
  let before: u32 = 0;
  let block = list;
  let index = indexIn(block, rule, proven);
  while (index < 0) {
    before = block;
    block = nextBlock(block);
    if (block === 0) unreachable();
    index = indexIn(block, rule, proven);
  }
  const rest = without(block, index);
  freeBlock(block);
  if (before === 0) return rest;
  if (rest !== 0) {
    setNext(before, rest);
    return list;
  }
  return withoutNext(list, before);
}

function indexIn(block: u32, rule: i32, proven: i32): i32 {
  const entries = entriesOf(block);
  const count = <i32>load<u16>(block);
  for (let index = 0; index < count; index++) {
    const found = load<i32>(entries + index * ENTRY);
    if (found === rule || found === proven) return index;
  }
  return -1;
}

/** A copy of a block without one entry; where that was its only one, the next block. */
function without(block: u32, index: u32): u32 {
  const count = <u32>load<u16>(block) - 1;
  const next = nextBlock(block);
  if (count === 0) return next;
  let size: u32 = load<u8>(block, 2);
  while (size > 0 && capacityOf(size - 1) >= count) size--;
  const smaller = newBlock(size, next);
  copyEntries(block, 0, index, smaller);
  copyEntries(block, index + 1, count - index, smaller);
  return smaller;
}

/** The list whose block `last` has nothing after it any more. */
function withoutNext(list: u32, last: u32): u32 {
  const copy = newBlock(load<u8>(last, 2), 0);
  copyEntries(last, 0, load<u16>(last), copy);
  freeBlock(last);
  if (last === list) return copy;
  let before = list;
  while (nextBlock(before) !== last) before = nextBlock(before);
  setNext(before, copy);
  return list;
}
