/**
 * The open story that is most like an event: the one whose words it shares most, weighted by how few stories have them.
 * Words are counted by story, not by text: the words of a story that fifty others repeat stay rare.
 */
import {
  FIRST_WORD,
  JOINED_BY,
  LAST_AT,
  MEASURE,
  NUMBER,
  type OpenStories,
  ORIGIN,
  SHARED,
  SHARED_WORDS,
  SIZE,
} from './open-stories.ts';
import { areFilledInDifferently } from './story-templates.ts';
import { COUNT, NEXT, type StoryWords, WORD } from './story-words.ts';
import { COUNT_OF_ITEM, FIRST_ITEM, ITEM_SIZE, LENGTH, STORY, type WordLists } from './word-lists.ts';

export interface StoryChoice {
  /** It is undefined when the event begins a story. */
  readonly number: number | undefined;
  /** How alike the event and the story are: 0 for a new story, at most 1. */
  readonly likeness: number;
  /** Comparisons that the choice took. */
  readonly steps: number;
}

/** The parts of an event that are compared with stories that have none of its marks. */
interface Compared {
  readonly words: readonly number[];
  readonly at: number;
  readonly origin?: number;
}

/** An event is like a story from here on, freshness included, and from so much of a likeness, however fresh it is. */
const ENOUGH = 0.26;
const LEAST_ALIKE = 0.11;
/** A story told within the hour is likely to be told again; one that rested for half a day less so. */
const FRESH = { bonus: 1.8, ms: 3_600_000 };
const RESTED = { malus: 0.4, ms: 12 * 3_600_000 };
/** Twenty other events count for an hour: events that come at once, as from an archive, have no other time. */
const MS_AN_EVENT = 180_000;
/** As if this many other stories had been seen: the first events of an account are compared sensibly as well. */
const PRIOR_STORIES = 50;
/** A word that more stories have tells nothing, and would cost the most. */
const MAX_STORIES_OF_WORD = 86;
/** A text with at most so many words does not join a single other one for the sake of one word. */
const SHORT_TEXT = 6;
/** So many stories may be alarms of the same kind as the event; after that it begins a story. */
const MAX_ALARMS = 4;
/** Words that this share of a story's events has are common to them. */
const IN_COMMON = 0.9;

/** Words common to this share of the stories of one origin are its boilerplate, from so many stories on. */
const BOILERPLATE = { share: 0.8, stories: 6 };

/** Freshness is at most this; the rest allows for rounding. */
const FRESHEST = (1 + FRESH.bonus) * (1 + 1e-9);

/** An event asks for the logarithms of small numbers, several times for each of its words. */
const LOGARITHMS = Float64Array.from({ length: 4_096 }, (_, number) => Math.log(number));

const logOf = (number: number): number => LOGARITHMS[number] ?? Math.log(number);

/** The weight of a word that so many of the open stories have. */
const weightOf = (open: number, having: number): number => logOf(open + PRIOR_STORIES + 1) - logOf(having + 1);

export class NearestStory {
  readonly #stories: OpenStories;
  readonly #lists: WordLists;
  readonly #words: StoryWords;
  /** The stories that share a word with the event, and the places of its words. */
  #touched = new Int32Array(0);
  #places = new Int32Array(0);
  /** How like each of them is, freshness included; 0 for what is out of the question. */
  #like = new Float64Array(0);

  constructor(stories: OpenStories, lists: WordLists, words: StoryWords) {
    this.#stories = stories;
    this.#lists = lists;
    this.#words = words;
  }

  /** `events` is how many the book has had, `before` how many steps were taken already. */
  find({ words, at, origin = 0 }: Compared, events: number, before: number): StoryChoice {
    this.#findPlaces(words);
    const repeated = this.#repeatedFrom(origin);
    const { items, places } = this.#lists;
    const { values, links, count: open } = this.#stories;
    const found = this.#places;
    const touched = this.#touched;
    let [sum, steps, stories] = [0, before + words.length, 0];
    for (let index = 0; index < words.length; index++) {
      const place = found[index]!;
      const having = places[place + LENGTH]!;
      if (having >= repeated) {
        steps += Math.min(having, MAX_STORIES_OF_WORD);
        if (this.#isBoilerplate(place, origin, repeated)) continue;
      }
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
        links[story + SHARED_WORDS]! += 1;
        values[story + SHARED] = shared + each * (share === 1 ? 1 : Math.sqrt(share * Math.sqrt(share)));
      }
    }
    this.#compare(stories, words.length, Math.sqrt(sum), at, events);
    return this.#choose(stories, words, steps);
  }

