/** The words of each open story, in the order in which they came: integers in one array, and links from one to the next. */

import { randomInt } from 'node:crypto';
import { FIRST_WORD, LAST_WORD, type OpenStories, WORDS } from './open-stories.ts';
import type { WordLists } from './word-lists.ts';

/** An entry is a word of a story: how many of its events have it, the word, the next entry of the story, its index in the word's list. */
export const [COUNT, WORD, NEXT] = [0, 1, 2];
const INDEX = 3;
const ENTRY_SIZE = 4;
const LEAST = 64;

const FEWEST_WORDS = 128;
const [LEFT, TAKEN] = [1, 2];
/** Writers of texts cannot know which words share a place. */
const MULTIPLIER = randomInt(2 ** 31) * 2 + 1;

/** The words of one event, to be found by a story that has hundreds. */
class EventWords {
  #keys = new Int32Array(FEWEST_WORDS);
  /** The state of the word at the place; 0 when the place is free. */
  #states = new Uint8Array(FEWEST_WORDS);
  #shift = 32 - Math.log2(FEWEST_WORDS);

  /** Forgets the words of the event before. */
  read(words: readonly number[]): void {
    if (4 * words.length > this.#keys.length) this.#enlarge(4 * words.length);
    else this.#states.fill(0);
    const keys = this.#keys;
    const states = this.#states;
    for (let index = 0; index < words.length; index++) {
      const place = this.#placeOf(words[index]!);
      keys[place] = words[index]!;
      states[place] = LEFT;
    }
  }

  /** Whether the event has the word and nobody took it yet. */
  take(word: number): boolean {
    const place = this.#placeOf(word);
    if (this.#states[place] !== LEFT) return false;
    this.#states[place] = TAKEN;
    return true;
  }

  #placeOf(word: number): number {
    const keys = this.#keys;
    const states = this.#states;
    const mask = keys.length - 1;
    let at = Math.imul(word, MULTIPLIER) >>> this.#shift;
    while (states[at] !== 0 && keys[at] !== word) at = (at + 1) & mask;
    return at;
  }

  #enlarge(least: number): void {
    const bits = Math.ceil(Math.log2(least));
    this.#shift = 32 - bits;
    this.#keys = new Int32Array(2 ** bits);
    this.#states = new Uint8Array(2 ** bits);
  }
}

/** The words of the event that joins a story, in whichever book. */
const EVENT_WORDS = new EventWords();

export class StoryWords {
  /** An entry is known by the index of its first number; 0 stands for none. */
  entries = new Int32Array(ENTRY_SIZE * LEAST);
  readonly #stories: OpenStories;
  readonly #lists: WordLists;
  /** The end of the entries that were handed out, and the first of those that came back. */
  #used = ENTRY_SIZE;
  #free = 0;
  #size = 0;

  constructor(stories: OpenStories, lists: WordLists) {
    this.#stories = stories;
    this.#lists = lists;
  }

  /** The number of words of all stories. */
  get size(): number {
    return this.#size;
  }

  /** A field of each word of the story. */
  fieldOf(story: number, field: number): number[] {
    const { entries } = this;
    const found: number[] = [];
    for (let entry = this.#stories.links[story + FIRST_WORD]!; entry !== 0; entry = entries[entry + NEXT]!)
      found.push(entries[entry + field]!);
    return found;
  }

  /** The story must not have the word yet. */
  add(story: number, word: number, count: number): void {
    const added = this.#newEntry();
    const { entries } = this;
    const { links } = this.#stories;
    entries[added + COUNT] = count;
    entries[added + WORD] = word;
    entries[added + NEXT] = 0;
    entries[added + INDEX] = this.#lists.add(word, story, added, count);
    if (links[story + FIRST_WORD] === 0) links[story + FIRST_WORD] = added;
    else entries[links[story + LAST_WORD]! + NEXT] = added;
    links[story + LAST_WORD] = added;
    links[story + WORDS]! += 1;
    this.#size++;
  }

  /** One more event of the story has these words. One pass over the words of the story, then those that it does not have yet. */
  count(story: number, words: readonly number[]): void {
    const { entries } = this;
    EVENT_WORDS.read(words);
    for (let entry = this.#stories.links[story + FIRST_WORD]!; entry !== 0; entry = entries[entry + NEXT]!) {
      const word = entries[entry + WORD]!;
      if (EVENT_WORDS.take(word)) this.#lists.setCount(word, entries[entry + INDEX]!, ++entries[entry + COUNT]!);
    }
    for (let index = 0; index < words.length; index++)
      if (EVENT_WORDS.take(words[index]!)) this.add(story, words[index]!, 1);
  }

  /** All but as many as the story may keep: those that most of its events have, and of those that as many have, the first. */
  dropRare(story: number, most: number): void {
    const { links } = this.#stories;
    const { entries } = this;
    const counts = Int32Array.from(this.fieldOf(story, COUNT)).toSorted();
    const least = counts[counts.length - most]!;
    let room = most - (counts.length - 1 - counts.lastIndexOf(least));
    let last = 0;
    let next = 0;
    for (let entry = links[story + FIRST_WORD]!; entry !== 0; entry = next) {
      next = entries[entry + NEXT]!;
      const count = entries[entry + COUNT]!;
      if (count < least || (count === least && room-- <= 0)) this.#remove(entry);
      else {
        if (last === 0) links[story + FIRST_WORD] = entry;
        else entries[last + NEXT] = entry;
        last = entry;
      }
    }
    entries[last + NEXT] = 0;
    links[story + LAST_WORD] = last;
    links[story + WORDS] = most;
  }

  dropAll(story: number): void {
    const { links } = this.#stories;
    for (let entry = links[story + FIRST_WORD]!; entry !== 0; entry = this.entries[entry + NEXT]!) this.#remove(entry);
    links[story + FIRST_WORD] = 0;
    links[story + LAST_WORD] = 0;
    links[story + WORDS] = 0;
  }

  /** The next one of the story can be read from it until an entry is added. */
  #remove(entry: number): void {
    const { entries } = this;
    const index = entries[entry + INDEX]!;
    const moved = this.#lists.remove(entries[entry + WORD]!, index);
    if (moved !== 0) entries[moved + INDEX] = index;
    entries[entry + INDEX] = this.#free;
    this.#free = entry;
    this.#size--;
  }

  #newEntry(): number {
    const free = this.#free;
    if (free !== 0) {
      this.#free = this.entries[free + INDEX]!;
      return free;
    }
    if (this.#used === this.entries.length) {
      const before = this.entries;
      this.entries = new Int32Array(2 * before.length);
      this.entries.set(before);
    }
    this.#used += ENTRY_SIZE;
    return this.#used - ENTRY_SIZE;
  }
}
