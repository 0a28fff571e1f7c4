/** The core's instance and its memory: `core/` compiled to WebAssembly, seen through typed arrays. */
import { readFileSync } from 'node:fs';

/** What `core/index.ts` exports. Addresses and terms are integers. */
export interface CoreExports {
  open(seed: number): void;
  reserve(bytes: number): number;
  reserveInput(bytes: number): number;
  reserveEvent(words: number, bytes: number): void;
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
  /** The same for a page. */
  walkPage(from: number, to: number): number;
}

/** What the core asks of the program around it: see `core/host.ts`. */
export interface CoreHost {
  decide(predicate: number): number;
  takeResults(count: number): void;
  leave(rule: number): void;
}

/** Places of `core/memory.ts`, as indexes into 32-bit integers. */
export const ROOT = {
  top: 16 / 4,
  termsUsed: 48 / 4,
  usesPairs: 56 / 4,
  words: 80 / 4,
  wordCount: 88 / 4,
  text: 96 / 4,
  evaluated: 120 / 4,
  used: 128 / 4,
  counted: 136 / 4,
  textEnd: 144 / 4,
  marked: 156 / 4,
  patternsAsk: 160 / 4,
  leftFor: 164 / 4,
  wanted: 188 / 4,
  lineId: 320 / 4,
  lineData: 328 / 4,
  lineIncludes: 336 / 4,
  lineHasOthers: 344 / 4,
  walkFields: 192 / 4,
} as const;

/** Where the tables of characters begin, in bytes: lower case, kinds, ranks. */
export const LOWER_TABLE = 8192 + 8192 + 4096 + 262_144;
export const KIND_TABLE = LOWER_TABLE + 131_072;
export const RANK_TABLE = KIND_TABLE + 131_072;
/** Pages have tables of words where posts have the ranks of marks. */
export const STOP_WORD_TABLE = KIND_TABLE + 131_072;
export const SECOND_LEVEL_TABLE = STOP_WORD_TABLE + 4_096;

/** Where the results begin, in bytes. */
const RESULTS = RANK_TABLE + 65_536 + 16_384;

const MOST_RESULTS = 16_384;

/** Where the bits of patterns begin, in bytes: behind results and met rules. */
export const PATTERN_BITS = RESULTS + 65_536 + 65_536;

const PAGE = 65_536;
const INITIAL_PAGES = 24;
/** Programs are told by positive addresses, so memory ends at 2 GiB. */
const MOST_PAGES = 32_768;
/** Ahead of need, memory is held for some ten thousand rules, and grown by as much again. */
const AHEAD = 4 * 1024 * 1024;

let compiled: WebAssembly.Module | undefined;

export class CoreMemory {
  readonly exports: CoreExports;
  #i32: Int32Array<ArrayBuffer>;
  #u8: Buffer<ArrayBuffer>;
  #results = new Int32Array(0);
  readonly #memory: WebAssembly.Memory;

  constructor(host: CoreHost, seed: number) {
    compiled ??= new WebAssembly.Module(readFileSync(new URL('core.wasm', import.meta.url)));
    this.#memory = new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum: MOST_PAGES });
    const imports = { env: { memory: this.#memory }, host: { ...host } };
    const { exports }: { exports: unknown } = new WebAssembly.Instance(compiled, imports);
    this.exports = exports as CoreExports;
    this.#i32 = new Int32Array(this.#memory.buffer);
    this.#u8 = Buffer.from(this.#memory.buffer);
    this.exports.open(seed);
  }

  /** All of memory; valid until a call of the core makes it grow. */
  get i32(): Int32Array<ArrayBuffer> {
    if (this.#i32.length === 0) this.#i32 = new Int32Array(this.#memory.buffer);
    return this.#i32;
  }

  /** Where the core leaves the numbers of the rules that an event matched. */
  get results(): Int32Array<ArrayBuffer> {
    if (this.#results.length === 0) this.#results = this.i32.subarray(RESULTS >> 2, (RESULTS >> 2) + MOST_RESULTS);
    return this.#results;
  }

  get u8(): Buffer<ArrayBuffer> {
    if (this.#u8.length === 0) this.#u8 = Buffer.from(this.#memory.buffer);
    return this.#u8;
  }

  /** Makes sure that a rule of this many integers can be put. Done before anything is changed. */
  reserveRule(length: number): void {
    // A term may split a segment; a list may be copied into a larger one.
    if (this.exports.reserve(PAGE + length * 64) === 0)
      throw new RangeError('the rules need more memory than there is');
  }

  /** Grows when little room is left: called when there is time, since growing may take milliseconds. */
  growAhead(): void {
    const left = this.#memory.buffer.byteLength - this.i32[ROOT.top]!;
    if (left < AHEAD) this.exports.reserve(left + AHEAD);
  }

  /** Takes what was the memory of another core up to its `bytes`; `fill` writes it. */
  async restore(bytes: number, fill: (target: Uint8Array) => Promise<void>): Promise<void> {
    const more = bytes - this.i32[ROOT.top]!;
    if (more > 0 && this.exports.reserve(more) === 0) throw new RangeError('the rules need more memory than there is');
    await fill(this.u8.subarray(0, bytes));
    if (this.bytes !== bytes) throw new Error('the memory is of another length');
  }

  /** Bytes that are in use or were, from the start of memory on. */
  get bytes(): number {
    return this.i32[ROOT.top]!;
  }
}
