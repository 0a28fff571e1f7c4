/** Where the words of a phrase stand together. */
import type { Predicate } from '../../rules/query.ts';
import type { PieceSpan, ViewLookup } from './view-lookup.ts';

/** One term of a phrase. */
interface Slot {
  readonly offset: number;
  /** The slot before it with the same term, or -1: each of the two takes a word of its own. */
  readonly twin: number;
  /** The first place of the term that the window has not passed, or -1. */
  place: number;
}

/**
 * Slides a window of `slop` over the field. Each term takes its first word in it. Where that word lies behind the window,
 * the window moves on to reach it, as no earlier one can hold all terms.
 */
export function findPhrases(
  { field, terms, slop }: Extract<Predicate, { kind: 'phrase' }>,
  lookup: ViewLookup,
  most: number,
): PieceSpan[] {
  const spans: PieceSpan[] = [];
  const slots = slotsOf(field, terms, lookup);
  if (slots.length === 0) return spans;
  for (let from = Number.NEGATIVE_INFINITY; spans.length < most; ) {
    const fit = fitWindow(slots, lookup, from, slop);
    if (fit === undefined) break;
    const words = fit.places.map((place) => lookup.spanOfWord(place));
    spans.push(...(slop === 0 ? joined(words) : words));
    from = fit.next;
  }
  return spans;
}

function slotsOf(field: string, terms: readonly (string | null)[], { words }: ViewLookup): Slot[] {
  const slots: Slot[] = [];
  const lastOf = new Map<string, number>();
  for (const [offset, term] of terms.entries()) {
    if (term === null) continue;
    slots.push({ offset, twin: lastOf.get(term) ?? -1, place: words.firstPlace(field, term) });
    lastOf.set(term, slots.length - 1);
  }
  return slots;
}

/** The places of the first window from here that holds all terms, and where the next window can begin. */
function fitWindow(slots: readonly Slot[], lookup: ViewLookup, start: number, slop: number) {
  const { positions } = lookup.view.words;
  const { next } = lookup.words;
  for (let from = start; !lookup.isOutOfSteps; ) {
    const places: number[] = [];
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    for (const slot of slots) {
      lookup.steps++;
      for (; slot.place >= 0 && positions[slot.place]! - slot.offset < from; lookup.steps++) {
        slot.place = next[slot.place]!;
      }
      const taken = places[slot.twin];
      const place = taken !== undefined && slot.place <= taken ? next[taken]! : slot.place;
      if (slot.place < 0 || place < 0) return undefined;
      places.push(place);
      low = Math.min(low, positions[place]! - slot.offset);
      high = Math.max(high, positions[place]! - slot.offset);
      if (high - low > slop) break;
    }
    if (high - low <= slop) return { places, next: low + 1 };
    from = high - slop;
  }
  return undefined;
}

/** Words that stand together, as one stretch for each piece they are in. */
function joined(words: readonly PieceSpan[]): PieceSpan[] {
  return [...Map.groupBy(words, (word) => word.piece)].map(([piece, inside]) => ({
    piece,
    start: Math.min(...inside.map((word) => word.start)),
    end: Math.max(...inside.map((word) => word.end)),
  }));
}
