/**
 * Terms as small integers. A term is a word in a field; an event's words are looked up straight from the text of their
 * piece, so no string is made for a word, known or not. Terms are counted, and forgotten with the last rule using them.
 *
 * The table is cut into segments, each open-addressed and grown on its own: growth never stalls a rule being put.
 */
import { Arena, chunkOf, IntList, Numbers, offsetOf, type Ref } from './arena.ts';

const SEGMENT_BITS = 8;
const SEGMENTS = 1 << SEGMENT_BITS;
/** A slot: hash, term (one more than it, 0 when the slot is empty), head of its postings, record. */
const SLOT = 4;
const FIRST_SLOTS = 4;
/** A record: uses, hash, field, length, then the characters, two to an integer. */
const HEADER = 4;

/** The term that every event holds. It has no text. */
export const ALWAYS = 0;

export class Dictionary {
  /** The postings of the term that `find` found last. */
  foundPostings: Ref = 0;
  readonly #segments = Array.from({ length: SEGMENTS }, () => new Int32Array(FIRST_SLOTS * SLOT));
  readonly #filled = new Int32Array(SEGMENTS);
  readonly #records = new Arena();
  readonly #recordOf = new IntList();
  readonly #terms = new Numbers();

  constructor() {
    this.#terms.take();
  }

  /** The term of these characters in a field, or -1. `hash` is `hashOf` the same. */
  find(hash: number, field: number, text: string, start: number, end: number): number {
    const segment = this.#segments[hash >>> (32 - SEGMENT_BITS)]!;
    const mask = segment.length - 1;
    for (let at = (hash * SLOT) & mask; segment[at + 1] !== 0; at = (at + SLOT) & mask) {
      if (segment[at] === hash && this.#same(segment[at + 3]!, field, text, start, end)) {
        this.foundPostings = segment[at + 2]!;
        return segment[at + 1]! - 1;
      }
    }
    return -1;
  }

  /** The term of a text in a field, from now on used once more. */
  use(field: number, text: string, seed: number): number {
    const hash = hashOf(text, 0, text.length, seed);
    const known = this.find(hash, field, text, 0, text.length);
    if (known >= 0) {
      this.#usesOf(known, 1);
      return known;
    }
    const term = this.#terms.take();
    const record = this.#write(hash, field, text);
    this.#recordOf.set(term, record);
    this.#insert(hash, term, record);
    return term;
  }

  /** Undoes one `use`. */
  release(term: number): void {
    if (this.#usesOf(term, -1) > 0) return;
    const record = this.#recordOf.at(term);
    const length = this.#field(record, 3);
    this.#remove(this.hash(term), term);
    this.#records.give(record, HEADER + ((length + 1) >> 1));
    this.#terms.give(term);
  }

  hash(term: number): number {
    return this.#field(this.#recordOf.at(term), 1);
  }

  fieldOf(term: number): number {
    return this.#field(this.#recordOf.at(term), 2);
  }

  lengthOf(term: number): number {
    return this.#field(this.#recordOf.at(term), 3);
  }

  textOf(term: number): string {
    const record = this.#recordOf.at(term);
    const chunk = this.#records.chunks[chunkOf(record)]!;
    const at = offsetOf(record) + HEADER;
    let text = '';
    for (let unit = 0; unit < chunk[at - 1]!; unit++) text += String.fromCharCode(unitAt(chunk, at, unit));
    return text;
  }

  postings(term: number): Ref {
    const segment = this.#segmentOf(this.hash(term));
    return segment[this.#slotOf(segment, this.hash(term), term) + 2]!;
  }

  setPostings(term: number, head: Ref): void {
    const segment = this.#segmentOf(this.hash(term));
    segment[this.#slotOf(segment, this.hash(term), term) + 2] = head;
  }

  /** How many terms there are, and one more than the largest. */
  get size(): number {
    return this.#terms.inUse - 1;
  }

  get end(): number {
    return this.#terms.end;
  }

  get used(): number {
    return this.#records.used;
  }

  get bytes(): number {
    const tables = this.#segments.reduce((sum, segment) => sum + segment.byteLength, 0);
    return tables + this.#records.bytes + this.#recordOf.bytes;
  }

  #segmentOf(hash: number): Int32Array {
    return this.#segments[hash >>> (32 - SEGMENT_BITS)]!;
  }

  #slotOf(segment: Int32Array, hash: number, term: number): number {
    const mask = segment.length - 1;
    let at = (hash * SLOT) & mask;
    while (segment[at + 1] !== term + 1) at = (at + SLOT) & mask;
    return at;
  }

  #same(record: Ref, field: number, text: string, start: number, end: number): boolean {
    const chunk = this.#records.chunks[chunkOf(record)]!;
    const at = offsetOf(record) + HEADER;
    const length = end - start;
    if (chunk[at - 2] !== field || chunk[at - 1] !== length) return false;
    let unit = 0;
    for (let pair = at; unit < length - 1; unit += 2, pair++) {
      const two = text.charCodeAt(start + unit) | (text.charCodeAt(start + unit + 1) << 16);
      if (chunk[pair] !== two) return false;
    }
    return unit === length || chunk[at + (unit >> 1)] === text.charCodeAt(end - 1);
  }

