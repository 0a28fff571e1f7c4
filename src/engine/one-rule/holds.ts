/**
 * Decides one query on one event, exactly: for previews, rehearsals and explanations, for the check of the core, and for what
 * the core asks back. It shares nothing with the compiler of the core but the language's patterns, so that a mistake in one
 * shows in the other.
 */
import { runThrough } from '../../base/cooperate.ts';
import { isPattern, type Pattern, patternOf } from '../../rules/pattern/pattern.ts';
import type { Predicate, Query } from '../../rules/query.ts';
import { findSpans, fitsWord } from './find-spans.ts';
import { phraseStands } from './phrases.ts';
import type { ViewLookup } from './view-lookup.ts';

/** Steps that the tests of a pattern take between two yields. */
const STEPS_AT_ONCE = 4_096;

/** Throws where a regular expression of the query is one that the language refuses. */
export function queryHolds(query: Query, lookup: ViewLookup): boolean {
  switch (query.kind) {
    case 'term':
      return lookup.words.firstPlace(query.field, query.term) >= 0;
    case 'all':
      return query.of.every((part) => queryHolds(part, lookup));
    case 'any':
      return query.of.some((part) => queryHolds(part, lookup));
    case 'not':
      return !queryHolds(query.query, lookup);
    case 'everything':
      return true;
    case 'nothing':
      return false;
    case 'phrase':
      return lookup.verdicts.get(query) ?? runThrough(phraseStands(query, lookup));
    default:
      return lookup.verdicts.get(query) ?? findSpans(query, lookup, 1).holds === true;
  }
}

/** Decides every predicate of the query first, with yields of the steps taken: each may take as long as one turn has. */
export function* holdsInParts(query: Query, lookup: ViewLookup): Generator<number, boolean> {
  for (const predicate of predicatesIn(query)) lookup.verdicts.set(predicate, yield* decideInParts(predicate, lookup));
  return queryHolds(query, lookup);
}

export function* decideInParts(predicate: Predicate, lookup: ViewLookup): Generator<number, boolean> {
  yield* lookup.readWords();
  if (predicate.kind === 'phrase') return yield* phraseStands(predicate, lookup);
  if (isPattern(predicate)) return yield* fitsInParts(patternOf(predicate), predicate.field, lookup);
  const before = lookup.steps;
  const verdict = queryHolds(predicate, lookup);
  yield 1 + lookup.steps - before;
  return verdict;
}

/** Whether a pattern fits some word of the field. */
export function fitsSome(pattern: Pattern, field: string, lookup: ViewLookup): boolean {
  lookup.steps += pattern.prepare();
  return lookup.words.inField(field).some((place) => fitsWord(pattern, lookup, place));
}

export function* fitsInParts(pattern: Pattern, field: string, lookup: ViewLookup): Generator<number, boolean> {
  yield pattern.prepare();
  let before = lookup.steps;
  for (const place of lookup.words.inField(field)) {
    if (fitsWord(pattern, lookup, place)) return true;
    if (lookup.steps - before < STEPS_AT_ONCE) continue;
    yield lookup.steps - before;
    before = lookup.steps;
  }
  yield lookup.steps - before;
  return false;
}

function* predicatesIn(query: Query): Generator<Predicate, void> {
  if (query.kind === 'all' || query.kind === 'any') for (const part of query.of) yield* predicatesIn(part);
  else if (query.kind === 'not') yield* predicatesIn(query.query);
  else if (query.kind !== 'everything' && query.kind !== 'nothing') yield query;
}
