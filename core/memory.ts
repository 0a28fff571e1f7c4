/**
 * The one linear memory. A fixed part holds roots, tables and buffers; blocks are cut from the rest, and a block that is given
 * back is the next of its size to be handed out. Nothing that matters is kept in globals, so the memory is all there is.
 */

// Roots: one integer each.
export const TOP: u32 = 16;
export const SEED: u32 = 24;
export const DIRECTORY: u32 = 32;
export const DEPTH: u32 = 36;
/** One more than the largest term in use, the first of the free ones, how many are in use. */
export const TERMS_END: u32 = 40;
export const FREE_TERM: u32 = 44;
export const TERMS_USED: u32 = 48;
/** The postings of rules without an anchor. */
export const SLOW_LIST: u32 = 52;
export const USES_PAIRS: u32 = 56;
/** How many terms, rules and integers of a phrase each scratch has room for. */
export const TERM_ROOM: u32 = 64;
export const RULE_ROOM: u32 = 72;
export const PHRASE_ROOM: u32 = 116;
/** Bytes of programs, postings and texts of words. */
export const USED: u32 = 128;
/** Events counted for the shares of terms. Threads that count at once may lose one, which no share feels. */
export const COUNTED: u32 = 136;
/** A bit for each thing that patterns ask of texts: see `patterns.ts`. */
export const PATTERNS_ASK: u32 = 160;
/** The numbers of the fields that the walk of a line knows, and a bit for each that some rule names: see `fields.ts`. */
export const WANTED: u32 = 188;
export const WALK_FIELDS: u32 = 192;

// The fixed part.
const FREE: u32 = 1024;
export const TERM_PAGES: u32 = 3072;

/**
 * The scratch: all that an instance notes of the event at hand. Each thread has its own, and finds it by adding this number to
 * the places below. That of the writer stands in the fixed part, where the number is 0; the others are cut from the rest.
 */
// @external("env", "scratch")
export declare const scratch: u32;

export const SCRATCH: u32 = 7168;
/** The next scratch is there; 0 after the last. Only the writer follows it. */
export const NEXT_SCRATCH: u32 = SCRATCH;
/** One bit a term, one bit a rule with several anchors. */
export const TERM_BITS: u32 = SCRATCH + 4;
export const MET_BITS: u32 = SCRATCH + 8;
export const MET_COUNT: u32 = SCRATCH + 12;
/** The event at hand: its words, how many there is room for, how many there are. */
export const WORDS: u32 = SCRATCH + 16;
export const WORD_ROOM: u32 = SCRATCH + 20;
export const WORD_COUNT: u32 = SCRATCH + 24;
export const CHAINED: u32 = SCRATCH + 28;
/** The folded text of the event at hand, how many bytes there is room for, and its end. */
export const TEXT: u32 = SCRATCH + 32;
export const TEXT_ROOM: u32 = SCRATCH + 36;
export const TEXT_END: u32 = SCRATCH + 40;
/** Terms of patterns that fit the event at hand: where they stand, how many there is room for, how many there are. */
export const MARKS: u32 = SCRATCH + 44;
export const MARKS_ROOM: u32 = SCRATCH + 48;
export const MARKED: u32 = SCRATCH + 52;
/** Why the walk left the last line that it left: its JSON, a part of it that the walk does not read, its texts. */
export const LEFT_FOR: u32 = SCRATCH + 56;
export const FOR_SHAPE: u32 = 0;
export const FOR_PART: u32 = 1;
export const FOR_TEXT: u32 = 2;
/** Bytes from outside (terms, programs, lines) are put there. */
export const INPUT: u32 = SCRATCH + 60;
export const INPUT_ROOM: u32 = SCRATCH + 64;
/** Room for the search for the longest phrase. */
export const PHRASE: u32 = SCRATCH + 68;
/** Counters of the event at hand. */
export const EVALUATED: u32 = SCRATCH + 72;
export const MATCHED: u32 = SCRATCH + 76;
export const TOUCHED: u32 = SCRATCH + 80;
/** How often a matcher would have had to ask the program around it, for the event that it matches. */
export const UNDECIDED: u32 = SCRATCH + 84;
/** Events that were not counted since the last that was. */
export const SKIPPED: u32 = SCRATCH + 88;
/** The records of a matcher's batch, and whether the matcher is to stop after the line at hand. */
export const LINES: u32 = SCRATCH + 92;
export const STOP: u32 = SCRATCH + 96;
/** Steps that are left for the phrases of the event at hand; below zero no more are looked for. */
export const STEPS: u32 = SCRATCH + 100;
/** The id of the line walked last, and what is kept of the line, begin and end there. */
export const LINE_ID: u32 = SCRATCH + 128;
export const LINE_ID_END: u32 = SCRATCH + 132;
export const LINE_DATA: u32 = SCRATCH + 136;
export const LINE_INCLUDES: u32 = SCRATCH + 144;
/** Whether the line has other keys than `data` and `includes`, which are not kept. */
export const LINE_HAS_OTHERS: u32 = SCRATCH + 152;
export const FILTER: u32 = 8192;
export const CHAIN_HEADS: u32 = FILTER + 8192;
export const CANDIDATES: u32 = CHAIN_HEADS + 4096;
export const RESULTS: u32 = CANDIDATES + 16384;
export const MET: u32 = RESULTS + 65536;
export const SCRATCH_END: u32 = MET + 65536;

