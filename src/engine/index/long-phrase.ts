/**
 * Phrases with gaps or leeway whose search may take long: a sender can write a text in which every place but the last word of
 * the phrase fits. Such a search takes as many looks as the phrase has terms and the event has words, multiplied. It is made
 * in parts, in arrays of its own, so that other events may be matched meanwhile.
 */
import type { EventView } from '../events/event-view.ts';
import { PHRASE_TERMS, payloadOf, SLOP_SHIFT, SPREAD } from './program.ts';

export interface LongPhrase {
  readonly slop: number;
  /** For each term of the phrase the index of its number in `numbers`, and where it stands. */
  readonly terms: Int32Array;
  readonly offsets: Int32Array;
  /** The distinct terms. */
  readonly numbers: readonly number[];
  /** The term of each word of the event. */
  readonly wordTerms: Int32Array;
}

/** Looks between two yields, and how many of them a step is. */
const LOOKS_AT_ONCE = 1 << 14;
const LOOKS_IN_A_STEP = 8;
/** Places are marked in bits for a phrase of no more distinct terms, and in an event of no more positions. */
const MOST_MARKED = 32;
const MOST_POSITIONS = 1 << 23;

/** What is needed of the program and of the event, once other events are at hand. */
export function longPhraseOf(code: Int32Array, at: number, wordTerms: Int32Array): LongPhrase {
  const form = code[at + 1]!;
  const count = code[at + 2]!;
  const first = at + PHRASE_TERMS;
  const indexes = new Map<number, number>();
  const terms = new Int32Array(count);
  for (let index = 0; index < count; index++) {
    const number = payloadOf(code[first + index]!);
    if (!indexes.has(number)) indexes.set(number, indexes.size);
    terms[index] = indexes.get(number)!;
  }
  const offsets =
    (form & SPREAD) === 0 ? Int32Array.from(terms, (_, index) => index) : code.slice(first + count, first + 2 * count);
  return { slop: form >>> SLOP_SHIFT, terms, offsets, numbers: [...indexes.keys()], wordTerms };
}

/** Whether the phrase is found. Yields the steps it took every now and then. */
export function* findsInParts(phrase: LongPhrase, event: EventView): Generator<number, boolean> {
  const { counts, last } = yield* countPlaces(phrase, event);
  const isMarked = phrase.slop === 0 && counts.length <= MOST_MARKED && last < MOST_POSITIONS;
  if (isMarked) return yield* findsByBits(phrase, yield* markPlaces(phrase, event, last), last);
  return yield* findsByPlaces(phrase, yield* listPlaces(phrase, event, counts));
}

/** Goes through the words of the event that are terms of the phrase, each with the index of its term. */
function* eachPlace(
  { numbers, wordTerms }: LongPhrase,
  { words }: EventView,
  visit: (index: number, position: number) => void,
): Generator<number, void> {
  const { positions, count } = words;
  const indexes = new Map(numbers.map((number, index) => [number, index]));
  for (let from = 0; from < count; from += LOOKS_AT_ONCE) {
    const to = Math.min(count, from + LOOKS_AT_ONCE);
    for (let word = from; word < to; word++) {
      const index = indexes.get(wordTerms[word]!);
      if (index !== undefined) visit(index, positions[word]!);
    }
    yield LOOKS_AT_ONCE / LOOKS_IN_A_STEP;
  }
}

/** At how many places each term stands, and the last of all. */
function* countPlaces(phrase: LongPhrase, event: EventView) {
  const counts = new Int32Array(phrase.numbers.length);
  let last = 0;
  yield* eachPlace(phrase, event, (index, position) => {
    counts[index]!++;
    if (position > last) last = position;
  });
  return { counts, last };
}

function* listPlaces(phrase: LongPhrase, event: EventView, counts: Int32Array) {
  const lists = Array.from(counts, (count) => new Int32Array(count));
  const listed = new Int32Array(counts.length);
  yield* eachPlace(phrase, event, (index, position) => {
    lists[index]![listed[index]!++] = position;
  });
  return lists;
}

/** A bit for each position, with as much room behind the last as the phrase is long. */
function* markPlaces(phrase: LongPhrase, event: EventView, last: number) {
  const length = ((last + lengthOf(phrase)) >>> 5) + 2;
  const marked = phrase.numbers.map(() => new Int32Array(length));
  yield* eachPlace(phrase, event, (index, position) => {
    marked[index]![position >>> 5]! |= 1 << (position & 31);
  });
  return marked;
}

const lengthOf = ({ offsets }: LongPhrase): number => offsets.at(-1)! - offsets[0]!;

/** Looks at 32 places at a time: a bit stays where every term so far stands as it should. */
function* findsByBits(phrase: LongPhrase, marked: readonly Int32Array[], last: number): Generator<number, boolean> {
  const { terms, offsets } = phrase;
  const first = offsets[0]!;
  const end = last - lengthOf(phrase);
  let looks = 0;
  for (let block = 0; block << 5 <= end; block++) {
    let fitting = -1;
    for (let index = 0; index < terms.length && fitting !== 0; index++) {
      const offset = offsets[index]! - first;
      const bits = marked[terms[index]!]!;
      const at = block + (offset >>> 5);
      const shift = offset & 31;
      fitting &= shift === 0 ? bits[at]! : (bits[at]! >>> shift) | (bits[at + 1]! << (32 - shift));
      looks++;
    }
    if (fitting !== 0) return true;
    if (looks < LOOKS_AT_ONCE) continue;
    yield looks / LOOKS_IN_A_STEP;
    looks = 0;
  }
  return false;
}

/**
 * Moves the place where the phrase may begin forward until every term stands within `slop` from where it should. A term that is
 * asked for twice must stand twice.
 */
function* findsByPlaces(
  { terms, offsets, slop }: LongPhrase,
  places: readonly Int32Array[],
): Generator<number, boolean> {
  const sameBefore = sameTermsBefore(terms, places.length);
  /** For each term of the phrase, which of its places is looked at. */
  const looked = new Int32Array(terms.length);
  const positionOf = (index: number): number => places[terms[index]!]![looked[index]!]!;
  let place = positionOf(0) - offsets[0]! - slop;
  let looks = 0;
  for (let index = 0; index < terms.length; index++) {
    const list = places[terms[index]!]!;
    const wanted = place + offsets[index]!;
    const least = sameBefore[index]! < 0 ? wanted : Math.max(wanted, positionOf(sameBefore[index]!) + 1);
    let at = looked[index]!;
    for (looks++; at < list.length && list[at]! < least; looks++) at++;
    if (at === list.length) return false;
    looked[index] = at;
    if (list[at]! > wanted + slop) {
      place = list[at]! - offsets[index]! - slop;
      index = -1;
    }
    if (looks < LOOKS_AT_ONCE) continue;
    yield looks / LOOKS_IN_A_STEP;
    looks = 0;
  }
  return true;
}

/** For each term of a phrase the index of the same term before it, or -1. */
function sameTermsBefore(terms: Int32Array, distinct: number): Int32Array {
  const latest = new Int32Array(distinct).fill(-1);
  return terms.map((term, index) => {
    const before = latest[term]!;
    latest[term] = index;
    return before;
  });
}
