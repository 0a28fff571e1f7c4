/** Whether, and where, the words of a phrase stand together. */
import type { Predicate } from '../../rules/query.ts';
import type { PieceSpan, ViewLookup } from './view-lookup.ts';

type Phrase = Extract<Predicate, { kind: 'phrase' }>;

/**
 * The search slides a window of `slop` over the field. Each term takes its first word in it. Where that word lies behind the
 * window, the window moves on to reach it, as no earlier one can hold all terms. The search keeps its place, so that it can go
 * on after a pause. The arrays have an entry for each term.
 */
interface Search {
  readonly slop: number;
  readonly offsets: Int32Array;
  /** The term before it that is the same, or -1: each of the two takes a word of its own. */
  readonly twins: Int32Array;
  /** The first place of the term in the event, by which equal terms are known. */
  readonly firsts: Int32Array;
  /** The first place of the term that the window has not passed, or -1. */
  readonly nexts: Int32Array;
  /** The places of the words that the terms have taken. */
  readonly taken: Int32Array;
  /** The next window begins here. */
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
    if (!reachFit(search, lookup)) break;
    const words = Array.from(search.taken, (place) => lookup.spanOfWord(place));
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
    const isFound = reachFit(search, lookup);
    const hasEnded = !lookup.isOutOfSteps;
    lookup.limit = limit;
    if (isFound) return true;
    if (hasEnded) return false;
    yield LOOKS_AT_ONCE / LOOKS_IN_A_STEP;
    const marks = phrase.slop === 0 ? yield* markPlaces(search, lookup) : undefined;
    if (marks !== undefined) return yield* standsByBits(search, marks);
  }
}

/** There is nothing to search for, and no search, where the phrase has no term or the event lacks one. */
function searchFor({ field, terms, slop }: Phrase, { words }: ViewLookup): Search | undefined {
  const [offsets, twins, firsts]: [number[], number[], number[]] = [[], [], []];
  const lastOf = new Map<string, number>();
  for (const [offset, term] of terms.entries()) {
    if (term === null) continue;
    const first = words.firstPlace(field, term);
    if (first < 0) return undefined;
    twins.push(lastOf.get(term) ?? -1);
    lastOf.set(term, offsets.length);
    offsets.push(offset);
    firsts.push(first);
  }
  if (offsets.length === 0) return undefined;
  return {
    slop,
    offsets: Int32Array.from(offsets),
    twins: Int32Array.from(twins),
    firsts: Int32Array.from(firsts),
    nexts: Int32Array.from(firsts),
    taken: new Int32Array(offsets.length),
    from: Number.NEGATIVE_INFINITY,
  };
}

/** Moves to the next window that holds all terms; false at the end, and where the steps ran out. */
function reachFit(search: Search, lookup: ViewLookup): boolean {
  while (!lookup.isOutOfSteps) {
    const { count, low, high } = fillWindow(search, lookup);
    if (high - low > search.slop) search.from = high - search.slop;
    else if (count < search.taken.length) return false;
    else {
      search.from = low + 1;
      return true;
    }
  }
  return false;
}

/** Gives each term its first word in the window, until one lies behind it or there is none. */
function fillWindow({ slop, offsets, twins, nexts, taken, from }: Search, lookup: ViewLookup) {
  const { positions } = lookup.view.words;
  const { next } = lookup.words;
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  let looks = 0;
  let count = 0;
  while (count < offsets.length && high - low <= slop) {
    const offset = offsets[count]!;
    let place = nexts[count]!;
    for (looks++; place >= 0 && positions[place]! - offset < from; looks++) place = next[place]!;
    nexts[count] = place;
    const twin = twins[count]!;
    if (place >= 0 && twin >= 0 && place <= taken[twin]!) place = next[taken[twin]!]!;
    if (place < 0) break;
    taken[count++] = place;
    low = Math.min(low, positions[place]! - offset);
    high = Math.max(high, positions[place]! - offset);
  }
  lookup.steps += looks;
  return { count, low, high };
}

/** A bit for each position of each term, by its first place; undefined where that would take too much memory. */
function* markPlaces(
  { offsets, firsts: all }: Search,
  { view, words }: ViewLookup,
): Generator<number, Map<number, Int32Array> | undefined> {
  const firsts = new Set(all);
  const last = view.words.positions.subarray(0, view.words.count).reduce((most, one) => Math.max(most, one), 0);
  if (firsts.size > MOST_MARKED || last >= MOST_POSITIONS) return undefined;
  // There is as much room behind the last position as the phrase is long.
  const length = ((last + offsets.at(-1)!) >>> 5) + 2;
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
function* standsByBits(search: Search, marks: ReadonlyMap<number, Int32Array>): Generator<number, boolean> {
  const offsets = search.offsets.map((offset) => offset - search.offsets[0]!);
  const marked = Array.from(search.firsts, (first) => marks.get(first)!);
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