// The rest of the fixed part.
export const COUNTS: u32 = SCRATCH_END;
export const LOWER: u32 = COUNTS + 262144;
export const KINDS: u32 = LOWER + 131072;
/** Posts have the order of marks here; pages have words that their texts leave out, and second levels of countries' names. */
export const PAGE_WORDS: u32 = KINDS + 131072;
export const SECOND_LEVELS: u32 = PAGE_WORDS + 4096;
/** A bit for the hash of bytes that patterns ask for. */
export const PATTERN_BITS: u32 = KINDS + 196608;
const HEAP: u32 = PATTERN_BITS + 32768;

export const MAX_CANDIDATES: u32 = 4096;
export const MAX_RESULTS: u32 = 16384;
export const MAX_MET: u32 = 16384;
/** Terms are kept in pages of this many, and there are at most 1,024 pages. */
export const PAGE_BITS: u32 = 13;
export const MAX_TERMS: u32 = 1 << 23;

/** Free lists of blocks of words; those of the other kinds come after. */
export const LIST_CLASSES: u32 = 272;
export const SEGMENT_CLASS: u32 = 340;

const GROWTH: u32 = 64;

/** Forgets every block. Counts and tables, which stand in the fixed part, stay. */
export function start(seed: u32): void {
  memory.fill(0, 0, COUNTED);
  memory.fill(FREE, 0, CANDIDATES - FREE);
  store<u32>(TOP, HEAP);
  store<u32>(SEED, seed);
}

/** Makes sure that `bytes` can be cut. False when the memory can grow no more. */
export function reserve(bytes: u32): bool {
  const wanted = <u64>load<u32>(TOP) + bytes;
  const held = (<u64>memory.size()) << 16;
  if (wanted <= held) return true;
  const pages = <u32>((wanted - held + 65535) >> 16);
  return memory.grow(max(pages, GROWTH)) >= 0 || memory.grow(pages) >= 0;
}

/** Only the writer takes blocks and gives them back. A matcher that would is stopped before it changes anything. */
export function takeBlock(list: u32, size: u32): u32 {
  if (scratch !== 0) unreachable();
  const head = FREE + (list << 2);
  const block = load<u32>(head);
  if (block === 0) return cut(size);
  store<u32>(head, load<u32>(block));
  return block;
}

/** Takes a block that begins at a multiple of 64: no place of 32 bytes in it stands in two lines of the processor's cache. */
export function takeAligned(list: u32, size: u32): u32 {
  if (load<u32>(FREE + (list << 2)) === 0) cut(<u32>-load<i32>(TOP) & 63);
  return takeBlock(list, size);
}

export function giveBlock(list: u32, _size: u32, block: u32): void {
  if (scratch !== 0) unreachable();
  const head = FREE + (list << 2);
  store<u32>(block, load<u32>(head));
  store<u32>(head, block);
}

function cut(size: u32): u32 {
  if (!reserve(size)) unreachable();
  const block = load<u32>(TOP);
  store<u32>(TOP, block + size);
  return block;
}

/** A block of at least `size` bytes with undefined content. */
export function take(size: u32): u32 {
  const room = roomOf(size);
  return takeBlock(classOf(room), room);
}

export function give(block: u32, size: u32): void {
  const room = roomOf(size);
  giveBlock(classOf(room), room, block);
}

/** Up to 256 bytes every size has its own free list; above, there are eight sizes for each doubling. */
function roomOf(size: u32): u32 {
  if (size <= 256) return (max(size, 4) + 3) & ~3;
  const step: u32 = 1 << (28 - clz(size - 1));
  return (size + step - 1) & ~(step - 1);
}

function classOf(room: u32): u32 {
  if (room <= 256) return room >> 2;
  const power = 31 - clz(room);
  return 65 + ((power - 8) << 3) + ((room >> (power - 3)) & 7);
}

/** Counts bytes that rules take up; negative when they are given back. */
export function countUsed(bytes: i32): void {
  store<i32>(USED, load<i32>(USED) + bytes);
}

/** A block of zeros. */
export function takeZeros(size: u32): u32 {
  const block = take(size);
  memory.fill(block, 0, size);
  return block;
}
