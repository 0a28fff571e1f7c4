/** The anchors of rules: which postings of the core each rule stands in. */
import { costOf, costOfMarked, planAnchors } from '../compile/anchor.ts';
import { type RequiredText, requiredTextOf } from '../compile/pattern-index.ts';
import type { Predicates } from '../compile/predicates.ts';
import {
  ALWAYS,
  ANCHOR,
  eachLeaf,
  FIRST_TERM,
  KIND,
  PROGRAM_HEADER,
  payloadOf,
  SEVERAL,
  SLOW,
  TEST,
} from '../compile/program.ts';
import type { SharedPredicate } from '../compile/shared-predicate.ts';
import { type CoreMemory, PATTERN_BITS, ROOT } from './core-memory.ts';
import type { CoreVocabulary } from './core-vocabulary.ts';

const BYTES = 32_768;
/** Bytes of a beginning, and of what is inside, that are asked for at most. */
const MOST = 4;
const THREE_INSIDE = 4;
const FOUR_INSIDE = 5;
const ANYTHING = 6;

/** The bits of this many patterns may outlive them, beside as many as there are: they only make the core ask more often. */
const SPARE = 64;

/**
 * Tells the core what patterns ask of texts (`core/patterns.ts`): those that rules are anchored on. Most events hold nothing of it,
 * and no pattern is tried on them.
 */
class PatternFilter {
  readonly #memory: CoreMemory;
  readonly #patterns: Predicates['patterns'];
  #gone = 0;

  constructor(memory: CoreMemory, patterns: Predicates['patterns']) {
    this.#memory = memory;
    this.#patterns = patterns;
  }

  add(held: SharedPredicate): void {
    const { kind, bytes } = askOf(requiredTextOf(held)!);
    const { i32 } = this.#memory;
    i32[ROOT.patternsAsk]! |= 1 << kind;
    const hash = Math.imul(bytes ^ Math.imul(kind, 0x85ebca6b), 0x9e3779b1) >>> 14;
    i32[(PATTERN_BITS >> 2) + (hash >>> 5)]! |= 1 << (hash & 31);
  }

  /** Notes that a pattern is gone. All bits are written again when too many are of patterns that are gone. */
  remove(): void {
    let size = 0;
    for (const patterns of this.#patterns.values()) size += patterns.size;
    if (++this.#gone <= size + SPARE && size > 0) return;
    this.#gone = 0;
    this.#memory.i32[ROOT.patternsAsk] = 0;
    this.#memory.u8.fill(0, PATTERN_BITS, PATTERN_BITS + BYTES);
    for (const patterns of this.#patterns.values()) for (const held of patterns.all()) this.add(held);
  }
}

interface Ask {
  readonly kind: number;
  readonly bytes: number;
}

function askOf({ at, text }: RequiredText): Ask {
  // Half a pair has no bytes of its own in a text.
  if (!text.isWellFormed()) return { kind: ANYTHING, bytes: 0 };
  const bytes = Buffer.from(text);
  const length = Math.min(bytes.length, MOST);
  if (at === 'start') return { kind: length - 1, bytes: bytes.readUIntLE(0, length) };
  return {
    kind: length < MOST ? THREE_INSIDE : FOUR_INSIDE,
    bytes: bytes.readUIntLE(tellingPart(bytes, length), length),
  };
}

/** Finds where the part with the most different bytes begins: runs of one character are no sign of anything. */
function tellingPart(bytes: Buffer, length: number): number {
  let best = 0;
  let variety = 0;
  for (let at = 0; at + length <= bytes.length && variety < length; at++) {
    const different = new Set(bytes.subarray(at, at + length)).size;
    if (different > variety) [best, variety] = [at, different];
  }
  return best;
}

/** A rule moves when that at least halves what it costs. */
const WORTH_MOVING = 2;

/** A program's root stands here among the integers of memory. */
export const rootOf = (program: number): number => (program >> 2) + PROGRAM_HEADER;

export class CoreAnchors {
  /** Rules without an anchor. */
  slow = 0;
  readonly #memory: CoreMemory;
  readonly #vocabulary: CoreVocabulary;
  readonly #filter: PatternFilter;
  readonly #onPatterns: () => void;

  /** `onPatterns` hears of patterns on which rules are anchored now, or no more. */
  constructor(memory: CoreMemory, vocabulary: CoreVocabulary, onPatterns: () => void) {
    this.#memory = memory;
    this.#vocabulary = vocabulary;
    this.#filter = new PatternFilter(memory, vocabulary.predicates.patterns);
    this.#onPatterns = onPatterns;
  }

  /** Whether other anchors would cost much less, as terms turn up by now. */
  isWorthMoving(program: number): boolean {
    const { i32 } = this.#memory;
    const root = rootOf(program);
    return costOf(i32, root, this.#vocabulary) * WORTH_MOVING < costOfMarked(i32, root, this.#vocabulary);
  }

  isSlow(program: number): boolean {
    return (this.#memory.i32[program >> 2]! & SLOW) !== 0;
  }

  add(number: number, program: number): void {
    const { exports, i32 } = this.#memory;
    const at = program >> 2;
    const plan = planAnchors(i32, at + PROGRAM_HEADER, this.#vocabulary);
    if (plan === undefined) {
      i32[at] = (number << 2) | SLOW;
      exports.addSlow(program);
      this.slow++;
      return;
    }
    const several = plan.length > 1 ? SEVERAL : 0;
    i32[at] = (number << 2) | several;
    for (const { leaf, witnesses, proves } of plan) {
      // Making a term for a pattern may make memory grow, and the arrays over it with it.
      const code = this.#memory.i32[leaf]!;
      this.#memory.i32[leaf] = code | ANCHOR;
      const term = (code & KIND) === TEST ? this.#addPattern(payloadOf(code)) : payloadOf(code);
      if (witnesses.some((witness) => witness > ALWAYS && witness < FIRST_TERM)) {
        this.#memory.i32[ROOT.usesPairs] = 1;
      }
      exports.addPosting(term, proves ? ~((number << 1) | several) : program, ...witnesses);
    }
  }

  remove(number: number, program: number): void {
    const { exports } = this.#memory;
    const header = this.#memory.i32[program >> 2]!;
    if ((header & SLOW) !== 0) {
      exports.removeSlow(program);
      this.slow--;
      return;
    }
    const { predicates } = this.#vocabulary;
    const proven = ~((number << 1) | (header & SEVERAL));
    eachLeaf(this.#memory.i32, rootOf(program), (leaf) => {
      const code = this.#memory.i32[leaf]!;
      if ((code & ANCHOR) === 0) return;
      this.#memory.i32[leaf] = code & ~ANCHOR;
      const isPattern = (code & KIND) === TEST;
      const term = isPattern ? predicates.at(payloadOf(code)).term : payloadOf(code);
      exports.removePosting(term, program, proven);
      if (isPattern) this.#removePattern(payloadOf(code));
    });
  }

  #addPattern(predicate: number): number {
    const { predicates } = this.#vocabulary;
    const term = predicates.anchor(predicate);
    const held = predicates.at(predicate);
    if (held.anchored === 1) this.#filter.add(held);
    this.#onPatterns();
    return term;
  }

  #removePattern(predicate: number): void {
    const { predicates } = this.#vocabulary;
    predicates.unanchor(predicate);
    if (predicates.at(predicate).anchored === 0) this.#filter.remove();
    this.#onPatterns();
  }
}
