/**
 * Terms as small integers. A term is a word in a field; an event's words are looked up by keys made straight from the
 * text of their piece, so no string is made for a word, known or not. Terms are counted, and forgotten with the last rule
 * using them.
 *
 * The hash table holds a term and a few bits of its hash in one integer; what else is known of a term stands in a row of
 * its own. So the table is small, and the rows of words that many rules name, which come early, lie side by side: both
 * stay in the processor's cache. The table is cut into segments that grow one by one, as growth must not stall a put.
 */
import { Arena, chunkOf, Numbers, offsetOf, type Ref } from './arena.ts';
import type { TermField } from './field.ts';
import { isHashed, newWordKey, readKey, type WordKey } from './word-key.ts';

const SEGMENT_BITS = 8;
const SEGMENTS = 1 << SEGMENT_BITS;
const FIRST_SLOTS = 8;
/** A slot: term << 8 | tag, 0 when it is empty. */
const TAG_BITS = 8;
const TAG = (1 << TAG_BITS) - 1;
const MAX_TERMS = 1 << (32 - TAG_BITS);
/** A row: both halves of the key, the head of the postings, the record. */
const ROW = 4;
const PAGE_BITS = 12;
const PAGE = 1 << PAGE_BITS;
/** Some thousand words make up most of any text. They are found in a table small enough for a near cache. */
const HOT = 16_384;
const HOT_ROW = 4;
/** A record: uses, hash, field, length, then the characters, two to an integer. */
const HEADER = 4;

/** The term that every event holds. It has no text. */
export const ALWAYS = 0;
/** The numbers below this are not words but pairs of neighbours, many pairs to a number: see `pairOf`. */
const PAIR_BITS = 13;
export const FIRST_TERM = 1 << PAIR_BITS;

/**
 * The number that stands for two terms side by side. An event that has it may have them so; one that has not does not.
 * It may be `ALWAYS`, which then says nothing.
 */
export const pairOf = (first: number, second: number): number =>
  Math.imul(Math.imul(first, 0x9e3779b1) ^ second, 0x85ebca6b) >>> (32 - PAIR_BITS);

export class Dictionary {
  readonly #segments = Array.from({ length: SEGMENTS }, () => new Int32Array(FIRST_SLOTS));
  readonly #filled = new Int32Array(SEGMENTS);
  readonly #rows: Int32Array[] = [];
  readonly #records = new Arena();
  readonly #terms = new Numbers(FIRST_TERM);
  readonly #key = newWordKey();
  /** The words met lately, known or not: both halves of the key, the term (0 when the place is empty), its postings. */
  readonly #hot = new Int32Array(HOT * HOT_ROW);
  /** The postings of the term that `find` found last. */
  foundPostings: Ref = 0;

  /** The term of a word, or -1; `foundPostings` are then its postings. */
  find(key: WordKey, field: TermField, text: string, start: number, end: number): number {
    const hot = this.#hot;
    const at = (key.hash & (HOT - 1)) * HOT_ROW;
    if (hot[at] === key.first && hot[at + 1] === key.second && hot[at + 2] !== 0) {
      this.foundPostings = hot[at + 3]!;
      return hot[at + 2]!;
    }
    const term = this.#search(key, field, text, start, end);
    this.foundPostings = term < 0 ? 0 : this.#row(term, 2);
    if (!isHashed(key)) {
      hot[at] = key.first;
      hot[at + 1] = key.second;
      hot[at + 2] = term;
      hot[at + 3] = this.foundPostings;
    }
    return term;
  }

  #search(key: WordKey, field: TermField, text: string, start: number, end: number): number {
    const { first, second, hash } = key;
    const segment = this.#segments[hash >>> (32 - SEGMENT_BITS)]!;
    const mask = segment.length - 1;
    const tag = tagOf(hash);
    for (let at = hash & mask; segment[at] !== 0; at = (at + 1) & mask) {
      if ((segment[at]! & TAG) !== tag) continue;
      const term = segment[at]! >>> TAG_BITS;
      const row = this.#rows[term >>> PAGE_BITS]!;
      const column = (term & (PAGE - 1)) * ROW;
      if (row[column] !== first || row[column + 1] !== second) continue;
      if (isHashed(key) && !this.#same(row[column + 3]!, field, text, start, end)) continue;
      return term;
    }
    return -1;
  }

