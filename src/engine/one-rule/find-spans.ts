/** Finds where in an event a predicate holds: the words and stretches of text that show it. */
import { textFinder } from '../../base/text-finder.ts';
import { type Pattern, type PatternPredicate, patternOf } from '../../rules/pattern/pattern.ts';
import type { Bound, Predicate } from '../../rules/query.ts';
import type { EventView } from '../events/event-view.ts';
import { lies } from './geo.ts';
import { findPhrases } from './phrases.ts';
import { isSampled } from './sample.ts';
import type { PieceSpan, ViewLookup } from './view-lookup.ts';

/** Units that the search for a text reads in one step. */
const TEXT_UNITS_A_STEP = 32;

function findContained(
  { field, text }: Extract<Predicate, { kind: 'contains' }>,
  lookup: ViewLookup,
  most: number,
): PieceSpan[] {
  const spans: PieceSpan[] = [];
  const finder = textFinder(text);
  for (const piece of lookup.view.pieces) {
    if (lookup.isOutOfSteps) break;
    lookup.steps += 1 / TEXT_UNITS_A_STEP;
    if (piece.field !== field) continue;
    lookup.steps += 1 + piece.text.length / TEXT_UNITS_A_STEP;
    finder.each(piece.text, (start) => {
      if (spans.length < most) spans.push({ piece, start, end: start + text.length });
      return spans.length < most;
    });
  }
  return spans;
}

/** A literal counts where it neither begins nor ends inside a word. */
function findLiteral(
  { field, text, terms }: Extract<Predicate, { kind: 'literal' }>,
  lookup: ViewLookup,
  most: number,
): PieceSpan[] {
  const spans: PieceSpan[] = [];
  const finder = textFinder(text);
  for (const [index, piece] of lookup.view.pieces.entries()) {
    if (lookup.isOutOfSteps || spans.length >= most) break;
    lookup.steps += 1 / TEXT_UNITS_A_STEP;
    if (piece.field !== field) continue;
    lookup.steps += 1 + piece.text.length / TEXT_UNITS_A_STEP;
    finder.each(piece.text, (start) => {
      const end = start + text.length;
      lookup.steps++;
      if (isMadeOf(terms, lookup.view, index, start, end)) spans.push({ piece, start, end });
      return spans.length < most && !lookup.isOutOfSteps;
    });
  }
  return spans;
}

/** Whether the words that a stretch touches are these, and whole. */
function isMadeOf(terms: readonly string[], view: EventView, piece: number, start: number, end: number): boolean {
  const { words } = view;
  const { text } = view.pieces[piece]!;
  const first = firstWordBehind(view, piece, start);
  const isInPiece = (at: number): boolean => at < words.count && words.pieces[at] === piece && words.starts[at]! < end;
  // The ends first: a text that is cut at either end is refused without a look at what is between.
  const last = first + terms.length - 1;
  if (isInPiece(first) && words.starts[first]! < start) return false;
  if (isInPiece(last + 1) || (last >= first && (!isInPiece(last) || words.ends[last]! > end))) return false;
  return terms.every((term, index) => text.slice(words.starts[first + index], words.ends[first + index]) === term);
}

/** The first word of the piece that ends behind a unit. Words are in order, so halving finds it. */
function firstWordBehind({ words }: EventView, piece: number, unit: number): number {
  let low = 0;
  let high = words.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const before = words.pieces[middle]! < piece || (words.pieces[middle] === piece && words.ends[middle]! <= unit);
    if (before) low = middle + 1;
    else high = middle;
  }
  return low;
}

export interface SpanSearch {
  /** The verdict is undefined when the steps ran out before it was certain. */
  readonly holds: boolean | undefined;
  /** The earliest, at most as many as were asked for. Empty when no text shows it, as with a number or a time. */
  readonly spans: readonly PieceSpan[];
}

