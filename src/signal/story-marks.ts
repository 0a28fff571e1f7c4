/** The marks of open stories: their posts, links and texts. A mark leads to the story that had it first. */
import { NumberTable } from '../base/number-table.ts';

/** A story keeps its newest marks. */
const MAX_MARKS = 64;

export class StoryMarks {
  /** Of each story in the order in which they came. */
  readonly #ofStory = new Map<number, number[]>();
  readonly #owners = new NumberTable();
  #size = 0;

  /** Of all stories. */
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
      if (marks.includes(mark)) continue;
      marks.push(mark);
      this.#size++;
      if (this.#owners.get(mark) === 0) this.#owners.set(mark, story);
      if (marks.length > MAX_MARKS) this.#drop(story, marks.shift()!);
    }
  }

  dropAll(story: number): void {
    for (const mark of this.of(story)) this.#drop(story, mark);
    this.#ofStory.delete(story);
  }

  #drop(story: number, mark: number): void {
    this.#size--;
    if (this.#owners.get(mark) === story) this.#owners.delete(mark);
  }
}
