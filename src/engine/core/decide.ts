/** Decides the predicates that the core asks back for, on the analysed event. */
import { fieldOf } from '../compile/predicates.ts';
import type { SharedPredicate } from '../compile/shared-predicate.ts';
import type { EventView } from '../events/event-view.ts';
import { decideInParts, fitsInParts, fitsSome, queryHolds } from '../one-rule/holds.ts';
import { ViewLookup } from '../one-rule/view-lookup.ts';
import { isLong, type MatchBudget, STEPS } from './match-budget.ts';

/** Thrown, and caught, where a program needs what no steps are left for. It has no stack: it is no failure. */
export const OUT_OF_STEPS = Symbol('out of steps');

/** Throws, on every event, what making the predicate's pattern threw. */
export function decide(held: SharedPredicate, lookup: ViewLookup): boolean {
  const { predicate, pattern } = held;
  if (pattern === undefined) return queryHolds(predicate, lookup);
  if ('error' in pattern) throw pattern.error;
  try {
    return fitsSome(pattern, fieldOf(predicate), lookup);
  } catch (error) {
    held.pattern = { error };
    throw error;
  }
}

/** Decides within a budget: it throws `OUT_OF_STEPS` where that would take more steps than are left. */
export function decideWithin(budget: MatchBudget, held: SharedPredicate, lookup: ViewLookup): boolean {
  if (held.pattern !== undefined && 'error' in held.pattern) throw held.pattern.error;
  const known = budget.decided.get(held);
  if (known !== undefined) return known;
  const long = isLong(lookup.view);
  const canWait = held.pattern !== undefined || long;
  if ((held.pattern !== undefined && long) || (canWait && budget.left <= 0)) throw OUT_OF_STEPS;
  const before = lookup.steps;
  const verdict = decide(held, lookup);
  budget.left -= lookup.steps - before;
  if (long) budget.decided.set(held, verdict);
  return verdict;
}

/** Decides the open patterns one by one. Yields the steps it took, so that the caller can let other work run. */
export function* decideOpen(view: EventView, budget: MatchBudget, now: number): Generator<number, void> {
  budget.lookup ??= new ViewLookup(view, now);
  yield* budget.lookup.readWords();
  for (const held of budget.open) budget.decided.set(held, yield* decideShared(held, budget.lookup));
  budget.open.clear();
  budget.left = STEPS;
}

function* decideShared(held: SharedPredicate, lookup: ViewLookup): Generator<number, boolean> {
  const { predicate, pattern } = held;
  if (pattern === undefined) return yield* decideInParts(predicate, lookup);
  if ('error' in pattern) return false;
  try {
    return yield* fitsInParts(pattern, fieldOf(predicate), lookup);
  } catch (error) {
    // The rules that use it fail one by one when they are evaluated.
    held.pattern = { error };
    return false;
  }
}
