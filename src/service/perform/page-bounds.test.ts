/** How much is read at once: a payload may have a megabyte, so that every read says how many bytes it takes. */
import { describe, expect, it, vi } from 'vitest';
import { openService } from '../../../test/stages/service.ts';
import type { StoredMatch } from '../../domain/match.ts';
import type { MatchPage, MatchQuery } from '../../store/store.ts';
import { computeHere } from '../compute.ts';
import { exportMatches } from '../matches/export-matches.ts';
import { sharedFeedPage } from '../matches/read-feed.ts';
import { countScanned } from '../matches/scan-matches.ts';
import { ratedMatches } from '../suggestions/rated-matches.ts';

const MIB = 1024 * 1024;
const SIGNAL = new AbortController().signal;
const RULE = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };

const without = (query: object, ...names: string[]): Partial<MatchQuery> =>
  Object.fromEntries(Object.entries(query).filter(([name]) => !names.includes(name)));

async function stage() {
  const test = await openService();
  const alice = await test.caller('alice');
  const { rule_id } = await test.call(alice, 'createRule', RULE);
  await test.post(alice, 'a storm');
  const [match] = await test.everyMatch(alice);
  await test.call(alice, 'rateMatch', { match_id: match!.id, rating: 'relevant' });
  // The grounds that relevance rests on are read with the first match that is read.
  await test.everyMatch(alice);
  const matches = vi.spyOn(test.store, 'matches');
  const stories = vi.spyOn(test.store, 'stories');
  /** Returns what the store was asked for meanwhile, without the parts that say of whom. */
  const askedBy = async (work: () => Promise<unknown>) => {
    matches.mockClear();
    stories.mockClear();
    await work();
    return [...matches.mock.calls, ...stories.mock.calls].map(([query]) => without(query, 'accountId'));
  };
  return Object.assign(test, { alice, rule_id, askedBy });
}

describe('reads of matches and stories', () => {
  it('of a list take 4 MiB, or at first half of one where few are asked for, and fifty unless told otherwise', async () => {
    await using test = await stage();
    const { alice, askedBy } = test;
    expect(await askedBy(() => test.call(alice, 'listMatches'))).toStrictEqual([{ limit: 50, bytes: MIB / 2 }]);
    const many = () => test.call(alice, 'listMatches', { limit: 101 });
    expect(await askedBy(many)).toStrictEqual([{ limit: 101, bytes: 4 * MIB }]);
    expect(await askedBy(() => test.call(alice, 'listStories'))).toMatchObject([{ limit: 50, bytes: 4 * MIB }]);
  });

  it('of a shared feed take fifty entries and 4 MiB', async () => {
    await using test = await stage();
    const { rule_id, askedBy } = test;
    const createdAt = new Date(0);
    const read = (contents: 'matches' | 'stories', ruleId?: string) => {
      const feed = { id: 'feed', accountId: test.alice.account.id, ruleId, contents, name: 'n', createdAt };
      const place = { base: '', path: '/f', cursor: undefined, hub: undefined };
      return askedBy(() => sharedFeedPage.run(test.service.context, { feed, format: 'atom', place }));
    };
    expect(await read('matches')).toStrictEqual([{ limit: 50, bytes: 4 * MIB }]);
    expect(await read('matches', rule_id)).toStrictEqual([{ limit: 50, bytes: 4 * MIB, ruleId: rule_id }]);
    expect(await read('stories')).toStrictEqual([{ limit: 50, bytes: 4 * MIB }]);
    expect(await read('stories', rule_id)).toStrictEqual([
      { limit: 50, bytes: 4 * MIB, ruleId: rule_id, ruleIds: [rule_id] },
    ]);
  });

  it('of an export take a thousand rows and 1 MiB', async () => {
    await using test = await stage();
    const { service, alice, askedBy } = test;
    const all = async (query: object) => {
      const { parts } = await exportMatches(service.context, alice, query, SIGNAL);
      for await (const _ of parts);
    };
    expect(await askedBy(() => all({ format: 'ndjson' }))).toStrictEqual([{ limit: 1_000, bytes: MIB }]);
    expect(await askedBy(() => all({ format: 'csv', limit: '7' }))).toStrictEqual([{ limit: 7, bytes: MIB }]);
  });

  it('of an export go on to the last match, or to as many as were asked for', async () => {
    await using test = await stage();
    const exported = async (count: number, bytes: number, query: object = {}) => {
      const { asked, store } = pagesOf(count, bytes);
      const { keys, account } = test.store;
      const reading = { ...test.service.context, store: { ...store, keys, account } as never };
      const context = { ...reading, compute: computeHere(() => reading) };
      const parts: (string | Uint8Array)[] = [];
      const made = await exportMatches(context, test.alice, { format: 'ndjson', ...query }, SIGNAL);
      for await (const part of made.parts) parts.push(part);
      return { asked: asked.map(({ limit }) => limit), parts, rows: made.rows(), next: made.nextCursor() };
    };
    expect(await exported(0, 1)).toEqual({ asked: [1_000], parts: [], rows: 0, next: undefined });
    // More than 256 KiB, and far less than 256 MiB.
    expect(await exported(2_001, 200)).toMatchObject({ asked: [1_000, 1_000, 1_000], rows: 2_001, next: undefined });
    expect(await exported(9_000, 1, { limit: '1500' })).toMatchObject({
      asked: [1_000, 500],
      rows: 1_500,
      next: expect.any(String),
    });
  });

  it('of a draft take five hundred of each rating and 8 MiB', async () => {
    await using test = await stage();
    const { alice, rule_id, askedBy } = test;
    const of = { ruleId: rule_id, platform: 'x', limit: 500, bytes: 8 * MIB };
    expect(await askedBy(() => test.call(alice, 'draftRule', { rule_id }))).toStrictEqual([
      { ...of, rating: 'relevant' },
      { ...of, rating: 'irrelevant' },
    ]);
  });

  it('of a count by a filter take a thousand and 4 MiB, within 50,000 matches and 64 MiB', async () => {
    await using test = await stage();
    const { alice, askedBy } = test;
    expect(await askedBy(() => test.call(alice, 'matchFacets'))).toStrictEqual([
      { limit: 1_000, bytes: 4 * MIB, walk: { rows: 50_000, bytes: 64 * MIB } },
    ]);
  });
});

