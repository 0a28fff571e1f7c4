/** Finds what an event has in the place of a predicate that does not hold: like words, or the number that is there. */
import type { Predicate } from '../../rules/query.ts';
import type { ViewLookup } from '../one-rule/view-lookup.ts';

/** Like words that are named. */
const MOST_NEAR = 3;
/** Endings that a plural or a possessive adds. */
const LONGEST_ENDING = 2;
const SHORTEST_STEM = 3;

/** Words tested for all predicates of one explanation. */
export const NEAR_STEPS = 200_000;

export interface NearBudget {
  /** Words that may still be tested. */
  words: number;
}

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
