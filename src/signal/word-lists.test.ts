import { describe, expect, it } from 'vitest';
import { randomFrom } from '../../bench/random.ts';
import { OpenStories } from './open-stories.ts';
import { StoryWords } from './story-words.ts';
import { COUNT_OF_ITEM, FIRST_ITEM, ITEM_SIZE, LENGTH, STORY, WordLists } from './word-lists.ts';

const SEED = Number(process.env['PROPERTY_SEED'] ?? 20_261_116);

/** The stories of a word with their counts, in the order of their numbers. */
function storiesOf({ items, places }: WordLists, place: number): [number, number][] {
  const first = places[place + FIRST_ITEM]!;
  return Array.from({ length: places[place + LENGTH]! }, (_, index): [number, number] => {
    const item = first + index * ITEM_SIZE;
    return [items[item + STORY]!, items[item + COUNT_OF_ITEM]!];
  }).toSorted(([one], [other]) => one - other);
}

describe('lists of the stories of words', () => {
  it('hold what was added and not removed, with the last count', () => {
    const random = randomFrom(SEED);
    const below = (most: number) => Math.floor(random() * most);
    const lists = new WordLists();
    /** By word: the index and the count of each story. The entry of a story is its number. */
    const plain = new Map<number, Map<number, { index: number; count: number }>>();
    for (let step = 0; step < 30_000; step++) {
      const [word, story] = [below(50) * below(50) - 600, 1 + below(80)];
      const own = plain.get(word) ?? new Map<number, { index: number; count: number }>();
      plain.set(word, own);
      const known = own.get(story);
      if (known === undefined) own.set(story, { index: lists.add(word, story, story, 1), count: 1 });
      else if (random() < 0.3) lists.setCount(word, known.index, ++known.count);
      else {
        own.delete(story);
        const moved = lists.remove(word, known.index);
        if (moved !== 0) own.get(moved)!.index = known.index;
      }
    }
    for (const [word, own] of plain) {
      const expected = [...own].map(([story, { count }]) => [story, count]).toSorted(([a], [b]) => a! - b!);
      expect(storiesOf(lists, lists.find(word))).toEqual(expected);
    }
  });

  it('keep memory for what they hold, not for what they held', () => {
    const lists = new WordLists();
    // Words one after another get a long list, of which one story stays.
    for (let word = 0; word < 2_000; word++) {
      for (let story = 1; story <= 64; story++) lists.add(word, story, story, 1);
      for (let index = 63; index > 0; index--) lists.remove(word, index);
    }
    expect(lists.places[lists.find(1_999) + LENGTH]).toBe(1);
    expect(lists.items.length).toBeLessThanOrEqual(4 * 2_000 * ITEM_SIZE);
  });

  it('use again the room of words that came and went', () => {
    const lists = new WordLists();
    for (let word = 0; word < 40; word++) lists.add(word, 1, 1, 1);
    const { items } = lists;
    for (let round = 0; round < 500; round++) {
      for (let story = 2; story <= 6; story++) lists.add(100 + round, story, story, 1);
      for (let index = 4; index >= 0; index--) lists.remove(100 + round, index);
    }
    expect(lists.items).toBe(items);
    expect(storiesOf(lists, lists.find(7))).toEqual([[1, 1]]);
  });
});

describe('the words of stories', () => {
  it('use again the room of stories that ended', () => {
    const stories = new OpenStories();
    const words = new StoryWords(stories, new WordLists());
    const { entries } = words;
    for (let number = 1; number <= 200; number++) {
      const story = stories.begin(number, 1, 0);
      for (let word = 0; word < 10; word++) words.add(story, word, 1);
      expect(words.fieldOf(story, 1)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
      words.dropAll(story);
      stories.end(story);
    }
    expect([words.size, words.entries === entries]).toEqual([0, true]);
  });
});