  /** So many stories of the origin must have a word for it to be boilerplate. */
  #repeatedFrom(origin: number): number {
    const stories = origin === 0 ? 0 : this.#stories.countOf(origin);
    return stories < BOILERPLATE.stories ? Infinity : BOILERPLATE.share * stories;
  }

  /** A word that more stories have than are looked at tells nothing either way. */
  #isBoilerplate(place: number, origin: number, least: number): boolean {
    const { items, places } = this.#lists;
    const { values, links } = this.#stories;
    if (places[place + LENGTH]! > MAX_STORIES_OF_WORD) return true;
    const first = places[place + FIRST_ITEM]!;
    const end = first + places[place + LENGTH]! * ITEM_SIZE;
    let stories = 0;
    for (let item = first; item < end; item += ITEM_SIZE) {
      const story = items[item + STORY]!;
      if (links[story + ORIGIN] === origin && items[item + COUNT_OF_ITEM]! >= IN_COMMON * values[story + SIZE]!)
        stories++;
    }
    return stories >= least;
  }

  /** In a loop of its own, so that the memory of one word is fetched while another is waited for. */
  #findPlaces(words: readonly number[]): void {
    if (this.#touched.length < this.#stories.room) {
      this.#touched = new Int32Array(this.#stories.room);
      this.#like = new Float64Array(this.#stories.room);
    }
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

  #compare(touched: number, size: number, length: number, at: number, events: number): void {
    const { values, links } = this.#stories;
    for (let index = 0; index < touched; index++) {
      const story = this.#touched[index]!;
      const alike = values[story + SHARED]! / (length * values[story + MEASURE]!);
      const isOneWord =
        links[story + SHARED_WORDS] === 1 && values[story + SIZE] === 1 && size > 1 && size <= SHORT_TEXT;
      values[story + SHARED] = 0;
      links[story + SHARED_WORDS] = 0;
      this.#like[index] = 0;
      // However fresh it is, it is not like enough.
      if (isOneWord || alike < LEAST_ALIKE || alike * FRESHEST < ENOUGH) continue;
      // It may also be told of the time before.
      const told = Math.abs(at - values[story + LAST_AT]!);
      const like = alike * freshness(Math.max(told, (events - values[story + JOINED_BY]!) * MS_AN_EVENT));
      if (like >= ENOUGH) this.#like[index] = like;
    }
  }

  #choose(touched: number, words: readonly number[], before: number): StoryChoice {
    let steps = before;
    for (let alarms = 0; alarms < MAX_ALARMS; alarms++) {
      const best = this.#best(touched);
      if (best === -1) break;
      const story = this.#touched[best]!;
      const own = this.#inCommon(story);
      steps += own.length + words.length;
      if (!areFilledInDifferently(own, words))
        return { number: this.#stories.values[story + NUMBER]!, likeness: Math.min(1, this.#like[best]!), steps };
      this.#like[best] = 0;
    }
    return { number: undefined, likeness: 0, steps };
  }

  /** When two stories are equally like, the smaller number wins: the order of a list does not outlive a restart. */
  #best(touched: number): number {
    const { values } = this.#stories;
    let best = -1;
    for (let index = 0; index < touched; index++) {
      const [like, most] = [this.#like[index]!, best === -1 ? 0 : this.#like[best]!];
      if (like === 0 || like < most) continue;
      const number = values[this.#touched[index]! + NUMBER]!;
      if (best !== -1 && like === most && number > values[this.#touched[best]! + NUMBER]!) continue;
      best = index;
    }
    return best;
  }

  /** The words of nearly all of a story's events, in the order in which they came. */
  #inCommon(story: number): number[] {
    const { entries } = this.#words;
    const least = IN_COMMON * this.#stories.values[story + SIZE]!;
    const words: number[] = [];
    for (let entry = this.#stories.links[story + FIRST_WORD]!; entry !== 0; entry = entries[entry + NEXT]!)
      if (entries[entry + COUNT]! >= least) words.push(entries[entry + WORD]!);
    return words;
  }
}

/** How much more likely a story goes on that rested for this long. */
const freshness = (ms: number): number =>
  1 + FRESH.bonus * Math.exp(-ms / FRESH.ms) - RESTED.malus * (1 - Math.exp(-ms / RESTED.ms));
