/** Says of every part of a query whether it holds for an event, and shows where. */
import type { Highlight } from '../../domain/match.ts';
import type { Bound, Predicate, Query } from '../../rules/query.ts';
import { findSpans } from '../one-rule/find-spans.ts';
import { queryHolds } from '../one-rule/holds.ts';
import type { ViewLookup } from '../one-rule/view-lookup.ts';
import { inPayload, MOST_HIGHLIGHTS, MOST_OF_A_PREDICATE, merged } from './highlights.ts';
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

/** One line for each part. Values are quoted as JSON, so that every character in them prints. */
export function labelOf(query: Query): string {
  switch (query.kind) {
    case 'all':
      return 'all of';
    case 'any':
      return 'any of';
    case 'not':
      return 'not';
    case 'everything':
      return 'every event';
    case 'nothing':
      return 'no event';
    case 'circle':
      return `sent from within ${query.radius} m of ${query.longitude}, ${query.latitude}`;
    case 'box':
      return `sent from between ${query.west}, ${query.south} and ${query.east}, ${query.north}`;
    case 'sample':
      return `in a sample of ${query.percent} %`;
    case 'recent':
      return `published in the last ${query.milliseconds / 3_600_000} h`;
    case 'upstream':
      return `${query.operator} ${JSON.stringify(query.value)}, for the upstream to judge`;
    default:
      return `${query.field} ${fieldLabel(query)}`;
  }
}

function fieldLabel(predicate: Extract<Predicate, { field: string }>): string {
  switch (predicate.kind) {
    case 'term':
      return `has ${JSON.stringify(predicate.term)}`;
    case 'phrase': {
      const words = JSON.stringify(predicate.terms.map((term) => term ?? '?').join(' '));
      return `has ${words}${predicate.slop === 0 ? '' : ` within ${predicate.slop}`}`;
    }
    case 'literal':
      return `has ${JSON.stringify(predicate.text)}, to the letter`;
    case 'contains':
      return `contains ${JSON.stringify(predicate.text)}`;
    case 'prefix':
      return `has a word that begins ${JSON.stringify(predicate.prefix)}`;
    case 'wildcard':
      return `has a word like ${JSON.stringify(predicate.pattern)}`;
    case 'regex':
      return `has a word like /${JSON.stringify(predicate.pattern).slice(1, -1)}/`;
    case 'fuzzy':
      return `has a word within ${predicate.edits} of ${JSON.stringify(predicate.term)}`;
    case 'range':
      return `has a word ${between(predicate.from, predicate.to)}`;
    case 'number':
      return `is ${amount(predicate.from, predicate.to)}`;
    case 'exists':
      return 'is there';
  }
}

function between(from: Bound<string | number> | undefined, to: Bound<string | number> | undefined): string {
  const low = from === undefined ? [] : [`${from.inclusive ? 'from' : 'above'} ${JSON.stringify(from.value)}`];
  const high = to === undefined ? [] : [`${to.inclusive ? 'up to' : 'below'} ${JSON.stringify(to.value)}`];
  return [...low, ...high].join(' ') || 'of any value';
}

function amount(from: Bound<number> | undefined, to: Bound<number> | undefined): string {
  if (from !== undefined && from.value === to?.value) return String(from.value);
  const low = from === undefined ? [] : [from.inclusive ? `${from.value} or more` : `more than ${from.value}`];
  const high = to === undefined ? [] : [to.inclusive ? `${to.value} or less` : `less than ${to.value}`];
  return [...low, ...high].join(' and ') || 'of any value';
}
