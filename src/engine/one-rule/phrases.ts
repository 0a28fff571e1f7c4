/** Whether, and where, the words of a phrase stand together. */
import type { Predicate } from '../../rules/query.ts';
import type { PieceSpan, ViewLookup } from './view-lookup.ts';

type Phrase = Extract<Predicate, { kind: 'phrase' }>;

/** One term of a phrase. */
interface Slot {
  readonly offset: number;
  /** The slot before it with the same term, or -1: each of the two takes a word of its own. */
  readonly twin: number;
  /** The first place of the term in the event, by which equal terms are known. */
  readonly first: number;
  /** The first place of the term that the window has not passed, or -1. */
  place: number;
}

/**
 * The search slides a window of `slop` over the field. Each term takes its first word in it. Where that word lies behind the
 * window, the window moves on to reach it, as no earlier one can hold all terms. The search keeps its place, so that it can go
 * on after a pause.
 */
interface Search {
  readonly slots: readonly Slot[];
  readonly slop: number;
  /** Where the next window begins. */
  from: number;
}

/** The search looks this often at a place between two yields, and this many looks take the time of a step. */
const LOOKS_AT_ONCE = 1 << 14;
const LOOKS_IN_A_STEP = 8;
/** Places are marked in bits for a phrase of no more distinct terms, and in an event of no more positions. */
const MOST_MARKED = 32;
const MOST_POSITIONS = 1 << 23;

export function findPhrases(phrase: Phrase, lookup: ViewLookup, most: number): PieceSpan[] {
  const spans: PieceSpan[] = [];
  const search = searchFor(phrase, lookup);
  while (search !== undefined && spans.length < most) {
    const places = nextFit(search, lookup);
    if (places === undefined) break;
    const words = places.map((place) => lookup.spanOfWord(place));
    spans.push(...(phrase.slop === 0 ? joined(words) : words));
  }
  return spans;
}

/**
 * Whether the phrase stands in the event; yields the steps it took every now and then. A sender can write a text in which every
 * place fits but the last word of the phrase: the search then looks as often as the phrase has terms and the event has words,
 * multiplied. Where that is much and the words must stand exactly, it looks at 32 places at a time instead.
 */
export function* phraseStands(phrase: Phrase, lookup: ViewLookup): Generator<number, boolean> {
  const search = searchFor(phrase, lookup);
  if (search === undefined) return false;
  const { limit } = lookup;
  for (;;) {
    lookup.limit = lookup.steps + LOOKS_AT_ONCE;
    const places = nextFit(search, lookup);
    const hasEnded = !lookup.isOutOfSteps;
    lookup.limit = limit;
    if (places !== undefined) return true;
    if (hasEnded) return false;
    yield LOOKS_AT_ONCE / LOOKS_IN_A_STEP;
    const marks = phrase.slop === 0 ? yield* markPlaces(search.slots, lookup) : undefined;
    if (marks !== undefined) return yield* standsByBits(search.slots, marks);
  }
}

/** There is nothing to search for, and no search, where the phrase has no term or the event lacks one. */
function searchFor({ field, terms, slop }: Phrase, { words }: ViewLookup): Search | undefined {
  const slots: Slot[] = [];
  const lastOf = new Map<string, number>();
  for (const [offset, term] of terms.entries()) {
    if (term === null) continue;
    const first = words.firstPlace(field, term);
    if (first < 0) return undefined;
    slots.push({ offset, twin: lastOf.get(term) ?? -1, first, place: first });
    lastOf.set(term, slots.length - 1);
  }
  return slots.length === 0 ? undefined : { slots, slop, from: Number.NEGATIVE_INFINITY };
}

/** The places of the next window that holds all terms; undefined at the end, and where the steps ran out. */
function nextFit(search: Search, lookup: ViewLookup): number[] | undefined {
  const { slots, slop } = search;
  while (!lookup.isOutOfSteps) {
    const places: number[] = [];
    const { low, high } = fillWindow(search, lookup, places);
    if (places.length === slots.length && high - low <= slop) {
      search.from = low + 1;
      return places;
    }
    if (high - low <= slop) return undefined;
    search.from = high - slop;
  }
  return undefined;
}

/** Gives each term its first word in the window, until one lies behind it or there is none. */
function fillWindow({ slots, slop, from }: Search, lookup: ViewLookup, places: number[]) {
  const { positions } = lookup.view.words;
  const { next } = lookup.words;
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const slot of slots) {
    lookup.steps++;
    for (; slot.place >= 0 && positions[slot.place]! - slot.offset < from; lookup.steps++) {
      slot.place = next[slot.place]!;
    }
    const taken = places[slot.twin];
    const place = taken !== undefined && slot.place <= taken ? next[taken]! : slot.place;
    if (slot.place < 0 || place < 0) break;
    places.push(place);
    low = Math.min(low, positions[place]! - slot.offset);
    high = Math.max(high, positions[place]! - slot.offset);
    if (high - low > slop) break;
  }
  return { low, high };
}

/** A bit for each position of each term, by its first place; undefined where that would take too much memory. */
function* markPlaces(
  slots: readonly Slot[],
  { view, words }: ViewLookup,
): Generator<number, Map<number, Int32Array> | undefined> {
  const firsts = new Set(slots.map(({ first }) => first));
  const last = view.words.positions.subarray(0, view.words.count).reduce((most, one) => Math.max(most, one), 0);
  if (firsts.size > MOST_MARKED || last >= MOST_POSITIONS) return undefined;
  // There is as much room behind the last position as the phrase is long.
  const length = ((last + slots.at(-1)!.offset) >>> 5) + 2;
  const marks = new Map<number, Int32Array>();
  for (const first of firsts) {
    const bits = new Int32Array(length);
    for (let place = first; place >= 0; place = words.next[place]!) {
      const position = view.words.positions[place]!;
      bits[position >>> 5]! |= 1 << (position & 31);
    }
    marks.set(first, bits);
    yield view.words.count / LOOKS_IN_A_STEP;
  }
  return marks;
}

/** Looks at 32 places at a time: a bit stays where every term so far stands as it should. */
function* standsByBits(slots: readonly Slot[], marks: ReadonlyMap<number, Int32Array>): Generator<number, boolean> {
  const offsets = Int32Array.from(slots, ({ offset }) => offset - slots[0]!.offset);
  const marked = slots.map(({ first }) => marks.get(first)!);
  const end = marked[0]!.length - 1 - (offsets.at(-1)! >>> 5);
  let looks = 0;
  for (let block = 0; block < end; block++) {
    let fitting = -1;
    for (let index = 0; index < offsets.length && fitting !== 0; index++, looks++) {
      const bits = marked[index]!;
      const at = block + (offsets[index]! >>> 5);
      const shift = offsets[index]! & 31;
      fitting &= shift === 0 ? bits[at]! : (bits[at]! >>> shift) | (bits[at + 1]! << (32 - shift));
    }
    if (fitting !== 0) return true;
    if (looks < LOOKS_AT_ONCE) continue;
    yield looks / LOOKS_IN_A_STEP;
    looks = 0;
  }
  return false;
}

/** Words that stand together, as one stretch for each piece they are in. */
function joined(words: readonly PieceSpan[]): PieceSpan[] {
  return [...Map.groupBy(words, (word) => word.piece)].map(([piece, inside]) => ({
    piece,
    start: Math.min(...inside.map((word) => word.start)),
    end: Math.max(...inside.map((word) => word.end)),
  }));
}
