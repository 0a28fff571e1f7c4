/**
 * Which matches tell the same story. One pass in the order in which matches are stored: the same events in the same
 * order always give the same stories. Memory is bounded by the number of open stories and of what is kept of them.
 *
 * An event joins the story that has one of its marks: its post, a link, the very same text. Any other joins the open story
 * whose words it shares most, weighted by how few stories have them. Words are counted by story, not by text: the words of
 * a story that fifty others repeat stay rare.
 */
import { WordLists } from './word-lists.ts';

/** What of an event is compared: numbers that stand for its words and marks. */
export interface StoryEvent {
  /** Each once, in the order of the text. */
  readonly words: readonly number[];
  readonly marks: readonly number[];
  /** When it was told. */
  readonly at: number;
}

/** What is kept of an open story. */
export interface OpenStory {
  readonly number: number;
  readonly size: number;
  /** When it was told last. */
  readonly lastAt: number;
  /** When it was joined last, and by which event of the book, counted. */
  readonly joinedAt: number;
  readonly joinedBy: number;
  /** Of its words as a vector, and the size at which it was measured. Kept, so that a restart changes no decision. */
  readonly length: number;
  readonly measuredAt: number;
  /** How many of its events have each word. */
  readonly words: Iterable<readonly [word: number, count: number]>;
  readonly marks: Iterable<number>;
}

export interface StoryChoice {
  /** Undefined: the event begins a story. */
  readonly number: number | undefined;
  /** How alike the event and the story are: 0 for a new story, at most 1. */
  readonly likeness: number;
  /** Comparisons that the choice took. */
  readonly steps: number;
}

/** Both ask for the time, which must not go back: stories that nothing joined for a day are over. */
export interface StoryBook {
  choose(event: StoryEvent, now: number): StoryChoice;
  /** Puts the event into a story. One that is not open begins with it, or begins again. */
  put(number: number, event: StoryEvent, now: number): void;
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
/** And its newest marks. */
const MAX_MARKS = 64;
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
/** A story is measured again when it has grown by a tenth. */
const GROWN = 1.1;

/** Freshness is at most this; the rest allows for rounding. */
const FRESHEST = (1 + FRESH.bonus) * (1 + 1e-9);
/** Slots of a book at first. */
const FEW = 16;

/** An event asks for the logarithms of small numbers, several times for each of its words. */
const LOGARITHMS = Float64Array.from({ length: MAX_OPEN + PRIOR_STORIES + 2 }, (_, number) => Math.log(number));

const logOf = (number: number): number => LOGARITHMS[number] ?? Math.log(number);

interface Story extends Omit<OpenStory, 'size' | 'words' | 'marks'> {
  /** Its place in arrays by story. */
  readonly slot: number;
  lastAt: number;
  joinedAt: number;
  joinedBy: number;
  length: number;
  measuredAt: number;
  /** Its words in the order in which they came, as entries of the lists. */
  first: number;
  last: number;
  words: number;
  /** In the order in which they came. */
  readonly marks: number[];
}

export const createStoryBook = (kept: Iterable<OpenStory> = []): StoryBook => new Book(kept);

class Book implements StoryBook {
  /** By last activity, oldest first: a map keeps the order in which its keys were set. */
  readonly #open = new Map<number, Story>();
  readonly #lists = new WordLists();
  readonly #byMark = new Map<number, Story>();
  /** By slot: what the comparison of an event looks at. */
  #sizes = new Int32Array(FEW);
  /** What the event shares with it, and the question for which that was counted. */
  #shared = new Float64Array(FEW);
  #askedIn = new Int32Array(FEW);
  #touched = new Int32Array(FEW);
  readonly #bySlot: Story[] = [];
  readonly #freeSlots: number[] = [];
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
    for (const story of this.#open.values())
      yield { ...story, size: this.#sizes[story.slot]!, words: this.#countsOf(story) };
  }

  *#countsOf(story: Story): Iterable<readonly [number, number]> {
    const { words, counts } = this.#lists;
    for (const entry of this.#entriesOf(story)) yield [words[entry]!, counts[entry]!];
  }

  /** The next one is looked up before an entry is given: it may be removed meanwhile. */
  *#entriesOf({ first }: Story): Iterable<number> {
    for (let entry = first, next = 0; entry !== 0; entry = next) {
      next = this.#lists.nextOfStory[entry]!;
      yield entry;
    }
  }

