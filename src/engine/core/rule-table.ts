/**
 * Rules by number: their ids, where their programs lie, and the way back from an id to its number. Nothing but the id
 * itself is an object; the table of ids is cut into segments so that its growth never stalls a rule being put.
 */
import { columnOf, type StringColumn, stringAt } from '../../base/string-column.ts';
import { Numbers } from '../compile/fields.ts';

const BLOCK_BITS = 14;
const BLOCK = 1 << BLOCK_BITS;

/** A list of integers that grows without being copied. */
export class IntList {
  readonly #pages: Int32Array[] = [];

  at(index: number): number {
    return this.#pages[index >>> BLOCK_BITS]![index & (BLOCK - 1)]!;
  }

  set(index: number, value: number): void {
    const page = index >>> BLOCK_BITS;
    this.#pages[page] ??= new Int32Array(BLOCK);
    this.#pages[page][index & (BLOCK - 1)] = value;
  }

  get bytes(): number {
    return this.#pages.length * BLOCK * 4;
  }

  /** The first `end` of them. */
  toArray(end: number): Int32Array<ArrayBuffer> {
    const all = new Int32Array(end);
    for (let from = 0; from < end; from += BLOCK)
      all.set(this.#pages[from >>> BLOCK_BITS]!.subarray(0, end - from), from);
    return all;
  }

  restore(values: Int32Array): void {
    for (let from = 0; from < values.length; from += BLOCK) {
      const page = new Int32Array(BLOCK);
      page.set(values.subarray(from, from + BLOCK));
      this.#pages[from >>> BLOCK_BITS] = page;
    }
  }
}

const SEGMENT_BITS = 8;
const FIRST_SLOTS = 8;
/**
 * A slot holds a rule's number and one, with five bits of the hash above it: most other ids are told apart by these, and not read.
 * More numbers would take more memory than the core has, even if each rule were a single integer.
 */
const NUMBER_BITS = 27;
const NUMBER = (1 << NUMBER_BITS) - 1;
/** The bits of the hash that choose neither a segment nor a place in one of less than a million rules. */
const TAG_SHIFT = 19;
/** A page of ids grows by itself up to this many. */
const PAGE_BITS = 16;
const PAGE = 1 << PAGE_BITS;

/** The whole table in a few pieces of memory. */
export interface RuleColumns {
  /** 0 for a number that no rule has. */
  readonly programs: Int32Array;
  readonly ids: StringColumn;
  /** The slots of each segment, and all segments one after another. */
  readonly sizes: Int32Array;
  readonly slots: Int32Array;
}

export class RuleTable {
  /** An id is undefined while it is still to be read from `#restored`. */
  readonly #ids: (string | undefined)[][] = [];
  #restored: StringColumn | undefined;
  readonly #programs = new IntList();
  readonly #numbers = new Numbers();
  /** 0 is an empty slot. */
  readonly #segments = Array.from({ length: 1 << SEGMENT_BITS }, () => new Int32Array(FIRST_SLOTS));
  readonly #filled = new Int32Array(1 << SEGMENT_BITS);
  /** Rules that no slot leads to yet. */
  #waiting: number[] = [];
  /** Putting a rule asks for its id several times. */
  #lastId = '';
  #lastHash = hash('');

  get size(): number {
    return this.#numbers.inUse;
  }

  /** One more than the largest number in use. */
  get end(): number {
    return this.#numbers.end;
  }

  /** The bytes of the tables, and of the references to the ids, but not of the ids' own characters. */
  get bytes(): number {
    const segments = this.#segments.reduce((sum, segment) => sum + segment.byteLength, 0);
    return segments + this.#programs.bytes + this.end * 8;
  }

  add(id: string, program: number): number {
    const number = this.#take(id, program);
    this.#insert(number, this.#hashOf(id));
    return number;
  }

  /** Adds one of many rules, each with an id of its own: their slots are filled together, when the first id is asked for. */
  append(id: string, program: number): number {
    const number = this.#take(id, program);
    this.#waiting.push(number);
    return number;
  }

  #take(id: string, program: number): number {
    const number = this.#numbers.take();
    this.#ids[number >>> PAGE_BITS] ??= [];
    this.#ids[number >>> PAGE_BITS]![number & (PAGE - 1)] = id;
    this.#programs.set(number, program);
    return number;
  }