  /** The term of a text in a field, from now on used once more. */
  use(field: TermField, text: string): number {
    readKey(this.#key, text, 0, text.length, field);
    const known = this.find(this.#key, field, text, 0, text.length);
    if (known >= 0) {
      this.#countUse(known, 1);
      return known;
    }
    const term = this.#terms.take();
    if (term >= MAX_TERMS) throw new RangeError('the rules use too many different words');
    this.#rows[term >>> PAGE_BITS] ??= new Int32Array(PAGE * ROW);
    this.#setRow(term, 0, this.#key.first);
    this.#setRow(term, 1, this.#key.second);
    this.#setRow(term, 2, 0);
    this.#setRow(term, 3, this.#write(field, text));
    this.#insert(term, this.#key.hash);
    this.#cool(this.#key.hash);
    return term;
  }

  /** Undoes one `use`. */
  release(term: number): void {
    if (this.#countUse(term, -1) > 0) return;
    const length = this.lengthOf(term);
    this.#remove(this.hash(term), term);
    this.#cool(this.hash(term));
    this.#records.give(this.#row(term, 3), HEADER + ((length + 1) >> 1));
    this.#terms.give(term);
  }

  hash(term: number): number {
    return this.#inRecord(term, 1);
  }

  fieldOf(term: number): number {
    return this.#inRecord(term, 2);
  }

  lengthOf(term: number): number {
    return this.#inRecord(term, 3);
  }

  textOf(term: number): string {
    const record = this.#row(term, 3);
    const chunk = this.#records.chunks[chunkOf(record)]!;
    const at = offsetOf(record) + HEADER;
    let text = '';
    for (let unit = 0; unit < chunk[at - 1]!; unit++) text += String.fromCharCode(unitAt(chunk, at, unit));
    return text;
  }

  postings(term: number): Ref {
    return this.#row(term, 2);
  }

  setPostings(term: number, head: Ref): void {
    this.#setRow(term, 2, head);
    this.#cool(this.hash(term));
  }

  get size(): number {
    return this.#terms.inUse;
  }

  /** One more than the largest term. */
  get end(): number {
    return this.#terms.end;
  }

  get used(): number {
    return this.#records.used;
  }

  get bytes(): number {
    const tables = this.#segments.reduce((sum, segment) => sum + segment.byteLength, 0);
    const rows = this.#rows.reduce((sum, page) => sum + page.byteLength, 0);
    return tables + rows + this.#records.bytes + this.#hot.byteLength;
  }

  /** Forgets what the table of hot words says about a word that has changed. */
  #cool(hash: number): void {
    this.#hot[(hash & (HOT - 1)) * HOT_ROW + 2] = 0;
  }

  #row(term: number, column: number): number {
    return this.#rows[term >>> PAGE_BITS]![(term & (PAGE - 1)) * ROW + column]!;
  }

  #setRow(term: number, column: number, value: number): void {
    this.#rows[term >>> PAGE_BITS]![(term & (PAGE - 1)) * ROW + column] = value;
  }

  #same(record: Ref, field: TermField, text: string, start: number, end: number): boolean {
    const chunk = this.#records.chunks[chunkOf(record)]!;
    const at = offsetOf(record) + HEADER;
    const length = end - start;
    if (chunk[at - 2] !== field.number || chunk[at - 1] !== length) return false;
    for (let unit = 0; unit < length; unit++) {
      if (text.charCodeAt(start + unit) !== unitAt(chunk, at, unit)) return false;
    }
    return true;
  }

  #write(field: TermField, text: string): Ref {
    const record = this.#records.take(HEADER + ((text.length + 1) >> 1));
    const chunk = this.#records.chunks[chunkOf(record)]!;
    const at = offsetOf(record);
    chunk[at] = 1;
    chunk[at + 1] = this.#key.hash;
    chunk[at + 2] = field.number;
    chunk[at + 3] = text.length;
    writeUnits(chunk, at + HEADER, text);
    return record;
  }

  #inRecord(term: number, index: number): number {
    const record = this.#row(term, 3);
    return this.#records.chunks[chunkOf(record)]![offsetOf(record) + index]!;
  }

  #countUse(term: number, change: number): number {
    const record = this.#row(term, 3);
    const chunk = this.#records.chunks[chunkOf(record)]!;
    const uses = chunk[offsetOf(record)]! + change;
    chunk[offsetOf(record)] = uses;
    return uses;
  }

  #insert(term: number, hash: number): void {
    const index = hash >>> (32 - SEGMENT_BITS);
    const filled = ++this.#filled[index]!;
    const segment = this.#segments[index]!;
    if (filled * 2 > segment.length) this.#segments[index] = this.#grown(segment);
    place(this.#segments[index]!, hash, term);
  }

  #grown(segment: Int32Array): Int32Array<ArrayBuffer> {
    const larger = new Int32Array(segment.length * 2);
    for (const slot of segment) if (slot !== 0) place(larger, this.hash(slot >>> TAG_BITS), slot >>> TAG_BITS);
    return larger;
  }

  /** Empties a slot, and moves up what was pushed past it. */
  #remove(hash: number, term: number): void {
    const index = hash >>> (32 - SEGMENT_BITS);
    const segment = this.#segments[index]!;
    const mask = segment.length - 1;
    let gap = hash & mask;
    while (segment[gap]! >>> TAG_BITS !== term) gap = (gap + 1) & mask;
    for (let at = (gap + 1) & mask; segment[at] !== 0; at = (at + 1) & mask) {
      const home = this.hash(segment[at]! >>> TAG_BITS) & mask;
      if (((at - home) & mask) < ((at - gap) & mask)) continue;
      segment[gap] = segment[at]!;
      gap = at;
    }
    segment[gap] = 0;
    if (--this.#filled[index]! === 0) this.#segments[index] = new Int32Array(FIRST_SLOTS);
  }
}

/** Bits that neither the choice of the segment nor, in tables of usual size, that of the slot depends on. */
const tagOf = (hash: number): number => (hash >>> (32 - SEGMENT_BITS - TAG_BITS)) & TAG;

function place(segment: Int32Array, hash: number, term: number): void {
  const mask = segment.length - 1;
  let at = hash & mask;
  while (segment[at] !== 0) at = (at + 1) & mask;
  segment[at] = (term << TAG_BITS) | tagOf(hash);
}

/** Characters lie two to an integer. */
function writeUnits(into: Int32Array, at: number, text: string): void {
  for (let unit = 0; unit < text.length; unit += 2) {
    const second = unit + 1 < text.length ? text.charCodeAt(unit + 1) : 0;
    into[at + (unit >> 1)] = text.charCodeAt(unit) | (second << 16);
  }
}

/** The characters of a text as they stand in a program. */
export function unitsOf(text: string): { length: number; packed: Int32Array } {
  const packed = new Int32Array((text.length + 1) >> 1);
  writeUnits(packed, 0, text);
  return { length: text.length, packed };
}

export const unitAt = (from: Int32Array, at: number, unit: number): number =>
  (from[at + (unit >> 1)]! >>> ((unit & 1) << 4)) & 0xffff;
