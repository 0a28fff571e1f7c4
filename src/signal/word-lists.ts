/**
 * For each word the list of the open stories that have it. Thousands of stories are compared for one event, and an object for
 * each of their words would cost more than the comparison. So all of it is integers in two arrays that grow, and what is read
 * together lies together: most of the time is spent waiting for memory. Items and places are known by the index of their
 * first number.
 */
import { randomInt } from 'node:crypto';

const LEAST = 64;
/** Writers of texts cannot know which words share a place in the table. What is decided does not depend on it. */
const MULTIPLIER = randomInt(2 ** 31) * 2 + 1;

/** An item is a story of a word: how many of its events have the word, the story, and its own entry for the word. */
export const [COUNT_OF_ITEM, STORY] = [0, 1];
const ENTRY = 2;
export const ITEM_SIZE = 3;
/** A word in the table: how many stories have it, 0 where the place is free, its first item, room for how many, and the word. */
export const [LENGTH, FIRST_ITEM] = [0, 1];
const [ROOM, KEY] = [2, 3];
const PLACE_SIZE = 4;

export class WordLists {
  items = new Int32Array(ITEM_SIZE * LEAST);
  places = new Int32Array(PLACE_SIZE * LEAST);
  #shift = 32 - Math.log2(LEAST);
  /** Words that some story has. */
  #known = 0;
  /** The end of the items that were handed out. Item 0 stands for none. */
  #used = ITEM_SIZE;
  /** The first of the lists that came back, by the room they have, which is a power of two. */
  readonly #free = new Int32Array(32);

  /** The place of a word, or the free one where it would be. It is right until a story is added or removed. */
  find(word: number): number {
    const { places } = this;
    const mask = places.length - 1;
    let at = this.#home(word);
    while (places[at + LENGTH] !== 0 && places[at + KEY] !== word) at = (at + PLACE_SIZE) & mask;
    return at;
  }

  /** Answers the index of the story in the list of the word. It must not be there yet. */
  add(word: number, story: number, entry: number, count: number): number {
    const place = this.#placeWithRoom(word);
    const { items, places } = this;
    const index = places[place + LENGTH]!++;
    const item = places[place + FIRST_ITEM]! + index * ITEM_SIZE;
    items[item + COUNT_OF_ITEM] = count;
    items[item + STORY] = story;
    items[item + ENTRY] = entry;
    return index;
  }

  setCount(word: number, index: number, count: number): void {
    this.items[this.places[this.find(word) + FIRST_ITEM]! + index * ITEM_SIZE + COUNT_OF_ITEM] = count;
  }

  /** The last story of the list takes the index of the one that goes. Answers that story's entry, or 0. */
  remove(word: number, index: number): number {
    const { items, places } = this;
    const place = this.find(word);
    const first = places[place + FIRST_ITEM]!;
    const last = --places[place + LENGTH]!;
    if (last === 0) {
      this.#freeList(place);
      this.#leave(place);
    }
    if (index === last) return 0;
    const from = first + last * ITEM_SIZE;
    const to = first + index * ITEM_SIZE;
    items[to + COUNT_OF_ITEM] = items[from + COUNT_OF_ITEM]!;
    items[to + STORY] = items[from + STORY]!;
    items[to + ENTRY] = items[from + ENTRY]!;
    return items[to + ENTRY]!;
  }

  #home(word: number): number {
    return (Math.imul(word, MULTIPLIER) >>> this.#shift) * PLACE_SIZE;
  }

  #placeWithRoom(word: number): number {
    const { places } = this;
    const place = this.find(word);
    if (places[place + LENGTH] === 0) return this.#newPlace(word, place);
    if (places[place + LENGTH] === places[place + ROOM]) this.#moveItems(place);
    return place;
  }

  #newPlace(word: number, free: number): number {
    let place = free;
    if (2 * PLACE_SIZE * ++this.#known > this.places.length) {
      this.#enlargeTable();
      place = this.find(word);
    }
    this.places[place + KEY] = word;
    this.places[place + ROOM] = 1;
    this.places[place + FIRST_ITEM] = this.#newList(1);
    return place;
  }

  /** Into a list with twice the room. */
  #moveItems(place: number): void {
    const { places } = this;
    const length = places[place + LENGTH]!;
    const list = this.#newList(2 * length);
    const first = places[place + FIRST_ITEM]!;
    this.items.copyWithin(list, first, first + length * ITEM_SIZE);
    this.#freeList(place);
    places[place + ROOM] = 2 * length;
    places[place + FIRST_ITEM] = list;
  }

  #newList(room: number): number {
    const free = this.#free[powerOf(room)]!;
    if (free !== 0) {
      this.#free[powerOf(room)] = this.items[free]!;
      return free;
    }
    if (this.#used + room * ITEM_SIZE > this.items.length) this.#gatherItems(room);
    this.#used += room * ITEM_SIZE;
    return this.#used - room * ITEM_SIZE;
  }

  #freeList(place: number): void {
    const power = powerOf(this.places[place + ROOM]!);
    const first = this.places[place + FIRST_ITEM]!;
    this.items[first] = this.#free[power]!;
    this.#free[power] = first;
  }

  /** All lists move into an array that is half empty, with no more room than they need: what is kept is bounded by what is used. */
  #gatherItems(room: number): void {
    const { items, places } = this;
    let all = 1 + room;
    for (let at = 0; at < places.length; at += PLACE_SIZE) all += roomFor(places[at + LENGTH]!);
    this.items = new Int32Array(2 * all * ITEM_SIZE);
    this.#free.fill(0);
    this.#used = ITEM_SIZE;
    for (let at = 0; at < places.length; at += PLACE_SIZE) {
      const length = places[at + LENGTH]!;
      if (length === 0) continue;
      const first = places[at + FIRST_ITEM]!;
      this.items.set(items.subarray(first, first + length * ITEM_SIZE), this.#used);
      places[at + FIRST_ITEM] = this.#used;
      places[at + ROOM] = roomFor(length);
      this.#used += roomFor(length) * ITEM_SIZE;
    }
  }

  /** Moves up the words behind a place that becomes free, unless they stand where they belong. */
  #leave(place: number): void {
    const { places } = this;
    const mask = places.length - 1;
    let hole = place;
    for (let at = (place + PLACE_SIZE) & mask; places[at + LENGTH] !== 0; at = (at + PLACE_SIZE) & mask) {
      if (((at - this.#home(places[at + KEY]!)) & mask) < ((at - hole) & mask)) continue;
      for (let field = 0; field < PLACE_SIZE; field++) places[hole + field] = places[at + field]!;
      hole = at;
    }
    places[hole + LENGTH] = 0;
    this.#known--;
  }

  #enlargeTable(): void {
    const before = this.places;
    this.#shift--;
    this.places = new Int32Array(2 * before.length);
    for (let at = 0; at < before.length; at += PLACE_SIZE) {
      if (before[at + LENGTH] === 0) continue;
      this.places.set(before.subarray(at, at + PLACE_SIZE), this.find(before[at + KEY]!));
    }
  }
}

/** Which power of two it is. */
const powerOf = (room: number): number => 31 - Math.clz32(room);

/** The next power of two; 0 for none. */
const roomFor = (length: number): number => (length === 0 ? 0 : 2 ** (32 - Math.clz32(length - 1)));
