/** Says of every part of a query whether it holds for an event, and shows where. */
import type { Highlight } from '../../domain/match.ts';
import type { Predicate, Query } from '../../rules/query.ts';
import { findSpans } from '../one-rule/find-spans.ts';
import { queryHolds } from '../one-rule/holds.ts';
import type { ViewLookup } from '../one-rule/view-lookup.ts';
import { inPayload, MOST_HIGHLIGHTS, MOST_OF_A_PREDICATE, merged } from './highlights.ts';
import { labelOf } from './label.ts';

export interface Explanation {
  readonly label: string;
  readonly holds: boolean;
  /** They are the earliest places where a predicate holds. A part made of others has none of its own. */
  readonly highlights: readonly Highlight[];
  readonly of: readonly Explanation[];
  /** A predicate that does not hold has here the like words that are there instead, or the number that is there. */
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

/** Like words that are named. */
const MOST_NEAR = 3;
/** Endings that a plural or a possessive adds. */
const LONGEST_ENDING = 2;
const SHORTEST_STEM = 3;

/** Words tested for all predicates of one explanation. */
const NEAR_STEPS = 200_000;

interface NearBudget {
  /** Words that may still be tested. */
  words: number;
}

/** Finds what an event has in the place of a predicate that does not hold: like words, or the number that is there. */
export function nearTo(predicate: Predicate, lookup: ViewLookup, budget: NearBudget): readonly string[] {
  if (predicate.kind === 'term') return likeWords(predicate.field, predicate.term, lookup, budget);
  if (predicate.kind !== 'number') return [];
  const values = lookup.view.numbers.filter(({ field }) => field === predicate.field);
  return values.slice(0, MOST_NEAR).map(({ value }) => String(value));
}

/** Words of the field that begin with the term, or that the term begins with but for an ending. */
function likeWords(field: string, term: string, lookup: ViewLookup, budget: NearBudget): readonly string[] {
  const found: string[] = [];
  const { view, words } = lookup;
  if (term.length < SHORTEST_STEM) return found;
  for (const place of words.inField(field)) {
    if (found.length === MOST_NEAR || budget.words-- <= 0) break;
    lookup.steps++;
    const { text } = view.pieces[view.words.pieces[place]!]!;
    const word = text.slice(view.words.starts[place], view.words.ends[place]);
    if (isLike(word, term)) found.push(word);
  }
  return found;
}

const isLike = (word: string, term: string): boolean =>
  word.startsWith(term) ||
  (word.length >= SHORTEST_STEM && term.length - word.length <= LONGEST_ENDING && term.startsWith(word));
