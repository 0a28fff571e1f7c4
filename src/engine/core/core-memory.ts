/** The core's instance and its memory: `core/` compiled to WebAssembly, seen through typed arrays. */
import { readFileSync } from 'node:fs';

/** The exports of `core/index.ts`. Addresses and terms are integers. */
export interface CoreExports {
  open(seed: number): void;
  reserve(bytes: number): number;
  reserveInput(bytes: number): number;
  reserveEvent(words: number, bytes: number): void;
  /** Makes the records of so many words: see `core/words.ts`. */
  spreadWords(count: number): void;
  reservePhrase(count: number): void;
  growRules(number: number): void;
  useTerm(at: number, length: number, place: number): number;
  releaseTerm(term: number): void;
  putProgram(length: number): number;
  dropProgram(program: number, length: number): void;
  addPosting(term: number, rule: number, first: number, second: number): void;
  removePosting(term: number, rule: number, proven: number): void;
  addSlow(rule: number): void;
  removeSlow(rule: number): void;
  countOf(term: number): number;
  isCounted(): number;
  /** Whether the event at hand may hold something that fits a pattern. */
  meetsPattern(): number;
  /** Has room for the terms of this many patterns that fit, and answers where. */
  reserveMarks(count: number): number;
  countWords(): void;
  matchWords(counting: number): number;
  /** Makes the words of the post that stands there; 0 when it must be read in TypeScript. */
  walkPost(from: number, to: number): number;
  /** Makes the words of the page that stands there; 0 when it must be read in TypeScript. */
  walkPage(from: number, to: number): number;
  /** Makes the scratch of a matcher, and answers the number that leads to it. */
  openScratch(): number;
  /** Makes a scratch ready for another matcher. */
  clearScratch(scratch: number): void;
  /** Matches the lines of a matcher's batch, and answers how many it came to: see `core/batch.ts`. */
  matchBatch(count: number, arePages: boolean): number;
}

/** The core asks these of the program around it: see `core/host.ts`. */
export interface CoreHost {
  decide(predicate: number): number;
  takeResults(count: number): void;
  leave(rule: number): void;
}

/** The scratch of the writer stands here in `core/memory.ts`. */
const SCRATCH = 7168;

/** Places of `core/memory.ts`, as indexes into 32-bit integers. */
export const ROOT = {
  top: 16 / 4,
  termsUsed: 48 / 4,
  usesPairs: 56 / 4,
  used: 128 / 4,
  counted: 136 / 4,
  patternsAsk: 160 / 4,
  wanted: 188 / 4,
  walkFields: 192 / 4,
  words: (SCRATCH + 16) / 4,
  wordCount: (SCRATCH + 24) / 4,
  text: (SCRATCH + 32) / 4,
  textEnd: (SCRATCH + 40) / 4,
  marked: (SCRATCH + 52) / 4,
  leftFor: (SCRATCH + 56) / 4,
  input: (SCRATCH + 60) / 4,
  inputRoom: (SCRATCH + 64) / 4,
  evaluated: (SCRATCH + 72) / 4,
  lines: (SCRATCH + 92) / 4,
  stop: (SCRATCH + 96) / 4,
  steps: (SCRATCH + 100) / 4,
  lineId: (SCRATCH + 128) / 4,
  lineData: (SCRATCH + 136) / 4,
  lineIncludes: (SCRATCH + 144) / 4,
  lineHasOthers: (SCRATCH + 152) / 4,
} as const;

/** The results begin here, in bytes: behind filter, chains and candidates. */
const RESULTS = 8192 + 8192 + 4096 + 16_384;

const MOST_RESULTS = 16_384;

/** The tables of characters (lower case, kinds, ranks) begin here, in bytes: behind results, met rules and counts. */
export const LOWER_TABLE = RESULTS + 65_536 + 65_536 + 262_144;
export const KIND_TABLE = LOWER_TABLE + 131_072;
export const RANK_TABLE = KIND_TABLE + 131_072;
/** Pages have tables of words where posts have the ranks of marks. */
export const STOP_WORD_TABLE = KIND_TABLE + 131_072;
export const SECOND_LEVEL_TABLE = STOP_WORD_TABLE + 4_096;

/** The bits of patterns begin here, in bytes. */
export const PATTERN_BITS = RANK_TABLE + 65_536;

/** Strings are read so many bytes beyond their end at most: see `core/index.ts`. */
const READ_BEHIND = 32;

