/** The book of stories decides as its plainest form does, event by event, also after a restart. */
import { describe, expect, it } from 'vitest';
import { randomFrom } from '../../bench/random.ts';
import { createPlainStoryBook } from '../../test/stages/plain-story-book.ts';
import { hasSharedData, sharedLines } from '../../test/stages/shared-data.ts';
import { createStoryBook, type StoryBook, type StoryEvent } from './stories.ts';
import { readBook, writeBook } from './story-codec.ts';
import { comparedEvent, storyEventOf } from './story-text.ts';

const SEED = Number(process.env['PROPERTY_SEED'] ?? 20_261_116);
const HOUR = 3_600_000;

/** Puts an event into both books and compares what they decide; the number of its story. */
function tellBoth(
  fast: StoryBook,
  plain: ReturnType<typeof createPlainStoryBook>,
  event: StoryEvent,
  now: number,
  next: number,
): void {
  const choice = fast.choose(event, now);
  expect(choice).toEqual(plain.choose(event, now));
  const number = choice.number ?? next;
  fast.put(number, event, now);
  plain.put(number, event, now);
}

const open = (book: Pick<StoryBook, 'open'>) =>
  [...book.open()].map(
    ({ number, size, origin, lastAt, joinedAt, joinedBy, length, measuredAt, words, counts, marks }) => [
      [number, size, origin, lastAt, joinedAt, joinedBy, length, measuredAt],
      words,
      counts,
      marks,
    ],
  );

describe('a book of stories', () => {
  it.each([
    // Few words: long lists. Many: the limit of entries. Rests: stories end.
    { words: 60, each: 12, events: 2_500, rest: 0 },
    { words: 50_000, each: 48, events: 2_000, rest: 0 },
    { words: 400, each: 20, events: 2_500, rest: HOUR / 60 },
    { words: 3_000, each: 8, events: 2_500, rest: HOUR / 30 },
  ])('decides as its plainest form does: %j', ({ words, each, events, rest }) => {
    const random = randomFrom(SEED);
    const below = (most: number) => Math.floor(random() * most);
    const plain = createPlainStoryBook();
    let fast = createStoryBook();
    let now = 0;
    for (let count = 1; count <= events; count++) {
      now += Math.floor(random() * rest);
      const origin = below(4);
      const told = new Set(Array.from({ length: 1 + below(each) }, () => (below(words) * below(words)) % words));
      // An origin repeats these words, but not always.
      for (let word = 1; word <= 3 * origin; word++) if (below(12) > 0) told.add(-word * origin);
      const marks = Array.from({ length: below(4) }, () => below(events * 20));
      const event = { words: [...told], marks: [...new Set(marks)], at: now - below(2 * HOUR), origin };
      tellBoth(fast, plain, event, now, count);
      // A book that was written and read again goes on alike.
      if (count % 700 === 0) fast = readBook(writeBook(fast));
    }
    expect(fast.entries).toBe(plain.entries);
    expect(open(fast)).toEqual(open(plain));
  });

  it.runIf(hasSharedData)('decides as its plainest form does on real posts', () => {
    const posts = sharedLines<{ id: string; text: string }>('posts/short-texts.ndjson.gz').slice(0, 4_000);
    const [fast, plain] = [createStoryBook(), createPlainStoryBook()];
    for (const [index, { id, text }] of posts.entries()) {
      const event = storyEventOf(comparedEvent('x', { text, links: [], posts: [id] }), index * 1_000);
      tellBoth(fast, plain, event, index * 1_000, index);
    }
    expect(open(fast)).toEqual(open(plain));
  });
});
