/**
 * Which terms an event holds, and at which of its words. Postings and programs are evaluated on this. Presence is one bit a
 * term, so that the bits of a million terms stay in the processor's cache.
 */

import type { EventView } from '../events/event-view.ts';
import { ALWAYS, type Dictionary, FIRST_TERM, pairOf } from './dictionary.ts';
import type { Fields, TermField } from './field.ts';
import type { Frequency } from './frequency.ts';
import { isLong } from './pattern-budget.ts';
import { isHashed, newWordKey, readKey, type WordKey } from './word-key.ts';

/** Chains of words with the same term, found by the low bits of the term. */
const CHAINS = 1024;
/** Up to this many words are searched one by one. */
const FEW_WORDS = 64;
const LAST_FIELDS = 64;
/** Of a longer event only the first words are counted. */
const MOST_COUNTED = 4096;
/** Places for the words that are known for repeats. */
const LATELY = 1024;

export class Presence {
  bits = new Int32Array(FIRST_TERM >>> 4);
  /** The event's distinct terms, with the heads of their postings. */
  terms = new Int32Array(512);
  heads = new Int32Array(512);
  count = 0;
  /** The term of each word, or -1. */
  wordTerms = new Int32Array(512);
  /** For each word 1 if it surely stood in the same field before: what was tried on that need not be tried again. */
  repeats = new Uint8Array(512);
  /** Steps spent on testing patterns, of all events. */
  steps = 0;
  /** Whether `repeats` is wanted. */
  tracksRepeats = false;
  /** Whether the event is long. */
  isLong = false;
  #event: EventView | undefined;
  readonly #key = newWordKey();
  readonly #lastFields: TermField[] = [];
  #pairs = new Int32Array(512);
  #pairCount = 0;
  readonly #lately = new Int32Array(LATELY * 2);
  #chained = false;
  readonly #chainHeads = new Int32Array(CHAINS);
  #nextInChain = new Int32Array(512);

  readonly #fields: Fields;
  readonly #dictionary: Dictionary;
  readonly #frequency: Frequency;

  constructor(fields: Fields, dictionary: Dictionary, frequency: Frequency) {
    this.#fields = fields;
    this.#dictionary = dictionary;
    this.#frequency = frequency;
  }

  get event(): EventView {
    return this.#event!;
  }

  has(term: number): boolean {
    return ((this.bits[term >>> 5]! >>> (term & 31)) & 1) === 1;
  }

  /** Looks every word of the event up. Words are counted along the way when it is this event's turn. */
  read(event: EventView): void {
    this.#begin(event);
    const dictionary = this.#dictionary;
    const frequency = this.#frequency;
    const counted = frequency.begin() ? MOST_COUNTED : 0;
    const tracking = this.tracksRepeats;
    const { starts, ends, pieces, count } = event.words;
    const { wordTerms } = this;
    const key = this.#key;
    for (let word = 0; word < count; ) {
      const index = pieces[word]!;
      const { field: name, text } = event.pieces[index]!;
      const field = this.#fieldOf(index, name);
      for (; word < count && pieces[word] === index; word++) {
        const start = starts[word]!;
        const end = ends[word]!;
        readKey(key, text, start, end, field);
        const term = dictionary.find(key, field, text, start, end);
        wordTerms[word] = term;
        if (term >= 0) this.#add(term, dictionary.foundPostings);
        if (word < counted) frequency.count(key.hash);
        if (tracking) this.#noteRepeat(word, key);
      }
    }
  }