  #weight(stories: number): number {
    return logOf(this.#open.size + PRIOR_STORIES + 1) - logOf(stories + 1);
  }

  #measure(story: Story): void {
    const { words, counts, nextOfStory } = this.#lists;
    const size = this.#sizes[story.slot]!;
    let sum = 0;
    for (let entry = story.first; entry !== 0; entry = nextOfStory[entry]!) {
      const each = this.#weight(this.#lists.having(words[entry]!));
      const share = counts[entry]! / size;
      sum += each * each * share * Math.sqrt(share);
    }
    story.length = Math.sqrt(sum) || 1;
    story.measuredAt = size;
  }

  #addWord(story: Story, word: number, count: number): void {
    const { words, counts, nextOfStory } = this.#lists;
    for (let entry = story.first; entry !== 0; entry = nextOfStory[entry]!) {
      if (words[entry] !== word) continue;
      counts[entry]! += count;
      return;
    }
    const added = this.#lists.add(story.slot, word, count);
    if (story.first === 0) story.first = added;
    else this.#lists.nextOfStory[story.last] = added;
    story.last = added;
    story.words++;
    this.#entries++;
  }

  /** All but the words that most of its events have. */
  #dropRareWords(story: Story): void {
    const { counts, nextOfStory } = this.#lists;
    const entries = [...this.#entriesOf(story)];
    const rare = new Set(entries.toSorted((one, other) => counts[other]! - counts[one]!).slice(MAX_WORDS));
    story.first = 0;
    for (const entry of entries) {
      if (rare.has(entry)) {
        this.#lists.remove(entry);
        continue;
      }
      if (story.first === 0) story.first = entry;
      else nextOfStory[story.last] = entry;
      story.last = entry;
    }
    nextOfStory[story.last] = 0;
    story.words -= rare.size;
    this.#entries -= rare.size;
  }

  #addMark(story: Story, mark: number): void {
    if (story.marks.includes(mark)) return;
    story.marks.push(mark);
    this.#entries++;
    // The story that had it first keeps it.
    if (!this.#byMark.has(mark)) this.#byMark.set(mark, story);
    if (story.marks.length > MAX_MARKS) this.#dropMark(story, story.marks.shift()!);
  }

  #dropMark(story: Story, mark: number): void {
    this.#entries--;
    if (this.#byMark.get(mark) === story) this.#byMark.delete(mark);
  }

  #add({ number, size, lastAt, joinedAt, joinedBy, length, measuredAt, words, marks }: OpenStory): Story {
    const slot = this.#newSlot();
    const times = { lastAt, joinedAt, joinedBy, length, measuredAt };
    const story: Story = { number, slot, ...times, first: 0, last: 0, words: 0, marks: [] };
    this.#bySlot[slot] = story;
    this.#sizes[slot] = size;
    this.#askedIn[slot] = 0;
    this.#open.set(number, story);
    for (const [word, count] of words) this.#addWord(story, word, count);
    for (const mark of marks) this.#addMark(story, mark);
    return story;
  }

  #newSlot(): number {
    const slot = this.#freeSlots.pop() ?? this.#bySlot.length;
    if (slot < this.#sizes.length) return slot;
    const [sizes, asked] = [this.#sizes, this.#askedIn];
    this.#sizes = new Int32Array(2 * sizes.length);
    this.#sizes.set(sizes);
    this.#askedIn = new Int32Array(2 * asked.length);
    this.#askedIn.set(asked);
    this.#shared = new Float64Array(2 * sizes.length);
    this.#touched = new Int32Array(2 * sizes.length);
    return slot;
  }

  #closeOver(now: number): void {
    for (const story of this.#open.values()) {
      const isFull = this.#open.size >= MAX_OPEN || this.#entries >= MAX_STORY_ENTRIES;
      if (now - story.joinedAt <= QUIET_MS && !isFull) return;
      this.#open.delete(story.number);
      this.#freeSlots.push(story.slot);
      const { nextOfStory } = this.#lists;
      for (let entry = story.first; entry !== 0; entry = nextOfStory[entry]!) this.#lists.remove(entry);
      this.#entries -= story.words;
      for (const mark of story.marks) this.#dropMark(story, mark);
    }
  }

  #nearest({ words, marks, at }: StoryEvent): StoryChoice {
    const { heads, lengths } = this.#lists;
    let [sum, steps, touched] = [0, marks.length, 0];
    this.#asked++;
    for (const word of words) {
      const place = this.#lists.find(word);
      const having = place === -1 ? 0 : lengths[place]!;
      const weight = this.#weight(having);
      const each = weight * weight;
      sum += each;
      steps++;
      if (having === 0 || having > MAX_STORIES_OF_WORD) continue;
      steps += having;
      touched = this.#share(heads[place]!, each, touched);
    }
    return this.#best(touched, Math.sqrt(sum), at, steps);
  }

  /** Adds the weight of a word to what is shared with each story of its list. Answers how many stories are touched. */
  #share(head: number, weight: number, before: number): number {
    const { stories, counts, nextOfWord } = this.#lists;
    const [sizes, shared, askedIn, asked] = [this.#sizes, this.#shared, this.#askedIn, this.#asked];
    let touched = before;
    for (let entry = head; entry !== 0; entry = nextOfWord[entry]!) {
      const slot = stories[entry]!;
      if (askedIn[slot] !== asked) {
        askedIn[slot] = asked;
        shared[slot] = 0;
        this.#touched[touched++] = slot;
      }
      const [count, size] = [counts[entry]!, sizes[slot]!];
      const share = count / size;
      shared[slot]! += count === size ? weight : weight * Math.sqrt(share * Math.sqrt(share));
    }
    return touched;
  }

  /** Of two stories that are as like, the one with the smaller number: the order of a list does not outlive a restart. */
  #best(touched: number, length: number, at: number, steps: number): StoryChoice {
    let best: Story | undefined;
    let likeness = 0;
    for (let index = 0; index < touched; index++) {
      const slot = this.#touched[index]!;
      const story = this.#bySlot[slot]!;
      const alike = this.#shared[slot]! / (length * story.length);
      // However fresh it is, it is not like enough.
      if (alike * FRESHEST < Math.max(ENOUGH, likeness)) continue;
      const like = alike * freshness(this.#restOf(story, at));
      if (best !== undefined && (like < likeness || (like === likeness && story.number > best.number))) continue;
      best = story;
      likeness = like;
    }
    if (best === undefined || likeness < ENOUGH) return { number: undefined, likeness: 0, steps };
    return { number: best.number, likeness: Math.min(1, likeness), steps };
  }

  /** It may also be told of the time before. */
  #restOf({ lastAt, joinedBy }: Story, at: number): number {
    return Math.max(Math.abs(at - lastAt), (this.#events - joinedBy) * MS_AN_EVENT);
  }

  #join(story: Story, { words, marks, at }: StoryEvent, now: number): void {
    const size = ++this.#sizes[story.slot]!;
    story.lastAt = Math.max(story.lastAt, at);
    story.joinedAt = now;
    story.joinedBy = this.#events;
    for (const word of words) this.#addWord(story, word, 1);
    for (const mark of marks) this.#addMark(story, mark);
    if (story.words > 2 * MAX_WORDS) this.#dropRareWords(story);
    if (size > story.measuredAt * GROWN) this.#measure(story);
    // It is the one with the newest activity now.
    this.#open.delete(story.number);
    this.#open.set(story.number, story);
  }
}

const begun = (number: number, { words, marks, at }: StoryEvent, now: number) => ({
  number,
  size: 1,
  lastAt: at,
  joinedAt: now,
  length: 1,
  measuredAt: 0,
  words: words.map((word) => [word, 1] as const),
  marks,
});

/** How much more likely a story goes on that rested for this long. */
const freshness = (ms: number): number =>
  1 + FRESH.bonus * Math.exp(-ms / FRESH.ms) - RESTED.malus * (1 - Math.exp(-ms / RESTED.ms));
