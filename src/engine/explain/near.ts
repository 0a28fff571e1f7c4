/**
 * Finds what an event has in the place of a predicate that does not hold: like words, the same word in another field,
 * another value, words of a phrase that stand apart, the number that is there.
 */
import { normalize } from '../../base/normalize.ts';
import type { Predicate } from '../../rules/query.ts';
import type { ViewLookup } from '../one-rule/view-lookup.ts';

/** Things that are named. */
const MOST_NEAR = 3;
/** Endings that a plural or a possessive adds. */
const LONGEST_ENDING = 2;
const SHORTEST_STEM = 3;
/** A longer word has no accents that somebody left out. */
const LONGEST_PLAIN = 64;
/** Words of a phrase further apart than this have nothing to do with each other. */
const LONGEST_STRETCH = 80;
/** A longer phrase is not looked for word by word. */
const MOST_TERMS = 32;
/** Fields that hold one value, or few: what they hold instead is worth a word. */
export const FIELDS_OF_ONE_VALUE: ReadonlySet<string> = new Set([
  'lang',
  'language',
  'from',
  'place_country',
  'domain',
]);

/** Words tested for all predicates of one explanation. */
export const NEAR_STEPS = 200_000;

export interface NearBudget {
  /** Words that may still be tested. */
  words: number;
}

export function nearTo(predicate: Predicate, lookup: ViewLookup, budget: NearBudget): readonly string[] {
  switch (predicate.kind) {
    case 'term':
      return nearWord(predicate.field, predicate.term, lookup, budget);
    case 'phrase':
    case 'literal': {
      const terms = predicate.terms.flatMap((term) => term ?? []);
      return nearPhrase(predicate.field, terms, lookup, budget);
    }
    case 'number': {
      const values = lookup.view.numbers.filter(({ field }) => field === predicate.field);
      return values.slice(0, MOST_NEAR).map(({ value }) => String(value));
    }
    default:
      return [];
  }
}

function nearWord(field: string, term: string, lookup: ViewLookup, budget: NearBudget): readonly string[] {
  if (FIELDS_OF_ONE_VALUE.has(field)) return wordsThat(() => true, field, lookup, budget);
  const like = term.length < SHORTEST_STEM ? [] : wordsThat((word) => isLike(word, term), field, lookup, budget);
  return like.length > 0 ? like : elsewhere(field, term, lookup);
}

function wordsThat(
  isNear: (word: string) => boolean,
  field: string,
  lookup: ViewLookup,
  budget: NearBudget,
): readonly string[] {
  const found: string[] = [];
  for (const place of lookup.words.inField(field)) {
    if (found.length === MOST_NEAR || budget.words-- <= 0) break;
    lookup.steps++;
    const word = wordAt(place, lookup);
    if (isNear(word)) found.push(word);
  }
  return found;
}

/** Words that begin with the term, that the term begins with but for an ending, or that have other accents. */
const isLike = (word: string, term: string): boolean =>
  word.startsWith(term) ||
  (word.length >= SHORTEST_STEM && term.length - word.length <= LONGEST_ENDING && term.startsWith(word)) ||
  (word.length <= LONGEST_PLAIN && plain(word) === plain(term));

const plain = (word: string): string => normalize(word, 'NFD').replace(/\p{M}/gu, '');

function wordAt(place: number, { view }: ViewLookup): string {
  const { text } = view.pieces[view.words.pieces[place]!]!;
  return text.slice(view.words.starts[place], view.words.ends[place]);
}

/** The word itself, in another field. */
function elsewhere(field: string, term: string, lookup: ViewLookup): readonly string[] {
  const fields = new Set(lookup.view.pieces.map((piece) => piece.field));
  return [...fields]
    .filter((other) => other !== field && lookup.words.firstPlace(other, term) >= 0)
    .slice(0, MOST_NEAR)
    .map((other) => `${term} in ${other}`);
}

/** The shortest stretch that has all words of a phrase; else those of its words that are there. */
function nearPhrase(
  field: string,
  terms: readonly string[],
  lookup: ViewLookup,
  budget: NearBudget,
): readonly string[] {
  const there = terms.filter((term) => lookup.words.firstPlace(field, term) >= 0);
  if (there.length < terms.length) return [...new Set(there)].slice(0, MOST_NEAR);
  const stretch = shortestStretch(field, [...new Set(terms)], lookup, budget);
  return stretch === undefined ? [...new Set(terms)].slice(0, MOST_NEAR) : [stretch];
}

function shortestStretch(
  field: string,
  terms: readonly string[],
  lookup: ViewLookup,
  budget: NearBudget,
): string | undefined {
  const { view } = lookup;
  if (terms.length > MOST_TERMS) return undefined;
  const last = new Map<number, number>();
  let best: { from: number; to: number } | undefined;
  for (const { place, term } of placesOf(field, terms, lookup, budget)) {
    last.set(term, place);
    const from = Math.min(...last.values());
    const isWhole = last.size === terms.length && view.words.pieces[from] === view.words.pieces[place];
    if (isWhole && (best === undefined || place - from < best.to - best.from)) best = { from, to: place };
  }
  if (best === undefined) return undefined;
  const { text } = view.pieces[view.words.pieces[best.from]!]!;
  const stretch = text.slice(view.words.starts[best.from], view.words.ends[best.to]);
  return stretch.length <= LONGEST_STRETCH ? stretch : undefined;
}

/** The places of the words of a phrase, in order, as far as the budget goes. */
function placesOf(field: string, terms: readonly string[], { words }: ViewLookup, budget: NearBudget) {
  const places: { place: number; term: number }[] = [];
  for (const [term, word] of terms.entries())
    for (let place = words.firstPlace(field, word); place >= 0 && budget.words-- > 0; place = words.next[place]!)
      places.push({ place, term });
  return places.toSorted((one, other) => one.place - other.place);
}
