/** The terms and predicates that rules use, by their numbers in the core, and what is known of them. */
import type { Statistics } from '../compile/anchor.ts';
import type { Vocabulary } from '../compile/compiler.ts';
import type { Fields } from '../compile/fields.ts';
import { requiredTextOf } from '../compile/pattern-index.ts';
import { PATTERN_FIELD, Predicates } from '../compile/predicates.ts';
import { eachLeaf, FAIL, KIND, payloadOf, TEST } from '../compile/program.ts';
import { type CoreMemory, ROOT } from './core-memory.ts';
import { packBytes, writeBytes } from './encode.ts';
import { HOLDS_NUL } from './write-view.ts';

/**
 * The share of events that hold a term. It decides by which of its words a rule is found, so a wrong one costs a little speed
 * and nothing else.
 */

/** The weight of the guess made before anything was seen, in events. */
const GUESS_WEIGHT = 16;

/** The share by what was seen and, as long as that is little, by `guess`. */
export const shareOf = (seen: number, events: number, guess: number): number =>
  Math.min(1, (seen + guess * GUESS_WEIGHT) / (events + GUESS_WEIGHT));

/** Short words are common ones, until something better is known. */
export const guessShare = (length: number): number => 0.2 / (length * length + 1);

export class CoreVocabulary implements Vocabulary, Statistics {
  readonly predicates: Predicates;
  readonly #memory: CoreMemory;
  readonly #fields: Fields;

  constructor(memory: CoreMemory, fields: Fields) {
    this.#memory = memory;
    this.#fields = fields;
    this.predicates = new Predicates({
      use: (key) => this.useTerm(PATTERN_FIELD, key),
      release: (term) => this.#releaseTerm(term),
    });
  }

  useTerm(name: string, text: string): number {
    const field = this.#fields.use(name);
    const { exports } = this.#memory;
    // A new word may need a slot of its own, which may split a segment.
    this.#memory.reserveRule(text.length);
    const input = this.#memory.reserveInput(text.length * 3);
    const length = writeBytes(this.#memory.u8, input, text, 0, text.length) - input;
    const term = exports.useTerm(input, length, field.number | (text.includes('\0') ? HOLDS_NUL : 0));
    if (term !== 0 && field.number < HOLDS_NUL) return term;
    this.#fields.release(field);
    throw new RangeError('the rules use too many different words');
  }

  encode = packBytes;

  usePredicate: Predicates['use'] = (predicate) => this.predicates.use(predicate);

  share(term: number): number {
    const { exports, i32 } = this.#memory;
    const guess = guessShare(lengthOf(this.#memory, term));
    const events = i32[ROOT.counted]!;
    // At a start nothing was counted yet.
    return events === 0 ? guess : shareOf(exports.countOf(term), events, guess);
  }

  predicateShare(number: number): number | undefined {
    const held = this.predicates.at(number);
    const hold = requiredTextOf(held);
    if (hold === undefined) return undefined;
    return held.term < 0 ? guessShare(hold.text.length) : this.share(held.term);
  }

  /** A term in words. */
  textOf(term: number): { readonly field: string; readonly term: string } {
    const { field, text } = readTerm(this.#memory, term);
    return { field: this.#fields.at(field).name, term: text() };
  }

  /** Gives back all that a program uses. */
  release(code: Int32Array, root: number): void {
    eachLeaf(code, root, (leaf) => {
      const payload = payloadOf(code[leaf]!);
      const kind = code[leaf]! & KIND;
      if (kind === TEST || kind === FAIL) this.predicates.release(payload);
      else this.#releaseTerm(payload);
    });
  }

  #releaseTerm(term: number): void {
    this.#fields.release(this.#fields.at(readTerm(this.#memory, term).field));
    this.#memory.exports.releaseTerm(term);
  }
}

/** Reads what the core's dictionary says of a term: see `core/dictionary.ts` and `core/key.ts`. */
const TERM_PAGES = 3072 / 4;
const PAGE_BITS = 13;
const KEY_BYTES = 15;

interface ReadTerm {
  readonly field: number;
  readonly text: () => string;
}

function slotOf(i32: Int32Array, term: number): number {
  const page = i32[TERM_PAGES + (term >> PAGE_BITS)]!;
  return i32[(page >> 2) + (term & ((1 << PAGE_BITS) - 1))]!;
}

/** Bytes of the word. */
function lengthOf({ i32, u8 }: CoreMemory, term: number): number {
  const slot = slotOf(i32, term);
  const text = i32[(slot >> 2) + 7]!;
  return text === 0 ? keyLength(u8, slot) : i32[text >> 2]!;
}

function readTerm({ i32, u8 }: CoreMemory, term: number): ReadTerm {
  const slot = slotOf(i32, term);
  const text = i32[(slot >> 2) + 7]!;
  const [from, length, field] =
    text === 0
      ? [slot, keyLength(u8, slot), u8[slot + KEY_BYTES]! - 1]
      : [text + 8, i32[text >> 2]!, i32[(text >> 2) + 1]!];
  return { field, text: () => Buffer.from(u8.buffer, from, length).toString() };
}

function keyLength(u8: Uint8Array, slot: number): number {
  let length = KEY_BYTES;
  while (length > 0 && u8[slot + length - 1] === 0) length--;
  return length;
}
