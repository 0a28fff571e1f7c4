/**
 * Which clause of a rule an event fails. Each clause is a rule of its own in one engine, so that all of them together cost
 * what the whole rule does: an event that all clauses but one match was missed by that one.
 */
import { createPauses } from '../../base/cooperate.ts';
import type { EventView } from '../../engine/events/event-view.ts';
import { createEngine, type MatchReport } from '../../engine/index/engine.ts';
import { newPatternBudget, renew } from '../../engine/index/pattern-budget.ts';
import type { RuleClause } from '../../rules/analysis/clauses.ts';
import type { Query } from '../../rules/query.ts';
import { matchSoon } from './match-in-slices.ts';

/** Clauses that are compiled between two pauses. */
const CLAUSES_AT_ONCE = 64;

export interface JoinedClauses {
  readonly clauses: readonly RuleClause[];
  /** What must hold beside the clauses, and is no part of the text. */
  readonly also: Query;
  readonly now: () => number;
}

/** The one clause that does not hold for an event, by its number; or `none`, or `several`. */
export type FailedClause = number | 'none' | 'several';

/** What it answers is to be called for one event after another. A promise is answered for an event that takes long. */
export async function clauseMatcher({ clauses, also, now }: JoinedClauses) {
  const engine = createEngine({ now });
  const pause = createPauses(CLAUSES_AT_ONCE);
  for (const [number, { query }] of clauses.entries()) {
    engine.put(String(number), query);
    const pausing = pause(1);
    if (pausing !== undefined) await pausing;
  }
  engine.put('also', also);
  /** What number each clause has, added up: what is missing from the sum is the one that does not hold. */
  const sum = (clauses.length * (clauses.length - 1)) / 2;
  const failedOf = ({ matches }: MatchReport): FailedClause => {
    if (!matches.includes('also')) return 'several';
    const failed = clauses.length + 1 - matches.length;
    if (failed !== 1) return failed === 0 ? 'none' : 'several';
    return matches.reduce((left, id) => (id === 'also' ? left : left - Number(id)), sum);
  };
  const budget = newPatternBudget();
  return (view: EventView): FailedClause | Promise<FailedClause> => {
    renew(budget);
    const report = matchSoon(engine, view, budget);
    return report instanceof Promise ? report.then(failedOf) : failedOf(report);
  };
}
