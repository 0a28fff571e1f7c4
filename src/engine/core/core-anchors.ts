/** The anchors of rules: which postings of the core each rule stands in. */
import { costOf, costOfMarked, planAnchors } from '../compile/anchor.ts';
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
import { type CoreMemory, ROOT } from './core-memory.ts';
import type { CoreVocabulary } from './core-vocabulary.ts';
import { PatternFilter } from './pattern-filter.ts';

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
