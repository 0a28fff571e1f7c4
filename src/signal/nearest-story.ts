/**
 * The open story that is most like an event: the one whose words it shares most, weighted by how few stories have them.
 * Words are counted by story, not by text: the words of a story that fifty others repeat stay rare.
 */
import { FIRST_WORD, JOINED_BY, LAST_AT, MEASURE, NUMBER, type OpenStories, SHARED, SIZE } from './open-stories.ts';
import { COUNT, NEXT, type StoryWords, WORD } from './story-words.ts';
import { COUNT_OF_ITEM, FIRST_ITEM, ITEM_SIZE, LENGTH, STORY, type WordLists } from './word-lists.ts';

export interface StoryChoice {
  /** Undefined: the event begins a story. */
  readonly number: number | undefined;
  /** How alike the event and the story are: 0 for a new story, at most 1. */
  readonly likeness: number;
  /** Comparisons that the choice took. */
  readonly steps: number;
}

/** An event is like a story from here on. */
const ENOUGH = 0.25;
/** What was told within the hour is likely to be told again; what rested for half a day less so. */
const FRESH = { bonus: 1.5, ms: 3_600_000 };
const RESTED = { malus: 0.4, ms: 12 * 3_600_000 };
/** A hundred other events count for an hour: events that come at once, as from an archive, have no other time. */
const MS_AN_EVENT = 36_000;
/** As if this many other stories had been seen: the first events of an account are compared sensibly as well. */
const PRIOR_STORIES = 50;
/** A word that more stories have tells nothing, and would cost the most. */
const MAX_STORIES_OF_WORD = 100;

/** Freshness is at most this; the rest allows for rounding. */
const FRESHEST = (1 + FRESH.bonus) * (1 + 1e-9);

/** An event asks for the logarithms of small numbers, several times for each of its words. */
const LOGARITHMS = Float64Array.from({ length: 4_096 }, (_, number) => Math.log(number));

const logOf = (number: number): number => LOGARITHMS[number] ?? Math.log(number);

/** Of a word that so many of the open stories have. */
const weightOf = (open: number, having: number): number => logOf(open + PRIOR_STORIES + 1) - logOf(having + 1);

export class NearestStory {
  readonly #stories: OpenStories;
  readonly #lists: WordLists;
  readonly #words: StoryWords;
  /** The stories that share a word with the event, and the places of its words. */
  #touched = new Int32Array(0);
  #places = new Int32Array(0);

  constructor(stories: OpenStories, lists: WordLists, words: StoryWords) {
    this.#stories = stories;
    this.#lists = lists;
    this.#words = words;
  }

  /** Of an event that was told at a time. `events` is how many the book has had, `before` how many steps were taken already. */
  find(words: readonly number[], at: number, events: number, before: number): StoryChoice {
    this.#findPlaces(words);
    const { items, places } = this.#lists;
    const { values, count: open } = this.#stories;
    const found = this.#places;
    const touched = this.#touched;
    let [sum, steps, stories] = [0, before + words.length, 0];
    for (let index = 0; index < words.length; index++) {
      const place = found[index]!;
      const having = places[place + LENGTH]!;
      const weight = weightOf(open, having);
      const each = weight * weight;
      sum += each;
      if (having > MAX_STORIES_OF_WORD) continue;
      steps += having;
      const first = places[place + FIRST_ITEM]!;
      const end = first + having * ITEM_SIZE;
      for (let item = first; item < end; item += ITEM_SIZE) {
        const story = items[item + STORY]!;
        const shared = values[story + SHARED]!;
        const share = items[item + COUNT_OF_ITEM]! / values[story + SIZE]!;
        // No word weighs nothing, so this is the first that the two share.
        if (shared === 0) touched[stories++] = story;
        values[story + SHARED] = shared + each * (share === 1 ? 1 : Math.sqrt(share * Math.sqrt(share)));
      }
    }
    return this.#best(stories, Math.sqrt(sum), at, events, steps);
  }

  /** In a loop of its own, so that the memory of one word is fetched while another is waited for. */
  #findPlaces(words: readonly number[]): void {
    if (this.#touched.length < this.#stories.room) this.#touched = new Int32Array(this.#stories.room);
    if (this.#places.length < words.length) this.#places = new Int32Array(2 * words.length);
    const found = this.#places;
    const lists = this.#lists;
    for (let index = 0; index < words.length; index++) found[index] = lists.find(words[index]!);
  }

  /** How long the story is as a vector of its words. */
  measure(story: number): number {
    const { entries } = this.#words;
    const { places } = this.#lists;
    const open = this.#stories.count;
    const size = this.#stories.values[story + SIZE]!;
    let sum = 0;
    for (let entry = this.#stories.links[story + FIRST_WORD]!; entry !== 0; entry = entries[entry + NEXT]!) {
      const each = weightOf(open, places[this.#lists.find(entries[entry + WORD]!) + LENGTH]!);
      const share = entries[entry + COUNT]! / size;
      sum += each * each * share * Math.sqrt(share);
    }
    return Math.sqrt(sum) || 1;
  }

  /** Of two stories that are as like, the one with the smaller number: the order of a list does not outlive a restart. */
  #best(touched: number, length: number, at: number, events: number, steps: number): StoryChoice {
    const { values } = this.#stories;
    let best = 0;
    let likeness = 0;
    for (let index = 0; index < touched; index++) {
      const story = this.#touched[index]!;
      const alike = values[story + SHARED]! / (length * values[story + MEASURE]!);
      values[story + SHARED] = 0;
      // However fresh it is, it is not like enough.
      if (alike * FRESHEST < Math.max(ENOUGH, likeness)) continue;
      // It may also be told of the time before.
      const told = Math.abs(at - values[story + LAST_AT]!);
      const like = alike * freshness(Math.max(told, (events - values[story + JOINED_BY]!) * MS_AN_EVENT));
      if (like < likeness) continue;
      if (best !== 0 && like === likeness && values[story + NUMBER]! > values[best + NUMBER]!) continue;
      best = story;
      likeness = like;
    }
    if (likeness < ENOUGH) return { number: undefined, likeness: 0, steps };
    return { number: values[best + NUMBER]!, likeness: Math.min(1, likeness), steps };
  }
}

/** How much more likely a story goes on that rested for this long. */
const freshness = (ms: number): number =>
  1 + FRESH.bonus * Math.exp(-ms / FRESH.ms) - RESTED.malus * (1 - Math.exp(-ms / RESTED.ms));
