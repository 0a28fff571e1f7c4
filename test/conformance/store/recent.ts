import { expect, it } from 'vitest';
import type { Platform } from '../../../src/domain/platform.ts';
import type { CommitEvent, Store } from '../../../src/store/store.ts';
import { addOther, at, collect, eventOf, type Open, range, removeAll, stage } from './stage.ts';

/** Commits whose events are each a row of the ring: a store may put those of several commits into one. */
const keptBy =
  ({ store, commit }: Awaited<ReturnType<typeof stage>>) =>
  async (...events: CommitEvent[]) => {
    await commit(...events);
    await store.recentKept();
  };

export function recentCases(open: Open): void {
  const recentOf = async (store: Store, accountId: string, limit = 1000, platform: Platform = 'x') =>
    (await collect(store.recentEvents(accountId, platform, limit))).map(({ event }) => event.postId);

  it('keeps events whether they matched or not, newest first', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    await commit(eventOf('a', []), eventOf('b', [rule]));
    await commit(eventOf('c', []));
    await commit(eventOf('f', [], { platform: 'firehose' }));
    expect(await recentOf(store, account.id)).toEqual(['c', 'b', 'a']);
    expect(await recentOf(store, account.id, 2)).toEqual(['c', 'b']);
    expect(await recentOf(store, account.id, 0)).toEqual([]);
    expect(await recentOf(store, account.id, 10, 'firehose')).toEqual(['f']);
    const [newest] = await collect(store.recentEvents(account.id, 'x', 1));
    expect(newest).toEqual({ event: eventOf('c', []).event, at: at(2000) });
    expect((await store.recentTotals('x')).events).toBe(3);
  });

  it("shows everybody's events and the account's own, not another's", async () => {
    await using stand = await stage(open);
    const { store, account, commit } = stand;
    const { account: other } = await addOther(store);
    await commit(
      eventOf('shared', []),
      eventOf('mine', [], { accountId: account.id }),
      eventOf('theirs', [], { accountId: other.id }),
    );
    expect(await recentOf(store, account.id)).toEqual(['mine', 'shared']);
    expect(await recentOf(store, other.id)).toEqual(['theirs', 'shared']);
    const [mine] = await collect(store.recentEvents(account.id, 'x', 1));
    expect(mine!.event.accountId).toBe(account.id);
  });

  it('keeps the last so many', async () => {
    await using stand = await stage(open, { recent: { events: 10 } });
    const { store, account } = stand;
    const commit = keptBy(stand);
    for (const index of range(25)) await commit(eventOf(`${index}`, []));
    expect(await recentOf(store, account.id)).toEqual(range(10).map((index) => `${24 - index}`));
    expect((await store.recentTotals('x')).events).toBe(10);
  });

  it('keeps within its bytes', async () => {
    await using stand = await stage(open, { recent: { bytes: 5000 } });
    const { store, account } = stand;
    const commit = keptBy(stand);
    for (const index of range(30)) await commit(eventOf(`${index}`, [], { text: 'ä'.repeat(200) }));
    const { events, bytes } = await store.recentTotals('x');
    expect(bytes).toBeLessThanOrEqual(5000);
    expect(bytes).toBeGreaterThan(4000);
    expect(await recentOf(store, account.id)).toHaveLength(events);
  });

  it('gives a large ring in slices', async () => {
    await using stand = await stage(open);
    const { store, account, commit } = stand;
    for (const start of range(5))
      await commit(...range(300).map((index) => eventOf(`${start * 300 + index}`, [], { text: 'long '.repeat(300) })));
    const sizes: number[] = [];
    const found: string[] = [];
    for await (const slice of store.recentEvents(account.id, 'x', 5000)) {
      sizes.push(slice.length);
      found.push(...slice.map(({ event }) => event.postId));
    }
    expect(Math.max(...sizes)).toBeLessThanOrEqual(200);
    expect(found).toEqual(range(1500).map((index) => `${1499 - index}`));
  });

  it('is off when it may hold nothing', async () => {
    await using stand = await stage(open, { recent: { events: 0 } });
    await stand.commit(eventOf('a', [stand.rule]));
    expect(await recentOf(stand.store, stand.account.id)).toEqual([]);
  });

  it("keeps everybody's events and those of others, however many an account pushes", async () => {
    await using stand = await stage(open, { recent: { events: 10 } });
    const { store, account } = stand;
    const { account: other } = await addOther(store);
    const commit = keptBy(stand);
    const shared = range(10).map((index) => `shared ${index}`);
    const theirs = range(3).map((index) => `theirs ${index}`);
    for (const post of shared) await commit(eventOf(post, []));
    for (const post of theirs) await commit(eventOf(post, [], { accountId: other.id }));
    for (const index of range(40)) await commit(eventOf(`mine ${index}`, [], { accountId: account.id }));
    expect(await recentOf(store, other.id)).toEqual([...shared, ...theirs].toReversed());
    const mine = range(7).map((index) => `mine ${39 - index}`);
    expect(await recentOf(store, account.id)).toEqual([...mine, ...shared.toReversed()]);
    expect((await store.recentTotals('x')).events).toBe(20);
    await commit(...range(40).map((index) => eventOf(`new ${index}`, [])));
    expect((await recentOf(store, other.id)).filter((post) => post.startsWith('theirs'))).toHaveLength(3);
  });

  it('takes from the account that holds most when another pushes', async () => {
    await using stand = await stage(open, { recent: { events: 10, bytes: 2_000 } });
    const { store, account } = stand;
    const commit = keptBy(stand);
    const { account: other } = await addOther(store);
    const push = (accountId: string, post: string, text = '') => commit(eventOf(post, [], { accountId, text }));
    for (const index of range(20)) await push(account.id, `mine ${index}`);
    for (const index of range(8)) await push(other.id, `theirs ${index}`);
    expect(await recentOf(store, account.id)).toHaveLength(5);
    expect(await recentOf(store, other.id)).toHaveLength(5);
    // By bytes too: one long event after the other.
    for (const index of range(8)) await push(other.id, `long ${index}`, 'long '.repeat(200));
    expect(await recentOf(store, account.id)).toHaveLength(5);
    expect((await store.recentTotals('x')).bytes).toBeLessThanOrEqual(2_000);
  });

  it('hides what an account has erased, also when it comes again', async () => {
    await using stand = await stage(open);
    const { store, account, commit } = stand;
    const { account: other } = await addOther(store);
    const own = { accountId: account.id };
    await commit(eventOf('a', []), eventOf('a"', [], own), eventOf('b', [], own), eventOf('a\\', [], own));
    await commit(eventOf('a"', [], { accountId: other.id }));
    for (const post of ['a', 'a"', 'a\\', 'unknown']) await store.deleteMatches(account.id, 'x', post);
    expect(await recentOf(store, account.id)).toEqual(['b']);
    await removeAll(store, at(0));
    expect(await recentOf(store, account.id)).toEqual(['b']);
    expect(await recentOf(store, other.id)).toEqual(['a"', 'a']);
    expect((await store.recentTotals('x')).events).toBe(3);
    await commit(eventOf('a', []), eventOf('a"', [], own));
    expect(await recentOf(store, account.id)).toEqual(['b']);
    expect(await recentOf(store, other.id)).toEqual(['a', 'a"']);
  });

  it('loses of what came before an erasure nothing but the post, however it came', async () => {
    await using stand = await stage(open);
    const { store, account, commit } = stand;
    const own = { accountId: account.id };
    for (const post of ['a', 'b', 'c', 'd']) await commit(eventOf(post, [], own));
    await store.deleteMatches(account.id, 'x', 'b');
    await removeAll(store, at(0));
    expect(await recentOf(store, account.id)).toEqual(['d', 'c', 'a']);
    expect((await store.recentTotals('x')).events).toBe(3);
  });

  it('hides all up to now from an account that erases more posts than it keeps track of', async () => {
    const erased = 5;
    await using stand = await stage(open, { recent: { erased } });
    const { store, account, commit } = stand;
    const { account: other } = await addOther(store);
    await commit(eventOf('shared', []), eventOf('own', [], { accountId: account.id }));
    for (const index of range(erased)) await store.deleteMatches(account.id, 'x', `${index}`);
    expect(await recentOf(store, account.id)).toEqual(['own', 'shared']);
    await store.deleteMatches(account.id, 'x', 'one more');
    expect(await recentOf(store, account.id)).toEqual([]);
    expect(await recentOf(store, other.id)).toEqual(['shared']);
    await removeAll(store, at(0));
    expect((await store.recentTotals('x')).events).toBe(1);
    await commit(eventOf('later', []));
    expect(await recentOf(store, account.id)).toEqual(['later']);
  });
}
