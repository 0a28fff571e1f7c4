/**
 * Tells the core what patterns ask of texts (`core/patterns.ts`): those that rules are anchored on. Most events hold nothing of it,
 * and no pattern is tried on them.
 */
import { type RequiredText, requiredTextOf } from '../compile/pattern-index.ts';
import type { Predicates } from '../compile/predicates.ts';
import type { SharedPredicate } from '../compile/shared-predicate.ts';
import { type CoreMemory, PATTERN_BITS, ROOT } from './core-memory.ts';

const BYTES = 32_768;
/** Bytes of a beginning, and of what is inside, that are asked for at most. */
const MOST = 4;
const THREE_INSIDE = 4;
const FOUR_INSIDE = 5;
const ANYTHING = 6;

/** The bits of this many patterns may outlive them, beside as many as there are: they only make the core ask more often. */
const SPARE = 64;

export class PatternFilter {
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
