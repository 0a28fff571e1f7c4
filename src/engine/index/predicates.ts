/**
 * The leaves of queries that are no terms. Rules that have the same one share it, and it is decided at most once for an event.
 * A pattern that a rule is anchored on has a term of its own, present when the pattern fits.
 */
import { compilePattern, type Pattern, type PatternPredicate } from '../../rules/pattern/pattern.ts';
import type { Predicate } from '../../rules/query.ts';
import type { EventView } from '../events/event-view.ts';
import { Numbers } from './arena.ts';
import { factHolds } from './facts.ts';
import { containsText, OUT_OF_STEPS, type PatternBudget } from './pattern-budget.ts';
import { PatternIndex } from './pattern-index.ts';
import type { Presence } from './presence.ts';
import { preparePattern, type SharedPredicate, type Tested } from './shared-predicate.ts';

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
    const pattern = hasPattern(predicate) ? compiled(predicate) : undefined;
    const shortest = shortestFit(predicate);
    const held: SharedPredicate = {
      key,
      number,
      predicate,
      pattern,
      shortest,
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

/** Whether the predicate holds for the event, decided once for each `epoch`. Throws what its pattern threw. */
export function decideOnce(
  held: SharedPredicate,
  presence: Presence,
  epoch: number,
  now: () => number,
  budget: PatternBudget | undefined,
): boolean {
  if (held.decidedOn !== epoch) {
    const isBroken = held.pattern !== undefined && 'error' in held.pattern;
    held.verdict =
      budget === undefined || isBroken ? decide(held, presence, now) : decideWithin(budget, held, presence, now);
    held.decidedOn = epoch;
  }
  return held.verdict;
}

function decideWithin(budget: PatternBudget, held: SharedPredicate, presence: Presence, now: () => number): boolean {
  const settled = budget.settled.get(held);
  if (settled !== undefined) return settled;
  const { isLong } = presence;
  const isPattern = held.pattern !== undefined;
  // One pattern takes long on a long event: `settle` decides it in parts.
  if (isPattern ? isLong || budget.left <= 0 : isLong && budget.left <= 0) throw OUT_OF_STEPS;
  const before = presence.steps;
  const verdict = decide(held, presence, now);
  budget.left -= presence.steps - before;
  if (isLong) budget.settled.set(held, verdict);
  return verdict;
}

function decide(held: SharedPredicate, presence: Presence, now: () => number): boolean {
  const { predicate } = held;
  const { event } = presence;
  presence.steps += held.pattern === undefined ? event.words.count >>> 3 : preparePattern(held);
  switch (predicate.kind) {
    case 'literal':
      return literalHolds(predicate, event);
    case 'contains':
      return containsText(predicate, event);
    case 'prefix':
    case 'wildcard':
    case 'regex':
    case 'fuzzy':
    case 'range':
      return someWord(predicate.field, presence, runnable(held.pattern), held.shortest);
    case 'number':
    case 'exists':
    case 'circle':
    case 'box':
    case 'sample':
    case 'recent':
      return factHolds(predicate, event, now());
  }
}

/** As a power of two: the characters of a word that a pattern reads in the time of a step. */
const UNITS_IN_A_STEP = 4;

function someWord(field: string, presence: Presence, pattern: Pattern, shortest: number): boolean {
  const { words, pieces } = presence.event;
  const { repeats } = presence;
  let tested = 0;
  let fits = false;
  let word = 0;
  for (; word < words.count && !fits; word++) {
    const piece = pieces[words.pieces[word]!]!;
    if (repeats[word] === 1 || piece.field !== field) continue;
    const start = words.starts[word]!;
    const end = words.ends[word]!;
    if (end - start < shortest) continue;
    tested += 1 + ((end - start) >>> UNITS_IN_A_STEP);
    fits = pattern.test(piece.text, start, end);
  }
  presence.steps += tested * pattern.steps + (word >>> 3);
  return fits;
}

const shortestFit = (predicate: Tested): number => {
  if (predicate.kind === 'prefix') return predicate.prefix.length;
  return predicate.kind === 'wildcard' ? predicate.pattern.replaceAll(/\\(.)|\*/gsu, '$1').length : 0;
};

const compiled = (predicate: PatternPredicate): SharedPredicate['pattern'] => {
  try {
    return compilePattern(predicate);
  } catch (error) {
    return { error };
  }
};

function runnable(pattern: SharedPredicate['pattern']): Pattern {
  if (pattern !== undefined && 'error' in pattern) throw pattern.error;
  return pattern!;
}

const hasPattern = (predicate: Tested): predicate is PatternPredicate =>
  ['prefix', 'wildcard', 'regex', 'fuzzy', 'range'].includes(predicate.kind);

const fieldOf = (predicate: Tested): string => ('field' in predicate ? predicate.field : '');

/** For literals without words of their own, which no program can find by its words. They are rare. */
function literalHolds({ field, text, terms }: Extract<Predicate, { kind: 'literal' }>, event: EventView): boolean {
  return event.pieces.some((piece, index) => {
    if (piece.field !== field) return false;
    // Words and finds are both in order, so no word is passed twice.
    let word = 0;
    for (let at = piece.text.indexOf(text); at >= 0; at = piece.text.indexOf(text, at + 1)) {
      word = wordAt(event, index, at, word);
      if (hasJustWords(terms, event, index, word, at, at + text.length)) return true;
    }
    return false;
  });
}

/** The first word from `word` on that is of the piece and ends behind a unit, or is of a later piece. */
function wordAt({ words: { ends, pieces, count } }: EventView, piece: number, unit: number, word: number): number {
  let at = word;
  while (at < count && (pieces[at]! < piece || (pieces[at] === piece && ends[at]! <= unit))) at++;
  return at;
}

/** Whether the words that a part of a piece touches are these, whole. `first` is the first of them, if there is any. */
function hasJustWords(
  terms: readonly string[],
  event: EventView,
  piece: number,
  first: number,
  from: number,
  to: number,
): boolean {
  const { starts, ends, pieces, count } = event.words;
  let found = 0;
  for (let word = first; word < count && pieces[word] === piece && starts[word]! < to; word++) {
    if (starts[word]! < from || ends[word]! > to) return false;
    if (event.pieces[piece]!.text.slice(starts[word], ends[word]) !== terms[found++]) return false;
  }
  return found === terms.length;
}
