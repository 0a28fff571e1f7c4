/** Says of every part of a query whether it holds for an event, and shows where. */
import type { Highlight } from '../../domain/match.ts';
import type { Predicate, Query } from '../../rules/query.ts';
import { findSpans } from '../one-rule/find-spans.ts';
import { queryHolds } from '../one-rule/holds.ts';
import type { ViewLookup } from '../one-rule/view-lookup.ts';
import { inPayload, MOST_HIGHLIGHTS, MOST_OF_A_PREDICATE, merged } from './highlights.ts';
import { labelOf } from './label.ts';
import { NEAR_STEPS, type NearBudget, nearTo } from './near.ts';

export interface Explanation {
  readonly label: string;
  readonly holds: boolean;
  /** They are the earliest places where a predicate holds. A part made of others has none of its own. */
  readonly highlights: readonly Highlight[];
  readonly of: readonly Explanation[];
  /** A predicate that does not hold has here what the event has in its place. */
  readonly near?: readonly string[];
}

/** Steps of the search for the places of one predicate, after which only whether it holds is decided. */
const MOST_STEPS = 200_000;

/** `holds` is exact. The highlights of all parts are at most `MOST_HIGHLIGHTS`, and then one more for each part that holds. */
export const explain = (query: Query, lookup: ViewLookup): Explanation =>
  explained(query, lookup, { left: MOST_HIGHLIGHTS, near: { words: NEAR_STEPS } });

interface Room {
  /** Highlights that may still be listed. */
  left: number;
  readonly near: NearBudget;
}

function explained(query: Query, lookup: ViewLookup, room: Room): Explanation {
  const label = labelOf(query);
  switch (query.kind) {
    case 'everything':
    case 'nothing':
      return { label, holds: query.kind === 'everything', highlights: [], of: [] };
    case 'not': {
      const part = explained(query.query, lookup, room);
      return { label, holds: !part.holds, highlights: [], of: [part] };
    }
    case 'all':
    case 'any': {
      const of = query.of.map((part) => explained(part, lookup, room));
      const holds = query.kind === 'all' ? of.every((part) => part.holds) : of.some((part) => part.holds);
      return { label, holds, highlights: [], of };
    }
    default:
      return explainedPredicate(query, label, lookup, room);
  }
}

function explainedPredicate(predicate: Predicate, label: string, lookup: ViewLookup, room: Room): Explanation {
  lookup.limit = lookup.steps + MOST_STEPS;
  const found = findSpans(predicate, lookup, Math.min(MOST_OF_A_PREDICATE, Math.max(room.left, 1)));
  lookup.limit = Number.POSITIVE_INFINITY;
  room.left -= found.spans.length;
  const holds = found.holds ?? queryHolds(predicate, lookup);
  const near = holds ? [] : nearTo(predicate, lookup, room.near);
  const highlights = merged(inPayload(found.spans, lookup));
  return { label, holds, highlights, of: [], ...(near.length > 0 && { near }) };
}
