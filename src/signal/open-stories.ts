/**
 * The stories that events may join, in the order of their last activity. Their numbers lie side by side in two arrays: a story
 * is known by the index of its first number, which is the same in both. 0 stands for none.
 */
import { NumberTable } from '../base/number-table.ts';

/** Fields for the comparison of an event. `SHARED` is what the event shares with the story, 0 between events. */
export const [SIZE, SHARED, MEASURE, LAST_AT, JOINED_BY, NUMBER] = [0, 1, 2, 3, 4, 5];
export const [JOINED_AT, MEASURED_AT] = [6, 7];
/** Its first and its last word, and how many there are. */
export const [FIRST_WORD, LAST_WORD, WORDS] = [0, 1, 2];
/** The stories with the next older and the next newer activity. */
const OLDER = 3;
export const NEWER = 4;
/** How many words the event at hand shares with the story, 0 between events. */
export const SHARED_WORDS = 5;
/** The origin of the event that began it; 0 if that is not known. */
export const ORIGIN = 6;
const STORY_SIZE = 8;
/** Stories for which there is room at first. */
const FEW = 16;

export class OpenStories {
  values = new Float64Array(STORY_SIZE * FEW);
  links = new Int32Array(STORY_SIZE * FEW);
  readonly #byNumber = new NumberTable();
  /** How many there are of each origin. */
  readonly #byOrigin = new NumberTable();
  readonly #free: number[] = [];
  /** The end of the stories that were handed out. */
  #used = STORY_SIZE;
  #oldest = 0;
  #newest = 0;
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get oldest(): number {
    return this.#oldest;
  }

  /** How many there can be before the arrays grow. */
  get room(): number {
    return this.values.length / STORY_SIZE;
  }

  /** 0 if it is not open. */
  get(number: number): number {
    return this.#byNumber.get(number);
  }

  /** How many began with an event of this origin. */
  countOf(origin: number): number {
    return this.#byOrigin.get(origin);
  }

  /** The one with the newest activity. It has no words yet. */
  begin(number: number, size: number, origin: number): number {
    const story = this.#free.pop() ?? this.#newStory();
    this.values[story + NUMBER] = number;
    this.values[story + SIZE] = size;
    this.links[story + ORIGIN] = origin;
    if (origin !== 0) this.#byOrigin.set(origin, this.#byOrigin.get(origin) + 1);
    this.#byNumber.set(number, story);
    this.#count++;
    this.#append(story);
    return story;
  }

  /** Does nothing where it is not open. */
  renumber(from: number, to: number): void {
    const story = this.#byNumber.get(from);
    if (story === 0) return;
    this.#byNumber.delete(from);
    this.#byNumber.set(to, story);
    this.values[story + NUMBER] = to;
  }

  /** It has no words any more. */
  end(story: number): void {
    this.#byNumber.delete(this.values[story + NUMBER]!);
    this.#leave(this.links[story + ORIGIN]!);
    this.#count--;
    this.#unlink(story);
    this.#free.push(story);
  }

  /** It is the one with the newest activity now. */
  renew(story: number): void {
    if (story === this.#newest) return;
    this.#unlink(story);
    this.#append(story);
  }

  #leave(origin: number): void {
    const others = this.#byOrigin.get(origin) - 1;
    if (others > 0) this.#byOrigin.set(origin, others);
    else if (others === 0) this.#byOrigin.delete(origin);
  }

  #append(story: number): void {
    this.links[story + OLDER] = this.#newest;
    this.links[story + NEWER] = 0;
    if (this.#newest === 0) this.#oldest = story;
    else this.links[this.#newest + NEWER] = story;
    this.#newest = story;
  }

  #unlink(story: number): void {
    const older = this.links[story + OLDER]!;
    const newer = this.links[story + NEWER]!;
    if (older === 0) this.#oldest = newer;
    else this.links[older + NEWER] = newer;
    if (newer === 0) this.#newest = older;
    else this.links[newer + OLDER] = older;
  }

  #newStory(): number {
    if (this.#used === this.values.length) this.#enlarge();
    this.#used += STORY_SIZE;
    return this.#used - STORY_SIZE;
  }

  #enlarge(): void {
    const [values, links] = [this.values, this.links];
    this.values = new Float64Array(2 * values.length);
    this.values.set(values);
    this.links = new Int32Array(2 * links.length);
    this.links.set(links);
  }
}

/** A story keeps its newest marks. */
const MAX_MARKS = 64;

/** The marks of open stories: their posts, links and texts. A mark is that of the story that had it first, and of no other. */
export class StoryMarks {
  /** The marks of each story, in the order in which they came. */
  readonly #ofStory = new Map<number, number[]>();
  readonly #owners = new NumberTable();
  #size = 0;

  /** The number of marks of all stories. */
  get size(): number {
    return this.#size;
  }

  /** 0 for none. */
  storyOf(mark: number): number {
    return this.#owners.get(mark);
  }

  of(story: number): readonly number[] {
    return this.#ofStory.get(story) ?? [];
  }

  add(story: number, added: readonly number[]): void {
    const marks = this.#ofStory.get(story) ?? [];
    if (marks.length === 0) this.#ofStory.set(story, marks);
    for (let index = 0; index < added.length; index++) {
      const mark = added[index]!;
      // If two lists had one mark, a book that is read back could not tell whose came first.
      if (this.#owners.get(mark) !== 0) continue;
      marks.push(mark);
      this.#size++;
      this.#owners.set(mark, story);
      if (marks.length > MAX_MARKS) this.#drop(marks.shift()!);
    }
  }

  dropAll(story: number): void {
    for (const mark of this.of(story)) this.#drop(mark);
    this.#ofStory.delete(story);
  }

  #drop(mark: number): void {
    this.#size--;
    this.#owners.delete(mark);
  }
}
