import { describe, expect, it } from 'vitest';
import { createStoryBook, type StoryBook, type StoryText } from './stories.ts';

const HOUR = 3_600_000;

function tell(book: StoryBook, texts: readonly (string | StoryText)[]): string[] {
  let begun = book.open()[Symbol.iterator]().next().done === true ? 0 : 100;
  return texts.map(
    (text, index) =>
      book.assign(typeof text === 'string' ? { text, at: index * 60_000 } : text, () => `story ${++begun}`).id,
  );
}

const harbour = [
  'Fire at Northline harbour warehouse, two hurt',
  'Northline harbour: warehouse fire injures two',
  'RT @port: Fire at Northline harbour warehouse, two hurt https://t.example/abc',
];

describe('stories', () => {
  it('joins what tells the same in other words, reposts and links included', () => {
    expect(new Set(tell(createStoryBook(), harbour)).size).toBe(1);
  });

  it('parts what shares a common word alone', () => {
    const told = tell(createStoryBook(), [harbour[0]!, 'Council votes on two new bicycle lanes', harbour[1]!]);
    expect(told).toEqual(['story 1', 'story 2', 'story 1']);
  });

  it('says which text began the story', () => {
    const book = createStoryBook();
    expect(book.assign({ text: harbour[0]!, at: 0 }, () => 'a')).toEqual({ id: 'a', first: true, likeness: 0 });
    expect(book.assign({ text: harbour[1]!, at: 1 }, () => 'b')).toMatchObject({ id: 'a', first: false });
  });

  it('begins a new story with the same words once the old one has been over for a day', () => {
    const told = tell(createStoryBook(), [
      { text: harbour[0]!, at: 0 },
      { text: harbour[1]!, at: 25 * HOUR },
    ]);
    expect(new Set(told).size).toBe(2);
  });

  it('keeps the words of a story rare, however often it is repeated', () => {
    const repeated = Array.from({ length: 200 }, (_, index) => ({ text: harbour[index % 3]!, at: index * 1_000 }));
    const told = tell(createStoryBook(), [...repeated, { text: 'Northline harbour fire under control', at: 201_000 }]);
    expect(new Set(told).size).toBe(1);
  });

  it('compares texts that are written without spaces', () => {
    const told = tell(createStoryBook(), [
      '東京で大規模な停電が発生',
      '停電が東京で発生、大規模',
      '大阪の桜が満開になりました',
    ]);
    expect(told).toEqual(['story 1', 'story 1', 'story 2']);
  });

  it('goes on from what was kept as if it had never stopped', () => {
    const texts = Array.from({ length: 60 }, (_, index) => ({
      text: `${harbour[index % 2]!} ${['north', 'rescue', 'smoke', 'ferry'][index % 4]}`,
      at: index * 60_000,
    }));
    const throughout = createStoryBook();
    tell(throughout, texts.slice(0, 30));
    const resumed = createStoryBook(structuredClone([...throughout.open()]));
    expect(tell(resumed, texts.slice(30))).toEqual(tell(throughout, texts.slice(30)));
  });

  it('keeps a bounded number of open stories', () => {
    const book = createStoryBook();
    const texts = Array.from({ length: 2_500 }, (_, index) => ({
      text: `alpha${index} beta${index} gamma${index}`,
      at: index,
    }));
    tell(book, texts);
    expect([...book.open()].length).toBe(2_000);
  });
});
