/**
 * The words of open stories, as lists of the stories that have a word. Words, stories and counts are integers in typed arrays
 * that grow: thousands of stories are compared for one event, and an object for each of their words would cost more than the
 * comparison. Entries are handed out again; entry 0 stands for none.
 */
import { randomInt } from 'node:crypto';

const LEAST = 64;
/** Writers of texts cannot know which words share a place in the table. What is decided does not depend on it. */
const MULTIPLIER = randomInt(2 ** 31) * 2 + 1;

export class WordLists {
  /** By entry: whose it is, how many of the story's events have the word, the word, and the next entry of the word and of the story. */
  stories = new Int32Array(LEAST);
  counts = new Int32Array(LEAST);
  words = new Int32Array(LEAST);
  nextOfWord = new Int32Array(LEAST);
  nextOfStory = new Int32Array(LEAST);
  #previousOfWord = new Int32Array(LEAST);
  /** By place in the table of words: the first entry, 0 where the place is free, and how many there are. */
  heads = new Int32Array(LEAST);
  lengths = new Int32Array(LEAST);
  #keys = new Int32Array(LEAST);
  #shift = 32 - Math.log2(LEAST);
  /** Words that some story has. */
  #known = 0;
  /** Entries that were handed out, and the first of those that came back. */
  #used = 1;
  #free = 0;

  /** The place of a word, or -1. It is right until an entry is added or removed. */
  find(word: number): number {
    const { heads } = this;
    const mask = heads.length - 1;
    for (let at = this.#home(word); heads[at] !== 0; at = (at + 1) & mask) if (this.#keys[at] === word) return at;
    return -1;
  }

  /** How many stories have the word. */
  having(word: number): number {
    const place = this.find(word);
    return place === -1 ? 0 : this.lengths[place]!;
  }

  /** The story must not have the word yet. */
  add(story: number, word: number, count: number): number {
    const entry = this.#newEntry();
    const place = this.#placeFor(word);
    const head = this.heads[place]!;
    this.stories[entry] = story;
    this.counts[entry] = count;
    this.words[entry] = word;
    this.nextOfStory[entry] = 0;
    this.nextOfWord[entry] = head;
    this.#previousOfWord[entry] = 0;
    if (head !== 0) this.#previousOfWord[head] = entry;
    this.heads[place] = entry;
    this.lengths[place]! += 1;
    return entry;
  }

  remove(entry: number): void {
    const place = this.find(this.words[entry]!);
    const [next, previous] = [this.nextOfWord[entry]!, this.#previousOfWord[entry]!];
    if (previous === 0) this.heads[place] = next;
    else this.nextOfWord[previous] = next;
    if (next !== 0) this.#previousOfWord[next] = previous;
    this.lengths[place]! -= 1;
    if (this.heads[place] === 0) this.#leave(place);
    this.nextOfWord[entry] = this.#free;
    this.#free = entry;
  }

  #home(word: number): number {
    return Math.imul(word, MULTIPLIER) >>> this.#shift;
  }

  #placeFor(word: number): number {
    const known = this.find(word);
    if (known !== -1) return known;
    if (2 * ++this.#known > this.heads.length) this.#enlargeTable();
    const place = this.#freePlace(word);
    this.#keys[place] = word;
    this.lengths[place] = 0;
    return place;
  }

  #freePlace(word: number): number {
    const mask = this.heads.length - 1;
    let at = this.#home(word);
    while (this.heads[at] !== 0) at = (at + 1) & mask;
    return at;
  }

  /** What stands behind a place that becomes free moves up, unless it stands where it belongs. */
  #leave(place: number): void {
    const mask = this.heads.length - 1;
    let hole = place;
    for (let at = (place + 1) & mask; this.heads[at] !== 0; at = (at + 1) & mask) {
      if (((at - this.#home(this.#keys[at]!)) & mask) < ((at - hole) & mask)) continue;
      this.#keys[hole] = this.#keys[at]!;
      this.heads[hole] = this.heads[at]!;
      this.lengths[hole] = this.lengths[at]!;
      hole = at;
    }
    this.heads[hole] = 0;
    this.#known--;
  }

  #enlargeTable(): void {
    const [keys, heads, lengths] = [this.#keys, this.heads, this.lengths];
    this.#shift--;
    this.#keys = new Int32Array(2 * keys.length);
    this.heads = new Int32Array(2 * keys.length);
    this.lengths = new Int32Array(2 * keys.length);
    for (let at = 0; at < keys.length; at++) {
      if (heads[at] === 0) continue;
      const place = this.#freePlace(keys[at]!);
      this.#keys[place] = keys[at]!;
      this.heads[place] = heads[at]!;
      this.lengths[place] = lengths[at]!;
    }
  }

  #newEntry(): number {
    const free = this.#free;
    if (free !== 0) {
      this.#free = this.nextOfWord[free]!;
      return free;
    }
    if (this.#used === this.words.length) this.#enlargeEntries();
    return this.#used++;
  }

  #enlargeEntries(): void {
    this.stories = doubled(this.stories);
    this.counts = doubled(this.counts);
    this.words = doubled(this.words);
    this.nextOfWord = doubled(this.nextOfWord);
    this.nextOfStory = doubled(this.nextOfStory);
    this.#previousOfWord = doubled(this.#previousOfWord);
  }
}

function doubled(array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * array.length);
  larger.set(array);
  return larger;
}
