import { describe, expect, it } from 'vitest';
import type { Match } from '../../domain/match.ts';
import type { TextEvent } from '../nouns/commits.ts';
import { positionAt, storyId } from '../order.ts';
import { newParts, type PartRow, type StoryQuery, storyPage } from './stories.ts';

const START = Date.UTC(2026, 10, 15);
const place = (index: number): number => positionAt(START + index);
const query = (change: Partial<StoryQuery> = {}): StoryQuery => ({ accountId: 'acct_1', limit: 10, ...change });

/** Each story has one part, of one match. */
const single = (index: number, change: Partial<PartRow> = {}): PartRow => ({
  story: place(index),
  rule_id: 'rule_1',
  deleted: 0,
  platform: 'x',
  source: '',
  matches: 1,
  first: place(index),
  last: place(index),
  ...change,
});

/** Answers the questions that `storyPage` asks of a database from rows in memory, and counts them. */
function readingOf(parts: readonly PartRow[], gone: readonly number[] = []) {
  const asked = { slices: 0, matches: [] as number[] };
  return {
    asked,
    slice: (above: number, below: number, limit: number) => {
      asked.slices++;
      return parts
        .filter(({ last }) => last > above && last < below)
        .toSorted((one, other) => other.last - one.last)
        .slice(0, limit);
    },
    parts: (stories: readonly number[]) => parts.filter(({ story }) => stories.includes(story)),
    matches: (positions: readonly number[]) => {
      asked.matches.push(positions.length);
      return positions
        .filter((position) => !gone.includes(position))
        .map((position) => ({ match: { position } as Match, bytes: 10 }));
    },
  };
}

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

