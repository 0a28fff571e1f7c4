/**
 * How much work one call of `match` may do. A thousand patterns or phrases on a page of a hundred thousand words take
 * seconds; a caller that may not block for that long gives a budget. When it is spent, `match` leaves the rest of the rules,
 * and the patterns that they need. `settle` decides the patterns in small parts, and `match` is then called again and goes on
 * with those rules. What each call reports adds up.
 */
import { DistinctWords } from '../events/distinct-words.ts';
import type { EventView } from '../events/event-view.ts';
import { findsInParts, type LongPhrase } from './long-phrase.ts';
import { preparePattern, type SharedPredicate } from './shared-predicate.ts';

export interface PatternBudget {
  /** Steps left for the next call: a step is one test of a pattern on a word, or a look at eight words. Compiling a pattern takes some, too. */
  left: number;
  /** Predicates decided for this event already. */
  readonly settled: Map<SharedPredicate, boolean>;
  /** Patterns that must be decided before the report is complete. */
  readonly open: Set<SharedPredicate>;
  /** Fields with so many patterns that fit the words that `settle` decides all patterns of the field. */
  readonly wholeFields: Set<string>;
  /** Ids of rules that are still to be evaluated. While there are some, `match` evaluates these and no others. */
  rest: string[];
  /** Ids of rules for whose phrases no steps were left. The report is that of the others: these are to be matched by themselves. */
  late: string[];
  /** The patterns that the words of a long event lead to, found in parts, and the version of the patterns then. */
  met: { readonly version: number; readonly patterns: readonly SharedPredicate[] } | undefined;
  /** The version of the rules that `phrases`, `terms` and `written` are good for. */
  version: number;
  /** Phrases decided for this event, by where they stand in programs. */
  readonly phrases: Map<string, boolean>;
  /** Phrases whose search takes long, by the same places: they are decided in parts. */
  readonly longPhrases: Map<string, LongPhrase>;
  /** The terms of the event's words, when they were looked up in slices. */
  terms: Int32Array | undefined;
  /** The event's words as the core takes them, when they were written in slices. */
  written: WrittenWords | undefined;
}

/** Words and their text in arrays of their own: for each word where it begins and ends in the text, its position and its place. */
export interface WrittenWords {
  readonly words: Int32Array;
  readonly count: number;
  readonly text: Uint8Array;
}

/** Whether the budget ended before the report was complete. */
export const isSpent = ({ open, rest }: PatternBudget): boolean => open.size > 0 || rest.length > 0;

/** Whether some rules are not in the report. */
export const leavesRules = (budget: PatternBudget): boolean => isSpent(budget) || budget.late.length > 0;

/** An event of more words, or of more units of text, is long. */
export const MANY_WORDS = 4_096;
const MUCH_TEXT = 131_072;

/** A long event is matched phrase by phrase: what was decided is kept, so that any phrase may be the last of a call. */
export function isLong({ words, pieces }: EventView): boolean {
  if (words.count > MANY_WORDS) return true;
  let units = 0;
  for (const { text } of pieces) units += text.length;
  return units > MUCH_TEXT;
}

/** Steps of one call: some milliseconds. */
export const STEPS = 50_000;
/** Words on which a pattern is tested between two yields. */
const WORDS_AT_ONCE = 4_096;

export const newPatternBudget = (steps = STEPS): PatternBudget => ({
  left: steps,
  settled: new Map(),
  open: new Set(),
  wholeFields: new Set(),
  rest: [],
  late: [],
  met: undefined,
  version: -1,
  phrases: new Map(),
  longPhrases: new Map(),
  terms: undefined,
  written: undefined,
});

/** Makes a budget good for another event. */
export function renew(budget: PatternBudget, steps = STEPS): void {
  budget.left = steps;
  if (budget.open.size > 0) budget.open.clear();
  if (budget.settled.size > 0) budget.settled.clear();
  if (budget.wholeFields.size > 0) budget.wholeFields.clear();
  if (budget.rest.length > 0) budget.rest = [];
  if (budget.late.length > 0) budget.late = [];
  budget.met = undefined;
  outdate(budget, budget.version);
}

/** The rules have changed: terms and programs may be others now. */
export function outdate(budget: PatternBudget, version: number): void {
  budget.version = version;
  budget.terms = undefined;
  budget.written = undefined;
  if (budget.phrases.size > 0) budget.phrases.clear();
  if (budget.longPhrases.size > 0) budget.longPhrases.clear();
}

/** Thrown, and caught, where a program needs what no steps are left for. It has no stack: it is no failure. */
export const OUT_OF_STEPS = Symbol('out of steps');

/**
 * Decides the open patterns and the phrases that take long, one by one. Yields the steps it took every now and then, so that the
 * caller can let other work run.
 */
export function* settlePatterns(event: EventView, budget: PatternBudget, steps = STEPS): Generator<number, void> {
  yield* settlePhrases(event, budget);
  const words = new DistinctWords(event);
  if (budget.open.size > 0) yield* words.readWords();
  for (const predicate of budget.open) {
    if (predicate.predicate.kind === 'contains') {
      budget.settled.set(predicate, containsText(predicate.predicate, event));
      yield event.words.count >>> 3;
      continue;
    }
    const preparing = preparePattern(predicate);
    if (preparing > 0) yield preparing;
    const places = words.inField('field' in predicate.predicate ? predicate.predicate.field : '');
    let fits = false;
    for (let from = 0; from < places.length && !fits; from += WORDS_AT_ONCE) {
      const some = places.slice(from, from + WORDS_AT_ONCE);
      fits = fitsSome(predicate, event, some);
      yield stepsFor(event, some) * stepsOfTest(predicate);
    }
    budget.settled.set(predicate, fits);
  }
  budget.open.clear();
  budget.left = steps;
}

function* settlePhrases(event: EventView, budget: PatternBudget): Generator<number, void> {
  for (const [key, phrase] of budget.longPhrases) budget.phrases.set(key, yield* findsInParts(phrase, event));
  budget.longPhrases.clear();
}

const stepsOfTest = ({ pattern }: SharedPredicate): number =>
  pattern === undefined || 'error' in pattern ? 1 : pattern.steps;

/** Long words take longer: a pattern reads some sixteen characters in the time of a step. */
function stepsFor({ words: { starts, ends } }: EventView, places: readonly number[]): number {
  let steps = places.length;
  for (const at of places) steps += (ends[at]! - starts[at]!) >>> 4;
  return steps;
}

function fitsSome({ pattern }: SharedPredicate, { words, pieces }: EventView, places: readonly number[]): boolean {
  if (pattern === undefined || 'error' in pattern) return false;
  return places.some((at) => pattern.test(pieces[words.pieces[at]!]!.text, words.starts[at]!, words.ends[at]!));
}

/** Whether a piece of the field holds the text, within words or across them. */
export const containsText = ({ field, text }: { field: string; text: string }, { pieces }: EventView): boolean =>
  pieces.some((piece) => piece.field === field && piece.text.includes(text));