const PAGE = 65_536;
const INITIAL_PAGES = 24;
/** Programs are told by positive addresses, so memory ends at 2 GiB. */
const MOST_PAGES = 32_768;
/** Ahead of need, memory is held for some ten thousand rules, and grown by as much again. */
const AHEAD = 4 * 1024 * 1024;

/** A memory that threads share. The types of browsers know only one that they do not. */
export interface SharedMemory {
  readonly buffer: SharedArrayBuffer;
}

let compiled: WebAssembly.Module | undefined;

/** The program, compiled once for all engines of a thread. Threads share it. */
export const compiledCore = (): WebAssembly.Module =>
  (compiled ??= new WebAssembly.Module(readFileSync(new URL('core.wasm', import.meta.url))));

/** An instance over a memory, with the scratch that the number leads to. */
export function instanceOf(
  module: WebAssembly.Module,
  memory: SharedMemory,
  scratch: number,
  host: CoreHost,
): CoreExports {
  const imports = { env: { memory: memory as unknown as WebAssembly.Memory, scratch }, host: { ...host } };
  const { exports }: { exports: unknown } = new WebAssembly.Instance(module, imports);
  return exports as CoreExports;
}

export class CoreMemory {
  readonly exports: CoreExports;
  readonly shared: SharedMemory;
  #i32: Int32Array<SharedArrayBuffer>;
  #u8: Buffer<SharedArrayBuffer>;
  #results: Int32Array<SharedArrayBuffer>;

  constructor(host: CoreHost, seed: number) {
    const memory: unknown = new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum: MOST_PAGES, shared: true });
    this.shared = memory as SharedMemory;
    this.exports = instanceOf(compiledCore(), this.shared, 0, host);
    this.#i32 = new Int32Array(this.shared.buffer);
    this.#u8 = Buffer.from(this.shared.buffer);
    this.#results = this.#i32.subarray(RESULTS >> 2, (RESULTS >> 2) + MOST_RESULTS);
    this.exports.open(seed);
  }

  /** All of memory that is in use. Shared memory grows in its place: what was handed out earlier stays valid, and ends earlier. */
  get i32(): Int32Array<SharedArrayBuffer> {
    if (this.#i32[ROOT.top]! > this.#i32.byteLength) this.#i32 = new Int32Array(this.shared.buffer);
    return this.#i32;
  }

  /** The core leaves here the numbers of the rules that an event matched. */
  get results(): Int32Array<SharedArrayBuffer> {
    return this.#results;
  }

  get u8(): Buffer<SharedArrayBuffer> {
    if (this.#i32[ROOT.top]! > this.#u8.length) this.#u8 = Buffer.from(this.shared.buffer);
    return this.#u8;
  }

  /** Makes sure that a rule of this many integers can be put. Done before anything is changed. */
  reserveRule(length: number): void {
    // A term may split a segment; a list may be copied into a larger one.
    const bytes = PAGE + length * 64;
    // The view may end before the memory does. Mostly it does not, and the core need not be asked.
    if (this.#i32[ROOT.top]! + bytes <= this.#i32.byteLength) return;
    if (this.exports.reserve(bytes) === 0) throw new RangeError('the rules need more memory than there is');
    this.#i32 = new Int32Array(this.shared.buffer);
  }

  /** Has room for this many bytes from outside, and answers where. */
  reserveInput(bytes: number): number {
    const { i32 } = this;
    // As much more as the core keeps behind them.
    return bytes + READ_BEHIND <= i32[ROOT.inputRoom]! ? i32[ROOT.input]! : this.exports.reserveInput(bytes);
  }

  /** Grows when little room is left: called when there is time, since growing may take milliseconds. */
  growAhead(): void {
    const left = this.shared.buffer.byteLength - this.i32[ROOT.top]!;
    if (left < AHEAD) this.exports.reserve(left + AHEAD);
  }

  /** Takes what was the memory of another core up to its `bytes`; `fill` writes it. */
  async restore(bytes: number, fill: (target: Uint8Array) => Promise<void>): Promise<void> {
    const more = bytes - this.i32[ROOT.top]!;
    if (more > 0 && this.exports.reserve(more) === 0) throw new RangeError('the rules need more memory than there is');
    await fill(new Uint8Array(this.shared.buffer, 0, bytes));
    if (this.bytes !== bytes) throw new Error('the memory is of another length');
  }

  /** Bytes that are in use or were, from the start of memory on. */
  get bytes(): number {
    return this.i32[ROOT.top]!;
  }
}