/** Pages of this many matches with this many bytes each, until there are no more. */
function pagesOf(count: number, bytes: number, perPage = Infinity) {
  const asked: Partial<MatchQuery>[] = [];
  const store = {
    async matches(query: MatchQuery): Promise<MatchPage> {
      asked.push(without(query, 'accountId', 'ruleId', 'platform'));
      const before = query.before ?? count + 1;
      const taken = Math.min(query.limit, before - 1, perPage);
      const matches = Array.from({ length: taken }, (_one, at) => {
        const shown = { createdAt: new Date(0), highlights: [], json: 'x'.repeat(bytes) };
        return { ...shown, position: before - 1 - at } as unknown as StoredMatch;
      });
      const next = before - taken > 1 ? before - taken : undefined;
      return { matches, next, latest: count, walked: { rows: taken, bytes: taken * bytes } };
    },
  };
  return { asked, store };
}

describe('what a rule is judged by', () => {
  const of = { accountId: 'a', ruleId: 'r', platform: 'x' as const };

  it('is a thousand matches of each rating and two thousand recent ones, in pages of five hundred', async () => {
    const { asked, store } = pagesOf(5_000, 1);
    const { relevant, irrelevant, recent } = await ratedMatches(store, of);
    expect([relevant.length, irrelevant.length, recent.length]).toEqual([1_000, 1_000, 2_000]);
    expect(asked).toHaveLength(2 + 2 + 4);
    expect(asked[0]).toStrictEqual({ rating: 'relevant', limit: 500, bytes: 16 * MIB });
    expect(asked[1]).toStrictEqual({ rating: 'relevant', limit: 500, bytes: 16 * MIB - 500, before: 4_501 });
    expect(asked[4]).toStrictEqual({ limit: 500, bytes: 16 * MIB });
  });

  it('ends with 16 MiB of each, and with what there is', async () => {
    const large = pagesOf(5_000, 4 * MIB, 2);
    expect((await ratedMatches(large.store, of)).relevant).toHaveLength(4);
    const few = pagesOf(501, 1);
    expect((await ratedMatches(few.store, of)).irrelevant).toHaveLength(501);
    expect(few.asked).toHaveLength(6);
  });
});

describe('a count that goes through matches', () => {
  const scan = async (count: number, bytes: number, filter = {}) => {
    await using test = await openService();
    const { asked, store } = pagesOf(count, bytes);
    const reader = { ...test.service.context.reader, score: async () => 0.5 };
    const context = { ...test.service.context, store: store as never, reader };
    const seen: number[] = [];
    const caller = await test.caller('alice');
    const part = await countScanned(context, caller, filter, ({ position }) => void seen.push(position));
    return { ...part, seen: seen.length, asked };
  };

  it('counts all that fit the budget, page after page', async () => {
    const { seen, counted, complete, counted_from, asked } = await scan(1_500, 10);
    expect([seen, counted, complete, counted_from]).toEqual([1_500, 1_500, true, null]);
    expect(asked.map(({ walk, before }) => [walk, before])).toEqual([
      [{ rows: 50_000, bytes: 64 * MIB }, undefined],
      [{ rows: 49_000, bytes: 64 * MIB - 10_000 }, 501],
    ]);
  });

  it('says where it ended when the rows or the bytes are used up', async () => {
    const rows = await scan(50_001, 0);
    expect([rows.seen, rows.complete, typeof rows.counted_from]).toEqual([50_000, false, 'string']);
    const bytes = await scan(2_001, 32 * 1024 + 800);
    expect([bytes.seen, bytes.complete]).toEqual([2_000, false]);
    const exactly = await scan(50_000, 0);
    expect([exactly.seen, exactly.complete]).toEqual([50_000, true]);
  });

  it('counts what is relevant enough', async () => {
    expect((await scan(3, 1, { min_relevance: 0.5 })).counted).toBe(3);
    expect((await scan(3, 1, { min_relevance: 0.51 })).counted).toBe(0);
  });
});
