/** Which stories the matches of a rehearsal tell: how many, and the largest of them. */
import { createStoryBook, type StoryBook, type StoryEvent } from '../../signal/stories.ts';
import { readBook, writeBook } from '../../signal/story-codec.ts';

export interface StorySize {
  readonly number: number;
  size: number;
  first: number;
  last: number;
}

/** As a checkpoint keeps it. */
export interface KeptStories {
  readonly count: number;
  readonly now: number;
  /** Base64; absent once the rehearsal has ended. */
  readonly book?: string;
  readonly sizes: readonly StorySize[];
}

export interface StoryTally {
  readonly count: number;
  /** Answers whether the story is one of the largest now, with the story that is no longer one. */
  put(event: StoryEvent): {
    readonly story: StorySize;
    readonly isNewLargest: boolean;
    readonly left: StorySize | undefined;
  };
  /** The largest first. */
  largest(): readonly StorySize[];
  keep(isDone: boolean): KeptStories;
}

const LARGEST = 10;
/** Stories whose sizes are known. Those that are over and not among the largest are forgotten. */
const MOST_SIZES = 4_000;

export function createStoryTally(kept?: KeptStories): StoryTally {
  const book: StoryBook = kept?.book === undefined ? createStoryBook() : readBook(Buffer.from(kept.book, 'base64'));
  const sizes = new Map((kept?.sizes ?? []).map((one) => [one.number, { ...one }]));
  let largest = largestOf(sizes.values());
  let count = kept?.count ?? 0;
  let now = kept?.now ?? 0;

  function sizeOf(event: StoryEvent): StorySize {
    const number = book.choose(event, now).number ?? ++count;
    book.put(number, event, now);
    const story = sizes.get(number) ?? { number, size: 0, first: event.at, last: event.at };
    story.size++;
    story.first = Math.min(story.first, event.at);
    story.last = Math.max(story.last, event.at);
    sizes.set(number, story);
    return story;
  }

  return {
    get count() {
      return count;
    },
    put(event) {
      now = Math.max(now, event.at);
      const story = sizeOf(event);
      const before = largest;
      largest = before.includes(story) ? before : largestOf([...before, story]);
      if (sizes.size > MOST_SIZES) forgetOver(book, sizes, largest);
      const isNewLargest = !before.includes(story) && largest.includes(story);
      return { story, isNewLargest, left: isNewLargest ? before.find((one) => !largest.includes(one)) : undefined };
    },
    largest: () => largest.toSorted((one, other) => other.size - one.size || one.number - other.number),
    keep: (isDone) =>
      isDone
        ? { count, now, sizes: largest }
        : { count, now, sizes: [...sizes.values()], book: Buffer.from(writeBook(book)).toString('base64') },
  };
}

/** A match of which numbers alone are kept until its story is told. */
export interface UntoldEvent {
  readonly postId: string;
  readonly event: StoryEvent;
}

/** Tells the stories of events that came newest first, in the order of time. Answers the newest post of each of the largest, with its number. */
export function tellInOrder(
  stories: StoryTally,
  untold: readonly UntoldEvent[],
  checkpoint: () => void,
): Map<string, number> {
  const newest = new Map<number, string>();
  for (const { postId, event } of untold.toReversed()) {
    checkpoint();
    newest.set(stories.put(event).story.number, postId);
  }
  return new Map(stories.largest().map(({ number }) => [newest.get(number)!, number]));
}

/** A story that is over is joined no more. */
function forgetOver(book: StoryBook, sizes: Map<number, StorySize>, largest: readonly StorySize[]): void {
  const open = new Set(Array.from(book.open(), ({ number }) => number));
  for (const story of sizes.values())
    if (!open.has(story.number) && !largest.includes(story)) sizes.delete(story.number);
}

/** Among equal ones the first comes first. */
const largestOf = (stories: Iterable<StorySize>): readonly StorySize[] =>
  [...stories].toSorted((one, other) => other.size - one.size || one.number - other.number).slice(0, LARGEST);