describe('a page of stories', () => {
  it('ends with its limit, and says where the next one begins', async () => {
    const parts = range(5).map((index) => single(index));
    const pageOf = async (change: Partial<StoryQuery>) => {
      const { stories, next } = await storyPage(query(change), 0, readingOf(parts));
      return [stories.map(({ id }) => id), next];
    };
    const ids = range(5).map((index) => storyId(place(4 - index)));
    expect(await pageOf({ limit: 5 })).toEqual([ids, undefined]);
    expect(await pageOf({ limit: 4 })).toEqual([ids.slice(0, 4), place(1)]);
    expect(await pageOf({ limit: 4, before: place(1) })).toEqual([ids.slice(4), undefined]);
    expect(await pageOf({ since: new Date(START + 3) })).toEqual([ids.slice(0, 2), undefined]);
    expect(await pageOf({ until: new Date(START + 3) })).toEqual([ids.slice(2), undefined]);
    expect(await pageOf({ until: new Date(START + 3), before: place(2) })).toEqual([ids.slice(3), undefined]);
  });

  it('has nothing that is past retention', async () => {
    const parts = range(5).map((index) => single(index));
    const { stories } = await storyPage(query({ since: new Date(START) }), place(3), readingOf(parts));
    expect(stories.map(({ id }) => id)).toEqual([storyId(place(4)), storyId(place(3))]);
  });

  it('ends with the story that fills its bytes, unless that is the last one', async () => {
    const parts = range(3).map((index) => single(index));
    const sizeOf = async (bytes: number) => {
      const { stories, next } = await storyPage(query({ bytes }), 0, readingOf(parts));
      return [stories.length, next];
    };
    expect(await sizeOf(10)).toEqual([1, place(2)]);
    expect(await sizeOf(11)).toEqual([2, place(1)]);
    expect(await sizeOf(20)).toEqual([2, place(1)]);
    expect(await sizeOf(21)).toEqual([3, undefined]);
    expect(await sizeOf(30)).toEqual([3, undefined]);
  });

  it('reads the first matches sixteen at a time, and no more than it shows', async () => {
    const parts = range(40).map((index) => single(index));
    for (const [limit, reads] of [
      [16, [16]],
      [33, [16, 16, 1]],
    ] as const) {
      const reading = readingOf(parts);
      const page = await storyPage(query({ limit }), 0, reading);
      expect([page.stories.length, reading.asked.matches]).toEqual([limit, reads]);
    }
    const none = readingOf([]);
    expect(await storyPage(query(), 0, none)).toEqual({ stories: [], next: undefined });
    expect(none.asked).toEqual({ slices: 1, matches: [] });
  });

  it('leaves a story out whose first match went meanwhile', async () => {
    const reading = readingOf(
      range(3).map((index) => single(index)),
      [place(1)],
    );
    const { stories } = await storyPage(query(), 0, reading);
    expect(stories.map(({ id }) => id)).toEqual([storyId(place(2)), storyId(place(0))]);
  });

  it('goes once over the parts of a story, however many they are and however often a slice names it', async () => {
    let looks = 0;
    const parts = range(200_000).map((index) => ({
      ...single(index, { story: place(0) }),
      get deleted() {
        looks++;
        return 0;
      },
    }));
    const named = range(100).map((index) => ({ story: place(0), last: place(199_999 - index) }));
    const reading = {
      ...readingOf([]),
      slice: () => named.splice(0),
      parts: (asked: readonly number[]) => (asked.length === 0 ? [] : parts),
    };
    const { stories } = await storyPage(query(), 0, reading);
    expect(stories.map(({ size }) => size)).toEqual([200_000]);
    expect(looks).toBe(200_000);
  });

  it('stops after ten thousand parts that are not shown, read a hundred at a time', async () => {
    const hidden = range(10_150).map((index) => single(index, { deleted: 1 }));
    const reading = readingOf(hidden);
    const page = await storyPage(query(), 0, reading);
    expect(page).toEqual({ stories: [], next: place(150) });
    expect(reading.asked).toMatchObject({ slices: 100 });
    const rest = readingOf(hidden);
    expect(await storyPage(query({ before: page.next! }), 0, rest)).toEqual({ stories: [], next: undefined });
    expect(rest.asked).toMatchObject({ slices: 2 });
  });

  it('adds up the parts that the caller may see, and stands where the newest of those asked for is', async () => {
    const parts = [
      single(0, { matches: 2, last: place(5), source: 'push' }),
      single(0, {
        rule_id: 'rule_2',
        platform: 'firehose',
        source: 'jetstream',
        matches: 3,
        first: place(1),
        last: place(9),
      }),
      single(0, { rule_id: 'rule_3', deleted: 1, matches: 50, last: place(20) }),
    ];
    const found = async (change: Partial<StoryQuery>) => (await storyPage(query(change), 0, readingOf(parts))).stories;
    const whole = { id: storyId(place(0)), size: 5, lastAt: new Date(START + 9), sources: ['jetstream', 'push'] };
    const of = { platforms: ['firehose', 'x'], ruleIds: ['rule_1', 'rule_2'], began: { position: place(0) } };
    expect(await found({})).toEqual([{ ...whole, ...of, first: { position: place(0) } }]);
    expect(await found({ ruleId: 'rule_1' })).toEqual([{ ...whole, ...of, first: { position: place(0) } }]);
    expect(await found({ ruleId: 'rule_2' })).toEqual([{ ...whole, ...of, first: { position: place(1) } }]);
    expect(await found({ platform: 'firehose' })).toEqual([{ ...whole, ...of, first: { position: place(1) } }]);
    expect(await found({ ruleId: 'rule_1', platform: 'firehose' })).toEqual([]);
    expect(await found({ ruleId: 'rule_3' })).toEqual([]);
    expect(await found({ ruleIds: ['rule_2'] })).toEqual([
      {
        ...whole,
        size: 3,
        sources: ['jetstream'],
        platforms: ['firehose'],
        ruleIds: ['rule_2'],
        began: { position: place(1) },
        first: { position: place(1) },
      },
    ]);
  });
});

describe('the parts of a commit', () => {
  it('are one for each story, rule and source, from the first of its matches to the last', () => {
    const told = (position: number, rule: number, source: string) => ({
      position,
      ruleNumber: rule,
      source,
      account: 7,
      event: {} as TextEvent,
      asked: 0,
    });
    const matches = [told(10, 1, ''), told(11, 2, ''), told(12, 1, ''), told(13, 1, 'push'), told(14, 1, '')];
    const decisions = { stories: [10, 10, 10, 10, 14], logs: [], books: [] };
    const part = { platform: 'x', account: 7, story: 10 };
    expect(newParts('x', matches, decisions)).toEqual([
      { ...part, rule: 1, source: '', matches: 2, first: 10, last: 12 },
      { ...part, rule: 2, source: '', matches: 1, first: 11, last: 11 },
      { ...part, rule: 1, source: 'push', matches: 1, first: 13, last: 13 },
      { ...part, rule: 1, source: '', matches: 1, first: 14, last: 14, story: 14 },
    ]);
  });
});
