import { expect, it } from 'vitest';
import type { Platform } from '../../../src/domain/platform.ts';
import type { Store } from '../../../src/store/store.ts';
import { addOther, at, collect, eventOf, type Open, range, stage } from './stage.ts';

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
    const { store, account, commit } = stand;
    for (const index of range(25)) await commit(eventOf(`${index}`, []));
    expect(await recentOf(store, account.id)).toEqual(range(10).map((index) => `${24 - index}`));
    expect((await store.recentTotals('x')).events).toBe(10);
  });

  it('keeps within its bytes', async () => {
    await using stand = await stage(open, { recent: { bytes: 5000 } });
    const { store, account, commit } = stand;
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
}
