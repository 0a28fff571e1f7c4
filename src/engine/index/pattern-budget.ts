/**
 * How much work one call of `match` may spend on testing patterns. A rule of a thousand patterns on a page of a hundred
 * thousand words takes seconds; a caller that may not block for that long gives a budget. When it is spent, `match` leaves
 * open the patterns it still needs. `settle` decides those in small parts, and `match` is then called again.
 */
import { DistinctWords } from '../events/distinct-words.ts';
import type { EventView } from '../events/event-view.ts';
import type { SharedPredicate } from './shared-predicate.ts';

export interface PatternBudget {
  /** Steps left for the next call: a step is one test of a pattern on a word, or a look at eight words. */
  left: number;
  /** Patterns decided for this event already. */
  readonly settled: Map<SharedPredicate, boolean>;
  /** Patterns that must be decided before the report is complete. Empty after a match that is complete. */
  readonly open: Set<SharedPredicate>;
}

/** Steps of one call: some 10 milliseconds. */
const STEPS = 100_000;
/** Words on which a pattern is tested between two yields. */
const WORDS_AT_ONCE = 16_384;

export const newPatternBudget = (steps = STEPS): PatternBudget => ({
  left: steps,
  settled: new Map(),
  open: new Set(),
});

/** Makes a budget good for another event. */
export function renew(budget: PatternBudget, steps = STEPS): void {
  budget.left = steps;
  if (budget.open.size > 0) budget.open.clear();
  if (budget.settled.size > 0) budget.settled.clear();
}

/** Thrown, and caught, where a program needs a pattern for which no steps are left. It has no stack: it is no failure. */
export const OUT_OF_STEPS = Symbol('out of steps');

/** Decides the open patterns one by one. Yields the steps it took every now and then, so that the caller can let other work run. */
export function* settlePatterns(event: EventView, budget: PatternBudget, steps = STEPS): Generator<number, void> {
  const words = new DistinctWords(event);
  yield event.words.count;
  for (const predicate of budget.open) {
    const places = words.inField('field' in predicate.predicate ? predicate.predicate.field : '');
    let fits = false;
    for (let from = 0; from < places.length && !fits; from += WORDS_AT_ONCE) {
      const some = places.slice(from, from + WORDS_AT_ONCE);
      fits = fitsSome(predicate, event, some);
      yield some.length;
    }
    budget.settled.set(predicate, fits);
  }
  budget.open.clear();
  budget.left = steps;
}

function fitsSome({ pattern }: SharedPredicate, { words, pieces }: EventView, places: readonly number[]): boolean {
  if (pattern === undefined || 'error' in pattern) return false;
  return places.some((at) => pattern.test(pieces[words.pieces[at]!]!.text, words.starts[at]!, words.ends[at]!));
}
