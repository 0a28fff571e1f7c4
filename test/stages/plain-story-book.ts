/**
 * The book of stories in its plainest form, with maps and an object for each word of a story: what the fast one is compared with.
 *
 * Which matches tell the same story. One pass in the order in which matches are stored: the same events in the same
 * order always give the same stories. Memory is bounded by the number of open stories and of what is kept of them.
 *
 * An event joins the story that has one of its marks: its post, a link, the very same text. Any other joins the open story
 * whose words it shares most, weighted by how few stories have them. Words are counted by story, not by text: the words of
 * a story that fifty others repeat stay rare.
 */

import type { StoryChoice } from '../../src/signal/nearest-story.ts';
import type { OpenStory, StoryBook, StoryEvent } from '../../src/signal/stories.ts';
import { areFilledInDifferently } from '../../src/signal/story-templates.ts';

/** A story that nothing joined for this long is over. */
const QUIET_MS = 24 * 3_600_000;
const MAX_OPEN = 2_000;
/** Words and marks of all open stories. With more, those with the oldest activity are over. */
const MAX_STORY_ENTRIES = 60_000;
/** A story keeps the words that most of its events have. */
const MAX_WORDS = 60;
/** And its newest marks. */
const MAX_MARKS = 64;
/** An event is like a story from here on. */
const ENOUGH = 0.26;
const LEAST_ALIKE = 0.11;
/** A story that was told within the hour is likely to be told again; one that rested for half a day less so. */
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
/** So many stories may be alarms of the same kind as the event. */
const MAX_ALARMS = 4;
const IN_COMMON = 0.9;
const BOILERPLATE = { share: 0.8, stories: 6 };
/** A story is measured again when it has grown by a tenth. */
const GROWN = 1.1;

interface Story extends Omit<OpenStory, 'words' | 'counts' | 'marks'> {
  size: number;
  lastAt: number;
  joinedAt: number;
  joinedBy: number;
  length: number;
  measuredAt: number;
  readonly entries: Map<number, Entry>;
  readonly marks: Set<number>;
  /** The weight and the words that the event shares with it, and the question for which they were counted. */
  shared: number;
  sharedWords: number;
  asked: number;
}

/** A word of a story, and its place among the stories of the word. */
interface Entry {
  readonly story: Story;
  count: number;
  place: number;
}

export const createPlainStoryBook = (kept: Iterable<OpenStory> = []): Omit<StoryBook, 'renumber'> => new Book(kept);

class Book implements Omit<StoryBook, 'renumber'> {
  /** By last activity, oldest first: a map keeps the order in which its keys were set. */
  readonly #open = new Map<number, Story>();
  readonly #byWord = new Map<number, Entry[]>();
  readonly #byMark = new Map<number, Story>();
  #entries = 0;
  #asked = 0;
  #events = 0;

  constructor(kept: Iterable<OpenStory>) {
    for (const story of kept) this.#events = Math.max(this.#events, this.#add(story).joinedBy);
  }

  get entries(): number {
    return this.#entries;
  }

  choose(event: StoryEvent, now: number): StoryChoice {
    this.#closeOver(now);
    const { marks } = event;
    for (let index = 0; index < marks.length; index++) {
      const story = this.#byMark.get(marks[index]!);
      if (story !== undefined) return { number: story.number, likeness: 1, steps: index + 1 };
    }
    return this.#nearest(event);
  }

  put(number: number, event: StoryEvent, now: number): void {
    this.#closeOver(now);
    this.#events++;
    const story = this.#open.get(number);
    if (story !== undefined) this.#join(story, event, now);
    else this.#measure(this.#add({ ...begun(number, event, now), joinedBy: this.#events }));
  }

  *open(): Iterable<OpenStory> {
    for (const story of this.#open.values()) yield { ...story, ...wordsOf(story), marks: [...story.marks] };
  }

  #weight(stories: number): number {
    return Math.log(this.#open.size + PRIOR_STORIES + 1) - Math.log(stories + 1);
  }

  #measure(story: Story): void {
    let sum = 0;
    for (const [word, { count }] of story.entries) {
      const each = this.#weight(this.#byWord.get(word)!.length);
      const share = count / story.size;
      sum += each * each * share * Math.sqrt(share);
    }
    story.length = Math.sqrt(sum) || 1;
    story.measuredAt = story.size;
  }