  #write(hash: number, field: number, text: string): Ref {
    const record = this.#records.take(HEADER + ((text.length + 1) >> 1));
    const chunk = this.#records.chunks[chunkOf(record)]!;
    const at = offsetOf(record);
    chunk[at] = 1;
    chunk[at + 1] = hash;
    chunk[at + 2] = field;
    chunk[at + 3] = text.length;
    writeUnits(chunk, at + HEADER, text);
    return record;
  }

  #field(record: Ref, index: number): number {
    return this.#records.chunks[chunkOf(record)]![offsetOf(record) + index]!;
  }

  #usesOf(term: number, change: number): number {
    const record = this.#recordOf.at(term);
    const chunk = this.#records.chunks[chunkOf(record)]!;
    const uses = chunk[offsetOf(record)]! + change;
    chunk[offsetOf(record)] = uses;
    return uses;
  }

  #insert(hash: number, term: number, record: Ref): void {
    const index = hash >>> (32 - SEGMENT_BITS);
    const filled = ++this.#filled[index]!;
    const segment = this.#segments[index]!;
    if (filled * SLOT * 5 > segment.length * 3) this.#segments[index] = grown(segment);
    place(this.#segments[index]!, hash, term + 1, 0, record);
  }

  /** Empties a slot, and moves up what was pushed past it. */
  #remove(hash: number, term: number): void {
    const segment = this.#segmentOf(hash);
    const mask = segment.length - 1;
    let gap = this.#slotOf(segment, hash, term);
    for (let at = (gap + SLOT) & mask; segment[at + 1] !== 0; at = (at + SLOT) & mask) {
      const home = (segment[at]! * SLOT) & mask;
      if (((at - home) & mask) < ((at - gap) & mask)) continue;
      segment.copyWithin(gap, at, at + SLOT);
      gap = at;
    }
    segment.fill(0, gap, gap + SLOT);
    const index = hash >>> (32 - SEGMENT_BITS);
    if (--this.#filled[index]! === 0) this.#segments[index] = new Int32Array(FIRST_SLOTS * SLOT);
  }
}

function place(segment: Int32Array, hash: number, key: number, postings: Ref, record: Ref): void {
  const mask = segment.length - 1;
  let at = (hash * SLOT) & mask;
  while (segment[at + 1] !== 0) at = (at + SLOT) & mask;
  segment[at] = hash;
  segment[at + 1] = key;
  segment[at + 2] = postings;
  segment[at + 3] = record;
}

function grown(segment: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(segment.length * 2);
  for (let at = 0; at < segment.length; at += SLOT) {
    if (segment[at + 1] !== 0) place(larger, segment[at]!, segment[at + 1]!, segment[at + 2]!, segment[at + 3]!);
  }
  return larger;
}

/** FNV-1a from a seed of the field's, then mixed, as the table takes its low bits and its high bits apart. */
export function hashOf(text: string, start: number, end: number, seed: number): number {
  let hash = seed;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}

/** Characters lie two to an integer. */
export function writeUnits(into: Int32Array, at: number, text: string): void {
  for (let unit = 0; unit < text.length; unit += 2) {
    const second = unit + 1 < text.length ? text.charCodeAt(unit + 1) : 0;
    into[at + (unit >> 1)] = text.charCodeAt(unit) | (second << 16);
  }
}

export const unitAt = (from: Int32Array, at: number, unit: number): number =>
  (from[at + (unit >> 1)]! >>> ((unit & 1) << 4)) & 0xffff;
