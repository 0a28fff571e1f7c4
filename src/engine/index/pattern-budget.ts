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

/** Steps of one call: at most some 30 milliseconds. */
const STEPS = 250_000;

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

/** Decides the open patterns one by one. Yields the steps that each took, so that the caller can let other work run. */
export function* settlePatterns(event: EventView, budget: PatternBudget, steps = STEPS): Generator<number, void> {
  const words = new DistinctWords(event);
  yield event.words.count;
  for (const predicate of budget.open) {
    const places = words.inField('field' in predicate.predicate ? predicate.predicate.field : '');
    budget.settled.set(predicate, fitsSome(predicate, event, places));
    yield places.length;
  }
  budget.open.clear();
  budget.left = steps;
}

function fitsSome({ pattern }: SharedPredicate, { words, pieces }: EventView, places: readonly number[]): boolean {
  if (pattern === undefined || 'error' in pattern) return false;
  return places.some((at) => pattern.test(pieces[words.pieces[at]!]!.text, words.starts[at]!, words.ends[at]!));
}
