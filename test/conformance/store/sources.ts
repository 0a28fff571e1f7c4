import { expect, it } from 'vitest';
import { newId } from '../../../src/base/ids.ts';
import type { StoredSource } from '../../../src/domain/source.ts';
import type { NewSource, SourceVisit } from '../../../src/store/store.ts';
import { accountNamed, addOther, at, collect, eventOf, type Open, posts, stage } from './stage.ts';

export const sourceOf = (accountId: string, given: Partial<NewSource> = {}): NewSource => ({
  id: newId('source', at(0)),
  accountId,
  name: 'A feed \ud800',
  kind: 'feeds',
  options: { urls: ['https://a.example/feed'] },
  platforms: ['firehose'],
  isPaused: false,
  fetchKey: 'key',
  everyMs: 60_000,
  slowestMs: 240_000,
  createdAt: at(0),
  host: 'a.example',
  shard: 1,
  ...given,
});

export const visitOf = (
  { fetchKey, id, accountId }: NewSource,
  now: Date,
  given: Partial<SourceVisit> = {},
): SourceVisit => ({
  key: fetchKey,
  visits: 0,
  at: now,
  dueAt: at(0),
  nextAt: new Date(now.getTime() + 60_000),
  intervalMs: 60_000,
  failures: 0,
  status: 'ok',
  lastGoodAt: now,
  lastError: undefined,
  rate: 1.5,
  owners: [{ sourceId: id, accountId, events: 2, bytes: 100, fetches: 3 }],
  ...given,
});

const NOTHING = { hosts: [], accounts: [] };
const NEXT = { by: at(60_000), most: 10 };

const servedOf = ({ id, accountId }: NewSource) => ({ sourceId: id, accountId, events: 0, bytes: 0, fetches: 0 });

