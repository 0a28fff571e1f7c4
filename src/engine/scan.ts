/**
 * The oracle of the tests: it evaluates every rule on every event, by the plainest reading of the query. The index must find
 * exactly what this finds. It is slow on purpose, and short enough to be checked by reading. Nothing that serves imports it.
 */
import { patternOf } from '../rules/pattern/pattern.ts';
import type { Bound, Predicate, Query } from '../rules/query.ts';
import type { EventView } from './events/event-view.ts';
import { lies } from './one-rule/geo.ts';
import { isSampled } from './one-rule/sample.ts';

export function holds(query: Query, view: EventView, now: number): boolean {
  switch (query.kind) {
    case 'all':
      return query.of.every((part) => holds(part, view, now));
    case 'any':
      return query.of.some((part) => holds(part, view, now));
    case 'not':
      return !holds(query.query, view, now);
    case 'everything':
      return true;
    case 'nothing':
    case 'upstream':
      return false;
    case 'number':
      return view.numbers.some(({ field, value }) => field === query.field && isBetween(value, query.from, query.to));
    case 'circle':
    case 'box':
      return view.place !== undefined && lies(view.place, query);
    case 'sample':
      return isSampled(view.id, query.percent);
    case 'recent':
      return view.publishedAt !== undefined && now - view.publishedAt <= query.milliseconds;
    default:
      return textHolds(query, view);
  }
}

type OfText = Exclude<Predicate, { kind: 'number' | 'circle' | 'box' | 'sample' | 'recent' | 'upstream' }>;

function textHolds(predicate: OfText, view: EventView): boolean {
  const { field } = predicate;
  switch (predicate.kind) {
    case 'term':
      return hasWord(view, field, (text, start, end) => isTerm(predicate.term, text, start, end));
    case 'exists':
      return hasWord(view, field, () => true);
    case 'prefix':
    case 'wildcard':
    case 'regex':
    case 'fuzzy':
    case 'range': {
      const pattern = patternOf(predicate);
      return hasWord(view, field, (text, start, end) => pattern.test(text, start, end));
    }
    case 'phrase':
      return hasPhrase(predicate, view);
    case 'literal':
      return view.pieces.some((piece, index) => piece.field === field && hasLiteral(predicate, view, index));
    case 'contains':
      return view.pieces.some((piece) => piece.field === field && piece.text.includes(predicate.text));
  }
}

type FitsWord = (text: string, start: number, end: number, position: number) => boolean;

/** Whether some word of the field fits. */
function hasWord({ pieces, words }: EventView, field: string, fits: FitsWord): boolean {
  for (let at = 0; at < words.count; at++) {
    const piece = pieces[words.pieces[at]!]!;
    if (piece.field !== field) continue;
    if (fits(piece.text, words.starts[at]!, words.ends[at]!, words.positions[at]!)) return true;
  }
  return false;
}

const isTerm = (term: string, text: string, start: number, end: number): boolean =>
  end - start === term.length && text.startsWith(term, start);

const isBetween = (value: number, from: Bound<number> | undefined, to: Bound<number> | undefined): boolean =>
  (from === undefined || value > from.value || (from.inclusive && value === from.value)) &&
  (to === undefined || value < to.value || (to.inclusive && value === to.value));

/** Tries every choice of a place for each term; a word serves one term only, also where terms are equal. */
function hasPhrase({ field, terms, slop }: Extract<Predicate, { kind: 'phrase' }>, view: EventView): boolean {
  const chosen: number[] = [];
  const choose = (offset: number, least: number, most: number): boolean => {
    if (offset === terms.length) return chosen.length > 0;
    const term = terms[offset]!;
    if (term === null) return choose(offset + 1, least, most);
    return hasWord(view, field, (text, start, end, position) => {
      const low = Math.min(least, position - offset);
      const high = Math.max(most, position - offset);
      if (high - low > slop || chosen.includes(position) || !isTerm(term, text, start, end)) return false;
      chosen.push(position);
      const found = choose(offset + 1, low, high);
      chosen.pop();
      return found;
    });
  };
  return choose(0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY);
}

/** Whether the text stands in the piece so that the words it touches are its own, whole. */
function hasLiteral(
  literal: Extract<Predicate, { kind: 'literal' }>,
  { pieces, words }: EventView,
  piece: number,
): boolean {
  const { text } = pieces[piece]!;
  for (let from = text.indexOf(literal.text); from >= 0; from = text.indexOf(literal.text, from + 1)) {
    const to = from + literal.text.length;
    const touched: (string | undefined)[] = [];
    for (let at = 0; at < words.count; at++) {
      const start = words.starts[at]!;
      const end = words.ends[at]!;
      if (words.pieces[at] !== piece || end <= from || start >= to) continue;
      touched.push(start >= from && end <= to ? text.slice(start, end) : undefined);
    }
    if (touched.length === literal.terms.length && touched.every((word, at) => word === literal.terms[at])) return true;
  }
  return false;
}
