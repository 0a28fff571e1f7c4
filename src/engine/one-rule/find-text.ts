/** Finds where a text stands in the pieces of a field, character for character, in time linear in the length of the pieces. */
import { textFinder } from '../../base/text-finder.ts';
import type { Predicate } from '../../rules/query.ts';
import type { EventView } from '../events/event-view.ts';
import type { PieceSpan, ViewLookup } from './view-lookup.ts';

/** Units that the search for a text reads in one step. */
const UNITS_A_STEP = 32;

export function findContained(
  { field, text }: Extract<Predicate, { kind: 'contains' }>,
  lookup: ViewLookup,
  most: number,
): PieceSpan[] {
  const spans: PieceSpan[] = [];
  const finder = textFinder(text);
  for (const piece of lookup.view.pieces) {
    if (lookup.isOutOfSteps) break;
    lookup.steps += 1 / UNITS_A_STEP;
    if (piece.field !== field) continue;
    lookup.steps += 1 + piece.text.length / UNITS_A_STEP;
    finder.each(piece.text, (start) => {
      if (spans.length < most) spans.push({ piece, start, end: start + text.length });
      return spans.length < most;
    });
  }
  return spans;
}

/** A literal counts where it neither begins nor ends inside a word. */
export function findLiteral(
  { field, text, terms }: Extract<Predicate, { kind: 'literal' }>,
  lookup: ViewLookup,
  most: number,
): PieceSpan[] {
  const spans: PieceSpan[] = [];
  const finder = textFinder(text);
  for (const [index, piece] of lookup.view.pieces.entries()) {
    if (lookup.isOutOfSteps || spans.length >= most) break;
    lookup.steps += 1 / UNITS_A_STEP;
    if (piece.field !== field) continue;
    lookup.steps += 1 + piece.text.length / UNITS_A_STEP;
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
