/** Says of every part of a query whether it holds for an event, and shows where. */
import type { Highlight } from '../../domain/match.ts';
import type { Predicate, Query } from '../../rules/query.ts';
import type { EventView } from '../events/event-view.ts';
import { createEngine } from '../index/engine.ts';
import { isSpent, newPatternBudget } from '../index/pattern-budget.ts';
import { findSpans } from './find-spans.ts';
import { inPayload, MOST_HIGHLIGHTS, MOST_OF_A_PREDICATE, merged } from './highlights.ts';
import { labelOf } from './label.ts';
import { NEAR_STEPS, type NearBudget, nearTo } from './near.ts';
import type { ViewLookup } from './view-lookup.ts';

export interface Explanation {
  readonly label: string;
  readonly holds: boolean;
  /** Where a predicate that holds does so: the earliest places. A part made of others has them there. */
  readonly highlights: readonly Highlight[];
  readonly of: readonly Explanation[];
  /** Of a predicate that does not hold: like words that are there instead, or the number that is there. */
  readonly near?: readonly string[];
}

/** Steps of the search for one predicate, after which the engine decides whether it holds. */
const MOST_STEPS = 200_000;

/**
 * Explains part by part. Yields the steps that each part took, so that the caller can let other work run in between: a rule
 * of many patterns takes a step for each pattern and each distinct word. `holds` is exact. The highlights of all parts are
 * at most `MOST_HIGHLIGHTS`, and then one more for each part that holds.
 */
export const explain = (query: Query, lookup: ViewLookup): Generator<number, Explanation> =>
  explained(query, lookup, { left: MOST_HIGHLIGHTS, near: { words: NEAR_STEPS } });

interface Room {
  /** Highlights that may still be listed. */
  left: number;
  readonly near: NearBudget;
}

function* explained(query: Query, lookup: ViewLookup, room: Room): Generator<number, Explanation> {
  const label = labelOf(query);
  switch (query.kind) {
    case 'everything':
    case 'nothing':
      return { label, holds: query.kind === 'everything', highlights: [], of: [] };
    case 'not': {
      const part = yield* explained(query.query, lookup, room);
      return { label, holds: !part.holds, highlights: [], of: [part] };
    }
    case 'all':
    case 'any': {
      const of: Explanation[] = [];
      for (const part of query.of) of.push(yield* explained(part, lookup, room));
      const holds = query.kind === 'all' ? of.every((part) => part.holds) : of.some((part) => part.holds);
      return { label, holds, highlights: [], of };
    }
    default: {
      const before = lookup.steps;
      const part = yield* explainedPredicate(query, label, lookup, room);
      yield lookup.steps - before;
      return part;
    }
  }
}

function* explainedPredicate(
  predicate: Predicate,
  label: string,
  lookup: ViewLookup,
  room: Room,
): Generator<number, Explanation> {
  lookup.limit = lookup.steps + MOST_STEPS;
  const found = findSpans(predicate, lookup, Math.min(MOST_OF_A_PREDICATE, Math.max(room.left, 1)));
  lookup.limit = Number.POSITIVE_INFINITY;
  room.left -= found.spans.length;
  const holds = found.holds ?? (yield* engineFinds(predicate, lookup.view, lookup.now));
  const near = holds ? [] : nearTo(predicate, lookup, room.near);
  const highlights = merged(inPayload(found.spans, lookup));
  return { label, holds, highlights, of: [], ...(near.length > 0 && { near }) };
}

/** The engine's search takes linear time where the search for places does not. */
function* engineFinds(predicate: Predicate, view: EventView, now: number): Generator<number, boolean> {
  const engine = createEngine({ now: () => now });
  engine.put('predicate', predicate);
  const budget = newPatternBudget();
  yield* engine.lookUp(view, budget);
  for (;;) {
    if (engine.match(view, budget).matches.length > 0) return true;
    yield view.words.count;
    if (!isSpent(budget)) return false;
    yield* engine.settle(view, budget);
  }
}