/** Finds up to `most` spans. One is looked for even when `most` is 0, to tell whether the predicate holds. */
export function findSpans(predicate: Predicate, lookup: ViewLookup, most: number): SpanSearch {
  switch (predicate.kind) {
    case 'exists':
    case 'number':
    case 'circle':
    case 'box':
    case 'sample':
    case 'recent':
    case 'upstream':
      return { holds: factHolds(predicate, lookup.view, lookup.now), spans: [] };
    default: {
      const spans = textSpans(predicate, lookup, Math.max(most, 1));
      const holds = spans.length > 0 || (lookup.isOutOfSteps ? undefined : false);
      return { holds, spans: spans.slice(0, most) };
    }
  }
}

function textSpans(predicate: Exclude<Predicate, Fact>, lookup: ViewLookup, most: number): PieceSpan[] {
  switch (predicate.kind) {
    case 'term':
      return findTerm(predicate, lookup, most);
    case 'phrase':
      return findPhrases(predicate, lookup, most);
    case 'literal':
      return findLiteral(predicate, lookup, most);
    case 'contains':
      return findContained(predicate, lookup, most);
    default:
      return findPattern(predicate, lookup, most);
  }
}

function findTerm({ field, term }: Extract<Predicate, { kind: 'term' }>, lookup: ViewLookup, most: number) {
  const spans = lookup.placesOf(field, term, most).map((at) => lookup.spanOfWord(at));
  lookup.steps += 1 + spans.length;
  return spans;
}

/** Units of a word that one step reads, with a pattern that is not heavy. */
const UNITS_A_STEP = 8;

/** Whether a pattern fits the word at a place. */
export function fitsWord(pattern: Pattern, lookup: ViewLookup, place: number): boolean {
  const { pieces, words } = lookup.view;
  const [start, end] = [words.starts[place]!, words.ends[place]!];
  lookup.steps += pattern.steps + Math.trunc(((end - start) * pattern.weight) / UNITS_A_STEP);
  return pattern.test(pieces[words.pieces[place]!]!.text, start, end);
}

/** The earliest places are among those of the first distinct words that fit, and among the first of each. */
function findPattern(predicate: PatternPredicate, lookup: ViewLookup, most: number): PieceSpan[] {
  const { words } = lookup;
  const pattern = patternOf(predicate);
  const places: number[] = [];
  let fitting = 0;
  for (const first of words.inField(predicate.field)) {
    if (lookup.isOutOfSteps || fitting === most) break;
    if (!fitsWord(pattern, lookup, first)) continue;
    fitting++;
    for (let at = first, left = most; at >= 0 && left > 0; at = words.next[at]!, left--) places.push(at);
  }
  lookup.steps += places.length;
  const earliest = Int32Array.from(places).toSorted().subarray(0, most);
  return Array.from(earliest, (at) => lookup.spanOfWord(at));
}

/** Predicates that no word shows: numbers, places, times, samples, and whether a field is there at all. */
export type Fact = Extract<
  Predicate,
  { kind: 'number' | 'exists' | 'circle' | 'box' | 'sample' | 'recent' | 'upstream' }
>;

export function factHolds(fact: Fact, event: EventView, now: number): boolean {
  switch (fact.kind) {
    case 'number':
      return event.numbers.some(({ field, value }) => field === fact.field && isBetween(value, fact.from, fact.to));
    case 'exists':
      return hasWords(event, fact.field);
    case 'circle':
    case 'box':
      return event.place !== undefined && lies(event.place, fact);
    case 'sample':
      return isSampled(event.id, fact.percent);
    case 'recent':
      return event.publishedAt !== undefined && now - event.publishedAt <= fact.milliseconds;
    case 'upstream':
      return false;
  }
}

function hasWords({ pieces, words }: EventView, field: string): boolean {
  for (let word = 0; word < words.count; word++) if (pieces[words.pieces[word]!]!.field === field) return true;
  return false;
}

function isBetween(value: number, from: Bound<number> | undefined, to: Bound<number> | undefined): boolean {
  if (from !== undefined && (from.inclusive ? value < from.value : value <= from.value)) return false;
  return to === undefined || (to.inclusive ? value <= to.value : value < to.value);
}
