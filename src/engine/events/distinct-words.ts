/**
 * The distinct words of an event, field by field, with the places of each. A pattern is tested once on each distinct word,
 * however often the word stands in the text. No string is made for a word.
 */
import type { EventView } from './event-view.ts';

/** Another one in each process, so that no sender knows which words share a slot. */
const SEED = Math.trunc(Math.random() * 2 ** 32);

/** Words that are read between two yields. */
const READ_AT_ONCE = 16_384;

const NO_WORDS: readonly number[] = [];

/** A number for each place of the event, or for each slot of the table. */
type Numbers = number[] | Int32Array;

/**
 * Most events are short, and memory of its own for a typed array takes longer than all else: theirs are plain arrays. Filling
 * those of a long event would take longer than one callback may.
 */
const numbers = (count: number, filling: number): Numbers =>
  count > READ_AT_ONCE ? new Int32Array(count).fill(filling) : Array<number>(count).fill(filling);

export class DistinctWords {
  /** For each place (an index into the event's words) the next place of the same word in the same field, or -1. */
  readonly next: Numbers;
  readonly #view: EventView;
  /** A hash table with open addressing: the first place of a word plus 1, or 0. */
  readonly #slots: Numbers;
  readonly #hashes: Numbers;
  /** For the first place of a word, its last one. */
  readonly #lastPlaces: Numbers;
  readonly #firstPlaces = new Map<string, number[]>();

  /** Knows no word before `readWords` has read them. */
  constructor(view: EventView) {
    const { count } = view.words;
    this.#view = view;
    this.next = numbers(count, -1);
    this.#hashes = numbers(count, 0);
    this.#lastPlaces = numbers(count, 0);
    this.#slots = numbers(2 ** (32 - Math.clz32(count * 2 + 1)), 0);
  }

  /** The first place of each distinct word of a field, in order. */
  inField(field: string): readonly number[] {
    return this.#firstPlaces.get(field) ?? NO_WORDS;
  }

  /** The first place of a word in a field, or -1; `next` leads on from there. */
  firstPlace(field: string, word: string): number {
    return this.#slots[this.#slotOf(field, word, 0, word.length, hashOf(word, 0, word.length))]! - 1;
  }

  /** To be called once. Yields how many words it has read. */
  *readWords(): Generator<number, void> {
    const { count } = this.#view.words;
    for (let from = 0; from < count; from += READ_AT_ONCE) {
      const to = Math.min(count, from + READ_AT_ONCE);
      this.#read(from, to);
      yield to - from;
    }
  }

  #read(from: number, to: number): void {
    const { pieces, words } = this.#view;
    for (let at = from; at < to; ) {
      const piece = words.pieces[at]!;
      const { field, text } = pieces[piece]!;
      const firsts = this.#firstPlaces.get(field) ?? [];
      this.#firstPlaces.set(field, firsts);
      for (; at < to && words.pieces[at] === piece; at++) {
        const first = this.#add(at, field, text);
        if (first === at) firsts.push(at);
        else this.next[this.#lastPlaces[first]!] = at;
        this.#lastPlaces[first] = at;
      }
    }
  }

  /** The first place of the word that stands at a place: that place itself when the word is new. */
  #add(at: number, field: string, text: string): number {
    const { starts, ends } = this.#view.words;
    const hash = hashOf(text, starts[at]!, ends[at]!);
    const slot = this.#slotOf(field, text, starts[at]!, ends[at]!, hash);
    if (this.#slots[slot] !== 0) return this.#slots[slot]! - 1;
    this.#slots[slot] = at + 1;
    this.#hashes[at] = hash;
    return at;
  }

  /** The slot of a word, or the free one where it would go. */
  #slotOf(field: string, text: string, start: number, end: number, hash: number): number {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    while (this.#slots[slot] !== 0 && !this.#isAt(this.#slots[slot]! - 1, field, text, start, end, hash)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #isAt(place: number, field: string, text: string, start: number, end: number, hash: number): boolean {
    if (this.#hashes[place] !== hash) return false;
    const { pieces, words } = this.#view;
    const from = words.starts[place]!;
    const piece = pieces[words.pieces[place]!]!;
    if (words.ends[place]! - from !== end - start || piece.field !== field) return false;
    for (let unit = 0; unit < end - start; unit++) {
      if (piece.text.charCodeAt(from + unit) !== text.charCodeAt(start + unit)) return false;
    }
    return true;
  }
}

function hashOf(text: string, start: number, end: number): number {
  let hash = SEED;
  for (let unit = start; unit < end; unit++) {
    hash = Math.imul(hash ^ text.charCodeAt(unit), 0x01000193);
    hash ^= hash >>> 15;
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return hash ^ (hash >>> 13);
}
