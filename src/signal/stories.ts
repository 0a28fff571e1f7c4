/**
 * Which matches tell the same story. One pass in the order in which matches are stored: the same events in the same
 * order always give the same stories. Memory is bounded by the number of open stories and of what is kept of them.
 *
 * An event joins the story that has one of its marks: its post, a link, the very same text. Any other joins the open story
 * that is most like it.
 */
import { NearestStory, type StoryChoice } from './nearest-story.ts';
import {
  JOINED_AT,
  JOINED_BY,
  LAST_AT,
  MEASURE,
  MEASURED_AT,
  NEWER,
  NUMBER,
  OpenStories,
  ORIGIN,
  SIZE,
  StoryMarks,
  WORDS,
} from './open-stories.ts';
import { COUNT, StoryWords, WORD } from './story-words.ts';
import { WordLists } from './word-lists.ts';

/** The form of an event that is compared: numbers that stand for its words and marks. */
export interface StoryEvent {
  /** Each once, in the order of the text. */
  readonly words: readonly number[];
  readonly marks: readonly number[];
  /** When it was told. */
  readonly at: number;
  /** Stands for the source that brought it and the rule that it matched; 0 or absent if that is not known. */
  readonly origin?: number;
}

/** The state of an open story. */
export interface OpenStory {
  readonly number: number;
  readonly size: number;
  /** The origin of the event that began it. */
  readonly origin: number;
  /** When it was told last. */
  readonly lastAt: number;
  /** When it was joined last, and by which event of the book, counted. */
  readonly joinedAt: number;
  readonly joinedBy: number;
  /** The length of its words as a vector, and its size then. It is kept, so that a restart changes no decision. */
  readonly length: number;
  readonly measuredAt: number;
  /** Each once, and how many of its events have it. */
  readonly words: readonly number[];
  readonly counts: readonly number[];
  readonly marks: readonly number[];
}

/** Both ask for the time, which must not go back: stories that nothing joined for a day are over. */
export interface StoryBook {
  choose(event: StoryEvent, now: number): StoryChoice;
  /** Puts the event into a story. One that is not open begins with it, or begins again. */
  put(number: number, event: StoryEvent, now: number): void;
  /** An open story has another number from now on. */
  renumber(from: number, to: number): void;
  /** The open stories as they are now, the one with the oldest activity first. */
  open(): Iterable<OpenStory>;
  /** Words and marks that are kept. */
  readonly entries: number;
}

/** A story that nothing joined for this long is over. */
const QUIET_MS = 24 * 3_600_000;
const MAX_OPEN = 2_000;
/** Words and marks of all open stories. With more, those with the oldest activity are over. */
export const MAX_STORY_ENTRIES = 60_000;
/** A story keeps the words that most of its events have. */
const MAX_WORDS = 60;
/** A story is measured again when it has grown by a tenth. */
const GROWN = 1.1;

export const createStoryBook = (kept: Iterable<OpenStory> = []): StoryBook => new Book(kept);

class Book implements StoryBook {
  readonly #stories = new OpenStories();
  readonly #marks = new StoryMarks();
  readonly #lists = new WordLists();
  readonly #words = new StoryWords(this.#stories, this.#lists);
  readonly #nearest = new NearestStory(this.#stories, this.#lists, this.#words);
  #events = 0;

  constructor(kept: Iterable<OpenStory>) {
    for (const story of kept) this.#restore(story);
  }

  get entries(): number {
    return this.#words.size + this.#marks.size;
  }

  choose(event: StoryEvent, now: number): StoryChoice {
    this.#closeOver(now);
    const { marks } = event;
    for (let index = 0; index < marks.length; index++) {
      const story = this.#marks.storyOf(marks[index]!);
      if (story !== 0) return { number: this.#stories.values[story + NUMBER]!, likeness: 1, steps: index + 1 };
    }
    return this.#nearest.find(event, this.#events, marks.length);
  }

  put(number: number, event: StoryEvent, now: number): void {
    this.#closeOver(now);
    this.#events++;
    const story = this.#stories.get(number);
    if (story === 0) this.#begin(number, event, now);
    else this.#join(story, event, now);
  }

  renumber(from: number, to: number): void {
    this.#stories.renumber(from, to);
  }

  *open(): Iterable<OpenStory> {
    const { values, links } = this.#stories;
    for (let story = this.#stories.oldest; story !== 0; story = links[story + NEWER]!)
      yield {
        number: values[story + NUMBER]!,
        size: values[story + SIZE]!,
        origin: links[story + ORIGIN]!,
        lastAt: values[story + LAST_AT]!,
        joinedAt: values[story + JOINED_AT]!,
        joinedBy: values[story + JOINED_BY]!,
        length: values[story + MEASURE]!,
        measuredAt: values[story + MEASURED_AT]!,
        words: this.#words.fieldOf(story, WORD),
        counts: this.#words.fieldOf(story, COUNT),
        marks: this.#marks.of(story),
      };
  }

  #restore(kept: OpenStory): void {
    const { number, size, origin, lastAt, joinedAt, joinedBy, length, measuredAt, words, counts, marks } = kept;
    const story = this.#stories.begin(number, size, origin);
    const { values } = this.#stories;
    values[story + LAST_AT] = lastAt;
    values[story + JOINED_AT] = joinedAt;
    values[story + JOINED_BY] = joinedBy;
    values[story + MEASURE] = length;
    values[story + MEASURED_AT] = measuredAt;
    for (const [index, word] of words.entries()) this.#words.add(story, word, counts[index]!);
    this.#marks.add(story, marks);
    this.#events = Math.max(this.#events, joinedBy);
  }

  #begin(number: number, { words, marks, at, origin = 0 }: StoryEvent, now: number): void {
    const story = this.#stories.begin(number, 1, origin);
    const { values } = this.#stories;
    values[story + LAST_AT] = at;
    values[story + JOINED_AT] = now;
    values[story + JOINED_BY] = this.#events;
    for (let index = 0; index < words.length; index++) this.#words.add(story, words[index]!, 1);
    this.#marks.add(story, marks);
    this.#measure(story);
  }

  #join(story: number, { words, marks, at }: StoryEvent, now: number): void {
    const { values, links } = this.#stories;
    values[story + SIZE]! += 1;
    values[story + LAST_AT] = Math.max(values[story + LAST_AT]!, at);
    values[story + JOINED_AT] = now;
    values[story + JOINED_BY] = this.#events;
    this.#words.count(story, words);
    this.#marks.add(story, marks);
    if (links[story + WORDS]! > 2 * MAX_WORDS) this.#words.dropRare(story, MAX_WORDS);
    if (values[story + SIZE]! > values[story + MEASURED_AT]! * GROWN) this.#measure(story);
    this.#stories.renew(story);
  }

  #measure(story: number): void {
    const { values } = this.#stories;
    values[story + MEASURE] = this.#nearest.measure(story);
    values[story + MEASURED_AT] = values[story + SIZE]!;
  }

  #closeOver(now: number): void {
    const { values } = this.#stories;
    for (let story = this.#stories.oldest; story !== 0; story = this.#stories.oldest) {
      const isFull = this.#stories.count >= MAX_OPEN || this.entries >= MAX_STORY_ENTRIES;
      if (now - values[story + JOINED_AT]! <= QUIET_MS && !isFull) return;
      this.#words.dropAll(story);
      this.#marks.dropAll(story);
      this.#stories.end(story);
    }
  }
}