  #addWord(story: Story, word: number, count: number): void {
    const entry = story.entries.get(word);
    if (entry !== undefined) {
      entry.count += count;
      return;
    }
    const entriesOfWord = this.#byWord.get(word);
    const added: Entry = { story, count, place: entriesOfWord?.length ?? 0 };
    story.entries.set(word, added);
    if (entriesOfWord === undefined) this.#byWord.set(word, [added]);
    else entriesOfWord.push(added);
    this.#entries++;
  }

  #dropWord(story: Story, word: number): void {
    const { place } = story.entries.get(word)!;
    const entriesOfWord = this.#byWord.get(word)!;
    const last = entriesOfWord.pop()!;
    if (last.story !== story) {
      entriesOfWord[place] = last;
      last.place = place;
    }
    if (entriesOfWord.length === 0) this.#byWord.delete(word);
    story.entries.delete(word);
    this.#entries--;
  }

  #addMark(story: Story, mark: number): void {
    // The story that had it first keeps it, alone.
    if (this.#byMark.has(mark)) return;
    story.marks.add(mark);
    this.#entries++;
    this.#byMark.set(mark, story);
    if (story.marks.size > MAX_MARKS) this.#dropMark(story, story.marks.values().next().value!);
  }

  #dropMark(story: Story, mark: number): void {
    story.marks.delete(mark);
    this.#entries--;
    this.#byMark.delete(mark);
  }

  #add(kept: OpenStory): Story {
    const story: Story = { ...kept, marks: new Set(), entries: new Map(), shared: 0, sharedWords: 0, asked: 0 };
    this.#open.set(story.number, story);
    for (const [index, word] of kept.words.entries()) this.#addWord(story, word, kept.counts[index]!);
    for (const mark of kept.marks) this.#addMark(story, mark);
    return story;
  }

  #closeOver(now: number): void {
    for (const story of this.#open.values()) {
      const isFull = this.#open.size >= MAX_OPEN || this.#entries >= MAX_STORY_ENTRIES;
      if (now - story.joinedAt <= QUIET_MS && !isFull) return;
      this.#open.delete(story.number);
      for (const word of story.entries.keys()) this.#dropWord(story, word);
      for (const mark of story.marks) this.#dropMark(story, mark);
    }
  }

  #nearest({ words, marks, at, origin = 0 }: StoryEvent): StoryChoice {
    const touched: Story[] = [];
    let [sum, steps] = [0, marks.length + words.length];
    this.#asked++;
    const own = origin === 0 ? 0 : [...this.#open.values()].filter((story) => story.origin === origin).length;
    const repeated = own < BOILERPLATE.stories ? Infinity : BOILERPLATE.share * own;
    for (const word of words) {
      const entriesOfWord = this.#byWord.get(word);
      const having = entriesOfWord?.length ?? 0;
      if (having >= repeated) {
        steps += Math.min(having, MAX_STORIES_OF_WORD);
        const inCommon = entriesOfWord!.filter(
          ({ story, count }) => story.origin === origin && count >= IN_COMMON * story.size,
        );
        if (having > MAX_STORIES_OF_WORD || inCommon.length >= repeated) continue;
      }
      const weight = this.#weight(having);
      const each = weight * weight;
      sum += each;
      if (entriesOfWord === undefined || entriesOfWord.length > MAX_STORIES_OF_WORD) continue;
      steps += entriesOfWord.length;
      for (const entry of entriesOfWord) this.#share(entry, each, touched);
    }
    return this.#best(touched, words, Math.sqrt(sum), at, steps);
  }

  #share({ story, count }: Entry, weight: number, touched: Story[]): void {
    if (story.asked !== this.#asked) {
      story.asked = this.#asked;
      story.shared = 0;
      story.sharedWords = 0;
      touched.push(story);
    }
    const share = count / story.size;
    story.sharedWords++;
    story.shared += weight * Math.sqrt(share * Math.sqrt(share));
  }

  /** The story with the smaller number of two that are as like: the order of a list does not outlive a restart. */
  #best(stories: readonly Story[], words: readonly number[], length: number, at: number, before: number): StoryChoice {
    const isShort = words.length > 1 && words.length <= SHORT_TEXT;
    const ranked = stories
      .filter(({ size, sharedWords }) => !(isShort && size === 1 && sharedWords === 1))
      .map((story) => ({ story, alike: story.shared / (length * story.length) }))
      .map(({ story, alike }) => ({ story, alike, like: alike * freshness(this.#restOf(story, at)) }))
      .filter(({ alike, like }) => alike >= LEAST_ALIKE && like >= ENOUGH)
      .toSorted((one, other) => other.like - one.like || one.story.number - other.story.number);
    let steps = before;
    for (const { story, like } of ranked.slice(0, MAX_ALARMS)) {
      const own = [...story.entries].filter(([, { count }]) => count >= IN_COMMON * story.size).map(([word]) => word);
      steps += own.length + words.length;
      if (!areFilledInDifferently(own, words)) return { number: story.number, likeness: Math.min(1, like), steps };
    }
    return { number: undefined, likeness: 0, steps };
  }

  /** It may also be told of the time before. */
  #restOf({ lastAt, joinedBy }: Story, at: number): number {
    return Math.max(Math.abs(at - lastAt), (this.#events - joinedBy) * MS_AN_EVENT);
  }

  #join(story: Story, { words, marks, at }: StoryEvent, now: number): void {
    story.size += 1;
    story.lastAt = Math.max(story.lastAt, at);
    story.joinedAt = now;
    story.joinedBy = this.#events;
    for (const word of words) this.#addWord(story, word, 1);
    for (const mark of marks) this.#addMark(story, mark);
    if (story.entries.size > 2 * MAX_WORDS) for (const word of rareWords(story)) this.#dropWord(story, word);
    if (story.size > story.measuredAt * GROWN) this.#measure(story);
    // It is the one with the newest activity now.
    this.#open.delete(story.number);
    this.#open.set(story.number, story);
  }
}

const begun = (number: number, { words, marks, at, origin = 0 }: StoryEvent, now: number) => ({
  number,
  origin,
  size: 1,
  lastAt: at,
  joinedAt: now,
  length: 1,
  measuredAt: 0,
  words,
  counts: words.map(() => 1),
  marks,
});

const wordsOf = ({ entries }: Story): Pick<OpenStory, 'words' | 'counts'> => ({
  words: [...entries.keys()],
  counts: Array.from(entries.values(), ({ count }) => count),
});

/** All but those that most of its events have. */
const rareWords = (story: Story): number[] =>
  [...story.entries]
    .toSorted(([, one], [, other]) => other.count - one.count)
    .slice(MAX_WORDS)
    .map(([word]) => word);

/** How much more likely a story goes on that rested for this long. */
const freshness = (ms: number): number =>
  1 + FRESH.bonus * Math.exp(-ms / FRESH.ms) - RESTED.malus * (1 - Math.exp(-ms / RESTED.ms));