export function sourceCases(open: Open): void {
  it('keeps the sources of an account with what visits found, up to a limit', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const source = sourceOf(account.id, { secret: 'sealed' });
    expect(await store.addSource(source, 1)).toBe(true);
    expect(await store.addSource(sourceOf(account.id), 1)).toBe(false);
    const { host: _, shard: __, ...chosen } = source;
    const waiting = {
      status: 'waiting',
      lastGoodAt: undefined,
      lastError: undefined,
      nextAt: at(0),
      rate: 0,
      events: 0,
    };
    expect(await collect(store.accountSources(account.id))).toEqual([{ ...chosen, ...waiting }]);
    const lastError = { at: at(5), message: 'It answered 500.' };
    await store.noteVisits([visitOf(source, at(5), { status: 'failing', lastError, lastGoodAt: undefined })]);
    expect(await store.accountSource(account.id, source.id)).toMatchObject({ status: 'failing', lastError, events: 2 });
    expect(await store.sourceUse([account.id], at(5))).toEqual(new Map([[account.id, { bytes: 100, fetches: 3 }]]));
  });

  it('lists the sources of an account a few at a time, and each of them once', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const { account: other } = await addOther(store);
    for (let index = 0; index < 20; index++) await store.addSource(sourceOf(account.id, { name: String(index) }), 100);
    await store.addSource(sourceOf(other.id), 100);
    const slices: StoredSource[][] = [];
    for await (const slice of store.accountSources(account.id)) slices.push(slice);
    expect(slices.flat().map(({ name }) => name)).toEqual(Array.from({ length: 20 }, (_, index) => String(index)));
    expect(Math.max(...slices.map(({ length }) => length))).toBe(10);
    expect([await store.countSources(account.id), await store.countSources('nobody')]).toEqual([20, 0]);
  });

  it('says of the sources of an account together up to when all were read, and names one that nobody visits', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const { account: other } = await addOther(store);
    const feed = (late = at(0)) => store.ownFeed(account.id, 'firehose', late);
    await store.addSource(sourceOf(other.id), 10);
    const paused = sourceOf(account.id, { isPaused: true, fetchKey: 'paused' });
    await store.addSource(paused, 10);
    expect(await feed()).toBeUndefined();
    const one = sourceOf(account.id, { fetchKey: 'one', createdAt: at(1) });
    const two = sourceOf(account.id, { fetchKey: 'two', createdAt: at(2), platforms: ['x', 'firehose'] });
    for (const source of [one, two]) await store.addSource(source, 10);
    expect(await feed()).toEqual({ since: at(1), through: undefined, late: undefined });
    await store.noteVisits([visitOf(one, at(9), { dueAt: at(1) })]);
    expect(await feed()).toEqual({ since: at(1), through: undefined, late: undefined });
    await store.noteVisits([visitOf(two, at(8), { dueAt: at(2) })]);
    expect(await feed()).toEqual({ since: at(1), through: at(8), late: undefined });
    expect(await store.ownFeed(account.id, 'x', at(0))).toMatchObject({ since: at(2), through: at(8) });
    expect(await feed(at(60_008))).toMatchObject({ late: undefined });
    expect(await feed(at(60_009))).toMatchObject({ late: two.id });
  });

  it('counts fetches by hour and bytes by day, each for its account, and forgets old hours', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const { account: other } = await addOther(store);
    const hour = 3_600_000;
    const count = (accountId: string, milliseconds: number) =>
      store.countSourceUse({ accountId, bytes: 10, fetches: 2 }, at(milliseconds));
    for (const milliseconds of [0, 1, hour]) await count(account.id, milliseconds);
    await count(other.id, 0);
    expect(await store.sourceUse([account.id], at(0))).toEqual(new Map([[account.id, { bytes: 30, fetches: 4 }]]));
    expect((await store.sourceUse([account.id, other.id], at(hour))).get(other.id)).toEqual({ bytes: 10, fetches: 0 });
    await count(account.id, 4 * hour);
    expect((await store.sourceUse([account.id], at(0))).get(account.id)!.fetches).toBe(0);
  });

  it('tells who was left out of a visit and since when, until that one is served again', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const { account: other } = await addOther(store);
    const [mine, theirs] = [sourceOf(account.id), sourceOf(other.id)];
    for (const source of [mine, theirs]) await store.addSource(source, 10);
    const waiting = (since: Date) => [{ sourceId: mine.id, message: 'It waits \ud800.', since }];
    await store.noteVisits([visitOf(theirs, at(2), { waiting: waiting(at(1)) })]);
    await store.noteVisits([visitOf(theirs, at(4), { visits: 1, waiting: waiting(at(3)) })]);
    const [waits] = await collect(store.accountSources(account.id));
    expect(waits).toMatchObject({ status: 'waiting', lastError: { at: at(1), message: 'It waits \ud800.' } });
    expect(await collect(store.accountSources(other.id))).toMatchObject([{ status: 'ok', lastError: undefined }]);
    expect(await store.fetchOwners('key')).toMatchObject([
      { isFresh: true, waitsSince: at(1) },
      { isFresh: false, waitsSince: undefined },
    ]);
    // All go on from where they were when nobody was served.
    await store.noteVisits([visitOf(theirs, at(5), { visits: 2, owners: [] })]);
    expect(await store.fetchOwners('key')).toMatchObject([{ isFresh: true }, { isFresh: false }]);
    await store.noteVisits([visitOf(mine, at(6), { visits: 3, owners: [mine, theirs].map(servedOf) })]);
    expect(await collect(store.accountSources(account.id))).toMatchObject([{ status: 'ok', lastError: undefined }]);
  });

  it('keeps the sources of an account from others, and one visit for both of the same key', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const { account: other } = await addOther(store);
    const [mine, theirs] = [sourceOf(account.id), sourceOf(other.id, { everyMs: 30_000 })];
    await store.addSource(mine, 10);
    await store.addSource(theirs, 10);
    expect((await collect(store.accountSources(account.id))).map(({ id }) => id)).toEqual([mine.id]);
    expect(await store.countSources(account.id)).toBe(1);
    expect(await store.accountSource(account.id, theirs.id)).toBeUndefined();
    expect(await store.deleteSource(account.id, theirs.id, at(1))).toBe(false);
    expect(await store.changeSource({ ...theirs, accountId: account.id, name: 'mine' }, at(1))).toBe(false);
    const fetches = await store.nextFetches([1], NOTHING, NEXT);
    expect(fetches).toMatchObject([{ key: 'key', everyMs: 30_000, host: 'a.example', visits: 0 }]);
    expect(await store.nextFetches([2], NOTHING, NEXT)).toEqual([]);
    expect(await store.nextFetches([1], { ...NOTHING, hosts: ['a.example'] }, NEXT)).toEqual([]);
    expect(await store.fetchOwners('key')).toMatchObject([
      { sourceId: mine.id, accountId: account.id, isFresh: false },
      { sourceId: theirs.id, accountId: other.id, isFresh: false },
    ]);
    await store.noteVisits([visitOf(mine, at(2), { owners: [mine, theirs].map(servedOf) })]);
    const third = sourceOf(other.id, { id: 'source_third' });
    await store.addSource(third, 10);
    expect(await store.fetchOwners('key')).toMatchObject([{ isFresh: false }, { isFresh: false }, { isFresh: true }]);
  });

  it('ends the visits and forgets their cursors with the last owner', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const { account: other } = await addOther(store);
    const [mine, theirs] = [sourceOf(account.id), sourceOf(other.id)];
    await store.addSource(mine, 10);
    await store.addSource(theirs, 10);
    for (const name of ['source:key', 'source:key https://a.example/feed', 'source:keys', 'source:ke'])
      await store.commit({ platform: 'firehose', at: at(1), events: [], cursor: { name, value: 'v' } });
    expect(await store.deleteSource(account.id, mine.id, at(2))).toBe(true);
    expect(await store.cursor('source:key https://a.example/feed')).toBe('v');
    expect(await store.nextFetches([1], NOTHING, NEXT)).toHaveLength(1);
    expect(await store.deleteSource(other.id, theirs.id, at(3))).toBe(true);
    expect(await store.nextFetches([1], NOTHING, NEXT)).toEqual([]);
    const left = ['source:key', 'source:key https://a.example/feed', 'source:keys', 'source:ke'];
    expect(await Promise.all(left.map((name) => store.cursor(name)))).toEqual([undefined, undefined, 'v', 'v']);
  });

  it('begins without cursors that a visit stored after the last owner had gone', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const storeCursor = (name: string) =>
      store.commit({ platform: 'firehose', at: at(1), events: [], cursor: { name, value: 'v' } });
    for (const name of ['source:key https://a.example/feed', 'source:keys']) await storeCursor(name);
    await store.addSource(sourceOf(account.id), 10);
    expect(await store.cursor('source:key https://a.example/feed')).toBeUndefined();
    expect(await store.cursor('source:keys')).toBe('v');
    await storeCursor('source:key');
    await store.addSource(sourceOf(account.id), 10);
    expect(await store.cursor('source:key')).toBe('v');
  });

  it('lets owners for whom nothing could be read go on as if there had been no visit', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const { account: other } = await addOther(store);
    const [mine, theirs] = [sourceOf(account.id), sourceOf(other.id)];
    for (const source of [mine, theirs]) await store.addSource(source, 10);
    const waiting = [{ sourceId: mine.id, message: 'It waits.', since: at(1) }];
    await store.noteVisits([visitOf(theirs, at(2), { waiting })]);
    const unread = [mine, theirs].map((source) => ({ ...servedOf(source), isUnread: true }));
    await store.noteVisits([visitOf(theirs, at(3), { visits: 1, owners: unread })]);
    expect(await store.fetchOwners('key')).toMatchObject([
      { isFresh: true, waitsSince: at(1) },
      { isFresh: false, waitsSince: undefined },
    ]);
    expect(await collect(store.accountSources(account.id))).toMatchObject([{ status: 'ok', lastError: undefined }]);
    await store.noteVisits([visitOf(theirs, at(4), { visits: 2, owners: [mine, theirs].map(servedOf) })]);
    const settled = { isFresh: false, waitsSince: undefined };
    expect(await store.fetchOwners('key')).toMatchObject([settled, settled]);
  });

  it('stores the gaps of a visit with it, of sources that are still visited', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const [kept, gone, paused] = [sourceOf(account.id), sourceOf(account.id), sourceOf(account.id)];
    for (const source of [kept, paused]) await store.addSource(source, 10);
    await store.changeSource({ ...paused, isPaused: true }, at(1));
    const gap = { platform: 'firehose', accountId: account.id, from: at(0), cause: 'source_down' } as const;
    const gapsOf = (to: Date | undefined) =>
      [kept, gone, paused].map(({ id }) => ({ ...gap, source: id, to, recovered: to !== undefined }));
    const noted = async () =>
      (await store.gaps({ platform: 'firehose', accountId: account.id, limit: 9 })).map(({ source, to }) => [
        source,
        to,
      ]);
    expect(await store.noteVisits([visitOf(kept, at(2), { visits: 7, gaps: gapsOf(undefined) })])).toEqual([false]);
    expect(await noted()).toEqual([]);
    await store.noteVisits([visitOf(kept, at(2), { gaps: gapsOf(undefined) })]);
    expect(await noted()).toEqual([[kept.id, undefined]]);
    const gapFrom = async (key: string) => (await store.fetchOwners(key)).map((owner) => owner.gapFrom);
    expect(await gapFrom('key')).toEqual([at(0)]);
    await store.changeSource(paused, at(2));
    expect(await gapFrom('key')).toEqual([at(0), undefined]);
    await store.noteVisits([visitOf(kept, at(3), { visits: 1, gaps: gapsOf(at(3)) })]);
    expect(await gapFrom('key')).toEqual([undefined, undefined]);
    expect(new Map((await noted()) as [string, Date][])).toEqual(new Map([kept, paused].map(({ id }) => [id, at(3)])));
  });

  it('ends the gap of a source that is changed to another address, which it joins then', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const source = sourceOf(account.id);
    await store.addSource(source, 10);
    const gap = { platform: 'firehose', accountId: account.id, source: source.id, from: at(1), to: undefined } as const;
    await store.noteVisits([visitOf(source, at(2), { gaps: [{ ...gap, cause: 'source_down', recovered: false }] })]);
    const of = async (key: string) =>
      (await store.fetchOwners(key)).map(({ joinedAt, gapFrom }) => [joinedAt, gapFrom]);
    await store.changeSource({ ...source, name: 'Another name' }, at(3));
    expect(await of('key')).toEqual([[at(0), at(1)]]);
    await store.changeSource({ ...source, fetchKey: 'other' }, at(4));
    expect(await of('other')).toEqual([[at(4), undefined]]);
    expect(await store.gaps({ platform: 'firehose', accountId: account.id, limit: 9 })).toMatchObject([{ to: at(4) }]);
  });

  it('does not visit what all owners have paused, and lets one that comes back read anew', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const { account: other } = await addOther(store);
    const [mine, theirs] = [sourceOf(account.id), sourceOf(other.id)];
    await store.addSource(mine, 10);
    await store.changeSource({ ...mine, isPaused: true }, at(1));
    expect(await store.nextFetches([1], NOTHING, NEXT)).toEqual([]);
    expect(await store.accountSource(account.id, mine.id)).toMatchObject({ status: 'paused', nextAt: undefined });
    await store.addSource(theirs, 10);
    expect((await store.fetchOwners('key')).map(({ sourceId }) => sourceId)).toEqual([theirs.id]);
    await store.noteVisits([visitOf(theirs, at(2))]);
    await store.changeSource(mine, at(3));
    expect(await store.fetchOwners('key')).toMatchObject([{ isFresh: true }, { isFresh: false }]);
  });

  it('writes down a visit once, and marks those that it did not serve', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const { account: other } = await addOther(store);
    const [mine, theirs] = [sourceOf(account.id), sourceOf(other.id)];
    await store.addSource(mine, 10);
    await store.addSource(theirs, 10);
    expect(await store.noteVisits([visitOf(theirs, at(2))])).toEqual([true]);
    expect(await store.noteVisits([visitOf(theirs, at(3))])).toEqual([false]);
    expect(await store.fetchOwners('key')).toMatchObject([{ isFresh: true }, { isFresh: false }]);
    expect(await store.nextFetches([1], NOTHING, NEXT)).toMatchObject([
      { visits: 1, visitedAt: at(2), nextAt: at(60_002) },
    ]);
    // An owner that comes during a visit is not put off by it.
    const third = accountNamed('third');
    await store.addAccount(third);
    await store.addSource(sourceOf(third.id, { id: 'source_third', createdAt: at(3) }), 10);
    await store.noteVisits([visitOf(theirs, at(4), { visits: 1, dueAt: at(60_002) })]);
    expect(await store.nextFetches([1], NOTHING, NEXT)).toMatchObject([{ visits: 2, nextAt: at(3) }]);
    const both = [mine, theirs].map(servedOf);
    expect(await store.noteVisits([visitOf(theirs, at(5), { visits: 2, owners: both })])).toEqual([true]);
    expect(await store.fetchOwners('key')).toMatchObject([{ isFresh: false }, { isFresh: false }, { isFresh: true }]);
  });

  it('is visited at once for an account that begins to read it, and not when it adds it again meanwhile', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const [first, again] = [sourceOf(account.id), sourceOf(account.id, { createdAt: at(3) })];
    await store.addSource(first, 10);
    await store.noteVisits([visitOf(first, at(2))]);
    await store.addSource(again, 10);
    expect(await store.nextFetches([1], NOTHING, NEXT)).toMatchObject([{ nextAt: at(60_002) }]);
    await store.changeSource({ ...first, isPaused: true }, at(4));
    await store.changeSource({ ...again, isPaused: true }, at(4));
    await store.addSource(sourceOf(account.id, { createdAt: at(5) }), 10);
    expect(await store.nextFetches([1], NOTHING, NEXT)).toMatchObject([{ nextAt: at(5) }]);
  });

  it('gives the fetches that are due, the earliest first, and where none is the one that is next', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    for (const [fetchKey, time] of [
      ['third', 3],
      ['first', 1],
      ['second', 2],
    ] as const)
      await store.addSource(sourceOf(account.id, { fetchKey, createdAt: at(time) }), 9);
    const keys = async (by: number, most = 10) =>
      (await store.nextFetches([1], NOTHING, { by: at(by), most })).map(({ key }) => key);
    expect(await keys(0)).toEqual(['first']);
    expect(await keys(2)).toEqual(['first', 'second']);
    expect(await keys(9, 1)).toEqual(['first']);
    expect(await keys(9)).toEqual(['first', 'second', 'third']);
  });

  it('names the source of a match, and goes on after a match by the source', async () => {
    await using stand = await stage(open);
    const { store, account, rule } = stand;
    const source = sourceOf(account.id);
    await store.addSource(source, 10);
    const broughtBy = (postId: string, by: string) => {
      const one = eventOf(postId, [rule]);
      return { ...one, event: { ...one.event, source: by } };
    };
    const events = [broughtBy('1', source.id), broughtBy('2', 'push'), broughtBy('3', source.id)];
    await store.commit({ platform: 'x', at: at(1), events });
    const after = { accountId: account.id, after: 0, limit: 10 };
    expect(posts((await store.matchesAfter({ ...after, source: source.id })).matches)).toEqual(['1', '3']);
    const all = (await store.matchesAfter(after)).matches;
    expect(all.map(({ sourceName }) => sourceName)).toEqual([source.name, undefined, source.name]);
  });

  it('gives no fetch that only accounts have which have enough under way', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const { account: other } = await addOther(store);
    await store.addSource(sourceOf(account.id, { fetchKey: 'own' }), 9);
    for (const { id } of [account, other]) await store.addSource(sourceOf(id, { fetchKey: 'shared' }), 9);
    const keys = async (...accounts: string[]) =>
      (await store.nextFetches([1], { hosts: [], accounts }, NEXT)).map(({ key }) => key).toSorted();
    expect(await keys()).toEqual(['own', 'shared']);
    expect(await keys(account.id)).toEqual(['shared']);
    expect(await keys(other.id)).toEqual(['own', 'shared']);
    expect(await keys(account.id, other.id)).toEqual([]);
  });

  it('tells how many should have been visited, and since when', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    expect(await store.dueFetches(at(9))).toEqual({ due: 0, since: undefined });
    for (const [fetchKey, createdAt] of [
      ['a', at(5)],
      ['b', at(3)],
      ['c', at(20)],
    ] as const)
      await store.addSource(sourceOf(account.id, { fetchKey, createdAt }), 9);
    expect(await store.dueFetches(at(9))).toEqual({ due: 2, since: at(3) });
  });

  it('ends the gap of a source with the source, and when it is moved', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const [gone, moved, kept] = [sourceOf(account.id), sourceOf(account.id), sourceOf(account.id)];
    for (const source of [gone, moved, kept]) await store.addSource(source, 9);
    const gap = { platform: 'firehose', accountId: account.id, from: at(0), to: undefined, recovered: false } as const;
    await store.noteGaps([gone, moved, kept].map(({ id }) => ({ ...gap, source: id, cause: 'source_down' })));
    await store.deleteSource(account.id, gone.id, at(5));
    await store.changeSource({ ...moved, fetchKey: 'other' }, at(6));
    await store.changeSource({ ...kept, name: 'other' }, at(7));
    const gaps = await store.gaps({ platform: 'firehose', accountId: account.id, limit: 9 });
    expect(new Map(gaps.map(({ source, to, recovered }) => [source, [to, recovered]]))).toEqual(
      new Map([
        [gone.id, [at(5), false]],
        [moved.id, [at(6), false]],
        [kept.id, [undefined, false]],
      ]),
    );
  });
}
