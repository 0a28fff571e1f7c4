/**
 * Blocks of integers in large chunks. A block never moves and the store never grows by copying, so adding a rule takes
 * the same short time with a million others in place; a freed block is the next one of its size to be handed out.
 */
const CHUNK_BITS = 18;
const CHUNK = 1 << CHUNK_BITS;
/** Few rules need little: the first chunk is shorter. */
const FIRST_CHUNK = 1 << 15;
const OFFSET = CHUNK - 1;
/** A block must hold the link of its free list, and no ref may be 0: that means none. */
const SMALLEST = 2;
/** Up to here every size has its own free list; above, sizes are rounded up to one of four steps per doubling. */
const EXACT = 32;
/** Larger blocks get a chunk of their own. */
const LARGEST_CUT = CHUNK >> 1;
const NO_CHUNK = new Int32Array(0);

/** Where a block lies: `chunks[ref >>> CHUNK_BITS]`, from `ref & OFFSET` on. */
export type Ref = number;

export const chunkOf = (ref: Ref): number => ref >>> CHUNK_BITS;
export const offsetOf = (ref: Ref): number => ref & OFFSET;

export class Arena {
  readonly chunks: Int32Array[] = [];
  /** Integers handed out and not freed. */
  used = 0;
  /** The chunk that new blocks are cut from, how much of it is cut, and its length. */
  #open = -1;
  #cutOff = 0;
  #length = 0;
  readonly #free = new Map<number, Ref>();
  readonly #unusedChunks: number[] = [];

  /** A block of at least `size` integers with undefined content. */
  take(size: number): Ref {
    const room = roomFor(size);
    this.used += room;
    if (room > LARGEST_CUT) return this.#ownChunk(room);
    const free = this.#free.get(room);
    if (free === undefined || free === 0) return this.#cut(room);
    this.#free.set(room, this.chunks[chunkOf(free)]![offsetOf(free)]!);
    return free;
  }

  give(ref: Ref, size: number): void {
    const room = roomFor(size);
    this.used -= room;
    if (this.used === 0) this.#reset();
    else if (room > LARGEST_CUT) {
      this.chunks[chunkOf(ref)] = NO_CHUNK;
      this.#unusedChunks.push(chunkOf(ref));
    } else this.#addFree(ref, room);
  }

  /** What the chunks take up, used or not. */
  get bytes(): number {
    return this.chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0);
  }

  #cut(room: number): Ref {
    if (this.#cutOff + room > this.#length) {
      const rest = this.#length - this.#cutOff;
      if (rest >= SMALLEST) this.#addFree((this.#open << CHUNK_BITS) | this.#cutOff, rest);
      this.#length = this.chunks.length === 0 && room < FIRST_CHUNK ? FIRST_CHUNK : CHUNK;
      this.#open = this.#newChunk(this.#length);
      // Ref 0 is never a block.
      this.#cutOff = this.#open === 0 ? SMALLEST : 0;
    }
    const ref = (this.#open << CHUNK_BITS) | this.#cutOff;
    this.#cutOff += room;
    return ref;
  }

  /** It begins behind the place of ref 0, which means none: it may be in the first chunk. */
  #ownChunk(room: number): Ref {
    return (this.#newChunk(room + SMALLEST) << CHUNK_BITS) | SMALLEST;
  }

  #newChunk(length: number): number {
    const index = this.#unusedChunks.pop() ?? this.chunks.length;
    this.chunks[index] = new Int32Array(length);
    return index;
  }

  #addFree(ref: Ref, room: number): void {
    this.chunks[chunkOf(ref)]![offsetOf(ref)] = this.#free.get(room) ?? 0;
    this.#free.set(room, ref);
  }

  #reset(): void {
    this.chunks.length = 0;
    this.#unusedChunks.length = 0;
    this.#free.clear();
    this.#cutOff = 0;
    this.#length = 0;
    this.#open = -1;
  }
}

function roomFor(size: number): number {
  if (size <= EXACT) return Math.max(size, SMALLEST);
  const step = 1 << (29 - Math.clz32(size - 1));
  return Math.ceil(size / step) * step;
}

const PAGE_BITS = 14;
const PAGE = 1 << PAGE_BITS;

/** A list of integers that grows without being copied. */
export class IntList {
  readonly #pages: Int32Array[] = [];

  at(index: number): number {
    return this.#pages[index >>> PAGE_BITS]![index & (PAGE - 1)]!;
  }

  set(index: number, value: number): void {
    const page = index >>> PAGE_BITS;
    this.#pages[page] ??= new Int32Array(PAGE);
    this.#pages[page][index & (PAGE - 1)] = value;
  }

  get bytes(): number {
    return this.#pages.length * PAGE * 4;
  }

  /** The first `end` of them. */
  toArray(end: number): Int32Array<ArrayBuffer> {
    const all = new Int32Array(end);
    for (let from = 0; from < end; from += PAGE)
      all.set(this.#pages[from >>> PAGE_BITS]!.subarray(0, end - from), from);
    return all;
  }

  restore(values: Int32Array): void {
    for (let from = 0; from < values.length; from += PAGE) {
      const page = new Int32Array(PAGE);
      page.set(values.subarray(from, from + PAGE));
      this.#pages[from >>> PAGE_BITS] = page;
    }
  }
}

/** Hands out numbers, those given back first. */
export class Numbers {
  /** One more than the largest number in use. */
  end: number;
  readonly #first: number;
  #free: number[] = [];

  constructor(first = 0) {
    this.#first = first;
    this.end = first;
  }

  take(): number {
    return this.#free.pop() ?? this.end++;
  }

  give(number: number): void {
    this.#free.push(number);
    if (this.inUse > 0) return;
    this.end = this.#first;
    this.#free = [];
  }

  get inUse(): number {
    return this.end - this.#first - this.#free.length;
  }

  /** From now on those below `end` are in use of which `isUsed` says so. */
  restore(end: number, isUsed: (number: number) => boolean): void {
    this.end = end;
    this.#free = [];
    for (let number = end - 1; number >= this.#first; number--) if (!isUsed(number)) this.#free.push(number);
  }
}