  /** Segments are made as large as they will be, so ids are read once and in order, which is how they lie in memory. */
  #insertWaiting(): void {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    let slots = FIRST_SLOTS;
    while (slots * 3 * this.#segments.length < waiting.length * 4) slots *= 2;
    for (const [index, segment] of this.#segments.entries())
      if (this.#filled[index] === 0 && segment.length < slots) this.#segments[index] = new Int32Array(slots);
    for (const number of waiting) this.#insert(number, hash(this.idOf(number)));
  }

  remove(number: number): void {
    this.#insertWaiting();
    this.#removeSlot(number, hash(this.idOf(number)));
    this.#ids[number >>> PAGE_BITS]![number & (PAGE - 1)] = '';
    this.#programs.set(number, 0);
    this.#numbers.give(number);
  }

  /** -1 when there is no such rule. */
  numberOf(id: string): number {
    this.#insertWaiting();
    const hashed = this.#hashOf(id);
    const segment = this.#segments[hashed >>> (32 - SEGMENT_BITS)]!;
    const mask = segment.length - 1;
    for (let at = hashed & mask; segment[at] !== 0; at = (at + 1) & mask) {
      const slot = segment[at]!;
      if (slot >>> NUMBER_BITS === tagOf(hashed) && this.idOf(numberIn(slot)) === id) return numberIn(slot);
    }
    return -1;
  }

  #hashOf(id: string): number {
    if (id !== this.#lastId) {
      this.#lastHash = hash(id);
      this.#lastId = id;
    }
    return this.#lastHash;
  }

  idOf(number: number): string {
    return this.#ids[number >>> PAGE_BITS]![number & (PAGE - 1)] ?? this.#readId(number);
  }

  /** The ids of the first `count` of these numbers. One short loop, so that many are fetched from memory at a time. */
  idsOf(numbers: Int32Array, count: number): string[] {
    const pages = this.#ids;
    const ids: string[] = [];
    for (let at = 0; at < count; at++) {
      const id = pages[numbers[at]! >>> PAGE_BITS]![numbers[at]! & (PAGE - 1)];
      ids.push(id ?? this.#readId(numbers[at]!));
    }
    return ids;
  }

  toColumns(): RuleColumns {
    this.#insertWaiting();
    const { end } = this;
    const sizes = Int32Array.from(this.#segments, ({ length }) => length);
    const slots = new Int32Array(sizes.reduce((sum, size) => sum + size, 0));
    let at = 0;
    for (const segment of this.#segments) {
      slots.set(segment, at);
      at += segment.length;
    }
    const ids = columnOf(end, (number) => {
      const id = this.#ids[number >>> PAGE_BITS]![number & (PAGE - 1)];
      return id ?? { column: this.#restored!, index: number };
    });
    return { programs: this.#programs.toArray(end), ids, sizes, slots };
  }

  /** Fills an empty table. No id is read before it is asked for. */
  restore({ programs, ids, sizes, slots }: RuleColumns): void {
    const end = programs.length;
    this.#programs.restore(programs);
    this.#numbers.restore(end, (number) => programs[number] !== 0);
    this.#restored = ids;
    for (let from = 0; from < end; from += PAGE) this.#ids[from >>> PAGE_BITS] = Array.from({ length: PAGE });
    let at = 0;
    for (const [index, size] of sizes.entries()) {
      this.#segments[index] = slots.slice(at, at + size);
      this.#filled[index] = this.#segments[index].reduce((filled, slot) => filled + (slot === 0 ? 0 : 1), 0);
      at += size;
    }
  }

  #readId(number: number): string {
    const id = stringAt(this.#restored!, number);
    this.#ids[number >>> PAGE_BITS]![number & (PAGE - 1)] = id;
    return id;
  }

  /** 0 when no rule has the number. */
  programOf(number: number): number {
    return this.#programs.at(number);
  }

  #insert(number: number, hashed: number): void {
    const index = hashed >>> (32 - SEGMENT_BITS);
    const segment = this.#segments[index]!;
    if (++this.#filled[index]! * 4 > segment.length * 3) this.#segments[index] = this.#grown(segment);
    put(this.#segments[index]!, hashed, slotOf(number, hashed));
  }

  #grown(segment: Int32Array): Int32Array<ArrayBuffer> {
    const larger = new Int32Array(segment.length * 2);
    for (const slot of segment) if (slot !== 0) put(larger, hash(this.idOf(numberIn(slot))), slot);
    return larger;
  }

  /** Empties a slot, and moves up what was pushed past it. */
  #removeSlot(number: number, hashed: number): void {
    const index = hashed >>> (32 - SEGMENT_BITS);
    const segment = this.#segments[index]!;
    const mask = segment.length - 1;
    let gap = hashed & mask;
    while (segment[gap] !== slotOf(number, hashed)) gap = (gap + 1) & mask;
    for (let at = (gap + 1) & mask; segment[at] !== 0; at = (at + 1) & mask) {
      const home = hash(this.idOf(numberIn(segment[at]!))) & mask;
      if (((at - home) & mask) < ((at - gap) & mask)) continue;
      segment[gap] = segment[at]!;
      gap = at;
    }
    segment[gap] = 0;
    if (--this.#filled[index]! === 0) this.#segments[index] = new Int32Array(FIRST_SLOTS);
  }
}

const tagOf = (hashed: number): number => (hashed >>> TAG_SHIFT) & (-1 >>> NUMBER_BITS);

const slotOf = (number: number, hashed: number): number => (number + 1) | (tagOf(hashed) << NUMBER_BITS);

const numberIn = (slot: number): number => (slot & NUMBER) - 1;

function hash(id: string): number {
  let hashed = 0x811c9dc5;
  for (let at = 0; at < id.length; at++) hashed = Math.imul(hashed ^ id.charCodeAt(at), 0x01000193);
  hashed = Math.imul(hashed ^ (hashed >>> 15), 0x2c1b3c6d);
  return hashed ^ (hashed >>> 13);
}

function put(segment: Int32Array, hashed: number, slot: number): void {
  const mask = segment.length - 1;
  let at = hashed & mask;
  while (segment[at] !== 0) at = (at + 1) & mask;
  segment[at] = slot;
}