  /** Looks up the words of a part of an event. Other events may be read before the next part is. */
  lookUp(
    { words: { starts, ends, pieces, count }, pieces: texts }: EventView,
    terms: Int32Array,
    from: number,
    to: number,
  ): void {
    for (let word = from; word < count && word < to; word++) {
      const { field: name, text } = texts[pieces[word]!]!;
      const field = this.#fieldOf(pieces[word]!, name);
      readKey(this.#key, text, starts[word]!, ends[word]!, field);
      terms[word] = this.#dictionary.find(this.#key, field, text, starts[word]!, ends[word]!);
    }
  }

  /** Reads an event whose words were looked up before. No word is known for a repeat then. */
  readLookedUp(event: EventView, terms: Int32Array): void {
    this.#begin(event);
    this.repeats.fill(0, 0, terms.length);
    this.wordTerms.set(terms);
    for (const term of terms) if (term >= 0) this.mark(term);
  }

  /** Takes an event for its texts alone: no word is looked up, and none is known for a repeat. */
  take(event: EventView): void {
    this.#begin(event);
    this.repeats.fill(0, 0, event.words.count);
  }

  /** Marks which terms stand side by side. */
  readPairs(): void {
    const { bits, wordTerms } = this;
    const { positions, count } = this.event.words;
    let before = -1;
    for (let word = 0; word < count; word++) {
      const term = wordTerms[word]!;
      if (term >= 0 && before >= 0 && positions[word] === positions[word - 1]! + 1) {
        const pair = pairOf(before, term);
        bits[pair >>> 5]! |= 1 << (pair & 31);
        this.#pairs[this.#pairCount++] = pair;
      }
      before = term;
    }
  }

  /** Adds a term that was found in another way: a pattern that fits. */
  mark(term: number): void {
    if (!this.has(term)) this.#add(term, this.#dictionary.postings(term));
  }

  clear(): void {
    for (let at = 0; at < this.count; at++) this.bits[this.terms[at]! >>> 5] = 0;
    for (let at = 0; at < this.#pairCount; at++) this.bits[this.#pairs[at]! >>> 5] = 0;
    this.#pairCount = 0;
    this.count = 0;
    this.#event = undefined;
  }

  /** The first word with a term; go on with `nextWord`. -1 at the end. */
  firstWord(term: number): number {
    if (this.event.words.count <= FEW_WORDS) return this.#wordFrom(0, term);
    if (!this.#chained) this.#chain();
    return this.#inChain(this.#chainHeads[term & (CHAINS - 1)]!, term);
  }

  nextWord(word: number): number {
    const term = this.wordTerms[word]!;
    if (this.event.words.count <= FEW_WORDS) return this.#wordFrom(word + 1, term);
    return this.#inChain(this.#nextInChain[word]!, term);
  }

  /** Looks through all words: with few of them, quicker than chains are made. */
  #wordFrom(from: number, term: number): number {
    const { wordTerms } = this;
    const { count } = this.event.words;
    for (let word = from; word < count; word++) if (wordTerms[word] === term) return word;
    return -1;
  }

  /** Events of one platform have much the same fields in the same order. */
  #fieldOf(piece: number, name: string): TermField {
    const last = this.#lastFields[piece];
    if (last?.name === name) return last;
    const field = this.#fields.inEvent(name);
    if (piece < LAST_FIELDS) this.#lastFields[piece] = field;
    return field;
  }

  /** Notes whether a word surely stood in the same field before. */
  #noteRepeat(word: number, key: WordKey): void {
    const place = (key.hash & (LATELY - 1)) * 2;
    const isSame = this.#lately[place] === key.first && this.#lately[place + 1] === key.second;
    this.repeats[word] = isSame && !isHashed(key) ? 1 : 0;
    this.#lately[place] = key.first;
    this.#lately[place + 1] = key.second;
  }

  #begin(event: EventView): void {
    const words = event.words.count;
    if (words > this.wordTerms.length) {
      this.wordTerms = new Int32Array(words * 2);
      this.#nextInChain = new Int32Array(words * 2);
      this.repeats = new Uint8Array(words * 2);
      this.#pairs = new Int32Array(words * 2);
    }
    const bits = (this.#dictionary.end >>> 5) + 1;
    if (bits > this.bits.length) this.bits = new Int32Array(bits * 2);
    this.bits[ALWAYS >>> 5]! |= 1 << ALWAYS;
    this.#event = event;
    this.isLong = isLong(event);
    this.#chained = false;
    if (this.tracksRepeats) this.#lately.fill(-1);
  }

  #add(term: number, head: number): void {
    const bit = 1 << (term & 31);
    const bits = this.bits[term >>> 5]!;
    if ((bits & bit) !== 0) return;
    this.bits[term >>> 5] = bits | bit;
    if (this.count === this.terms.length) this.#widen();
    this.terms[this.count] = term;
    this.heads[this.count++] = head;
  }

  #widen(): void {
    const terms = new Int32Array(this.count * 2);
    const heads = new Int32Array(this.count * 2);
    terms.set(this.terms);
    heads.set(this.heads);
    this.terms = terms;
    this.heads = heads;
  }

  #inChain(from: number, term: number): number {
    let word = from;
    while (word >= 0 && this.wordTerms[word] !== term) word = this.#nextInChain[word]!;
    return word;
  }

  /** Done on the first phrase of an event: most events meet none. */
  #chain(): void {
    this.#chained = true;
    this.#chainHeads.fill(-1);
    for (let word = this.event.words.count - 1; word >= 0; word--) {
      const term = this.wordTerms[word]!;
      if (term < 0) continue;
      this.#nextInChain[word] = this.#chainHeads[term & (CHAINS - 1)]!;
      this.#chainHeads[term & (CHAINS - 1)] = word;
    }
  }
}
