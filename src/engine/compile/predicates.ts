/**
 * The leaves of queries that are no terms. Rules that have the same one share it, and it is decided at most once for an event.
 * A pattern that a rule is anchored on has a term of its own, present when the pattern fits.
 */
import { compilePattern, isPattern, type PatternPredicate } from '../../rules/pattern/pattern.ts';
import { Numbers } from './fields.ts';
import { PatternIndex } from './pattern-index.ts';
import type { SharedPredicate, Tested } from './shared-predicate.ts';

/** The field of terms that are no words: a pattern fits. */
export const PATTERN_FIELD = '\0pattern';

/** Gives patterns their terms. */
interface PatternTerms {
  use(key: string): number;
  release(term: number): void;
}

/** A predicate as it is kept: its key says all that it is. */
export type SavedPredicate = Pick<SharedPredicate, 'key' | 'number' | 'uses' | 'anchored' | 'term'>;

export class Predicates {
  /** The patterns that are anchors, by field. */
  readonly patterns = new Map<string, PatternIndex>();
  /** Another one when patterns have come or gone. */
  patternsVersion = 0;
  readonly #byKey = new Map<string, SharedPredicate>();
  readonly #byNumber: SharedPredicate[] = [];
  readonly #numbers = new Numbers();
  readonly #terms: PatternTerms;

  constructor(terms: PatternTerms) {
    this.#terms = terms;
  }

  use(predicate: Tested): number {
    const key = JSON.stringify(predicate);
    const held = this.#byKey.get(key) ?? this.#hold(key, predicate, this.#numbers.take());
    held.uses++;
    return held.number;
  }

  release(number: number): void {
    const held = this.at(number);
    if (--held.uses > 0) return;
    this.#byKey.delete(held.key);
    this.#numbers.give(number);
  }

  at(number: number): SharedPredicate {
    return this.#byNumber[number]!;
  }

  /** Makes the predicate an anchor of one more rule, and returns its term. */
  anchor(number: number): number {
    const held = this.at(number);
    if (held.anchored++ === 0) {
      held.term = this.#terms.use(held.key);
      this.#patternsOf(held).add(held);
      this.patternsVersion++;
    }
    return held.term;
  }

  /** Undoes one `anchor`. */
  unanchor(number: number): void {
    const held = this.at(number);
    if (--held.anchored > 0) return;
    const field = fieldOf(held.predicate);
    const patterns = this.patterns.get(field)!;
    patterns.remove(held);
    this.patternsVersion++;
    if (patterns.size === 0) this.patterns.delete(field);
    this.#terms.release(held.term);
    held.term = -1;
  }

  get size(): number {
    return this.#numbers.inUse;
  }

  save(): SavedPredicate[] {
    return Array.from(this.#byKey.values(), ({ key, number, uses, anchored, term }) => ({
      key,
      number,
      uses,
      anchored,
      term,
    }));
  }

  /** While there are none yet. Their terms must be those of the index that saved them. */
  restore(saved: readonly SavedPredicate[]): void {
    let end = 0;
    for (const { key, number, uses, anchored, term } of saved) {
      const held = this.#hold(key, JSON.parse(key) as Tested, number);
      held.uses = uses;
      held.anchored = anchored;
      held.term = term;
      if (anchored > 0) this.#patternsOf(held).add(held);
      end = Math.max(end, number + 1);
    }
    const used = new Set(saved.map(({ number }) => number));
    this.#numbers.restore(end, (number) => used.has(number));
  }

  #patternsOf({ predicate }: SharedPredicate): PatternIndex {
    const field = fieldOf(predicate);
    const patterns = this.patterns.get(field) ?? new PatternIndex();
    this.patterns.set(field, patterns);
    return patterns;
  }

  #hold(key: string, predicate: Tested, number: number): SharedPredicate {
    const pattern = isPattern(predicate) ? compiled(predicate) : undefined;
    const held: SharedPredicate = {
      key,
      number,
      predicate,
      pattern,
      uses: 0,
      anchored: 0,
      term: -1,
      decidedOn: -1,
      verdict: false,
    };
    this.#byKey.set(key, held);
    this.#byNumber[number] = held;
    return held;
  }
}

const compiled = (predicate: PatternPredicate): SharedPredicate['pattern'] => {
  try {
    return compilePattern(predicate);
  } catch (error) {
    return { error };
  }
};

export const fieldOf = (predicate: Tested): string => ('field' in predicate ? predicate.field : '');
