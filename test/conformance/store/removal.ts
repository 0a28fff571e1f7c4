import { expect, it } from 'vitest';
import { addOther, at, collect, DAY, eventOf, listed, type Open, range, removeAll, ruleOf, stage } from './stage.ts';

export function removalCases(open: Open): void {
  it('takes a deleted rule away in slices, and leaves what others hold', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const kept = ruleOf(account);
    await store.addRule(kept, {});
    await commit(...range(1000).map((index) => eventOf(`${index}`, index < 10 ? [rule, kept] : [rule])));
    await store.deleteRule(account.id, rule.id);
    expect(await removeAll(store, at(0))).toBeGreaterThan(3);
    expect(await listed(store, { accountId: account.id })).toHaveLength(10);
    expect((await store.matches({ accountId: account.id, limit: 10 })).matches[0]!.payload).toMatchObject({ data: {} });
    expect(await store.removeSlice(at(0))).toEqual({ more: false });
  });

  it('keeps matches for as many days as it is told', async () => {
    await using stand = await stage(open, { retentionDays: 2 });
    const { store, account, rule } = stand;
    for (const day of range(4)) {
      await store.commit({
        platform: 'x',
        at: at(day * DAY),
        events: range(150).map((index) => eventOf(`${day} ${index}`, [rule])),
      });
    }
    const { latest } = await store.matches({ accountId: account.id, limit: 1 });
    expect(await store.oldest()).toBe(0);
    await removeAll(store, at(3 * DAY + 1));
    const left = await listed(store, { accountId: account.id });
    expect(new Set(left.map((post) => post.split(' ')[0]))).toEqual(new Set(['2', '3']));
    expect(left).toHaveLength(300);
    const oldest = await store.oldest();
    expect(oldest).toBeGreaterThan(0);
    expect(oldest).toBeLessThan(latest);
    expect((await store.matchesAfter({ accountId: account.id, after: oldest - 1, limit: 1000 })).matches).toHaveLength(
      300,
    );
    const { matchCount, lastMatchAt } = (await store.rule(account.id, rule.id))!.platforms.x!;
    expect({ matchCount, lastMatchAt }).toEqual({ matchCount: 600, lastMatchAt: at(3 * DAY) });
    const counts = await store.matchCounts({ accountId: account.id, from: at(0), to: at(4 * DAY), seconds: 86_400 });
    expect(counts.map(({ count }) => count)).toEqual([150, 150]);
  });

  it('never gives a position out again, even when all matches have gone', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const { latest } = await commit(eventOf('a', [rule]));
    await removeAll(store, at(100 * DAY));
    expect(await listed(store, { accountId: account.id })).toEqual([]);
    expect(await store.latest()).toBe(latest);
    expect((await commit(eventOf('b', [rule]))).latest).toBeGreaterThan(latest);
  });

  it('erases what an account holds of a post, and nothing else', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const second = ruleOf(account);
    await store.addRule(second, {});
    const { account: otherAccount, rule: otherRule } = await addOther(store);
    await commit(eventOf('a', [rule, second, otherRule]), eventOf('b', [rule]), eventOf('a"', [rule]));
    await commit(eventOf('a', [], { accountId: otherAccount.id }), eventOf('a', [], { accountId: account.id }));
    expect(await store.deleteMatches(account.id, 'firehose', 'a')).toBe(0);
    expect(await store.deleteMatches(account.id, 'x', 'a')).toBe(2);
    expect(await store.deleteMatches(account.id, 'x', 'a')).toBe(0);
    expect((await listed(store, { accountId: account.id })).toSorted()).toEqual(['a"', 'b']);
    expect(await listed(store, { accountId: otherAccount.id })).toEqual(['a']);
    const seen = async (accountId: string) =>
      (await collect(store.recentEvents(accountId, 'x', 100))).map(({ event }) => event.postId);
    expect(await seen(account.id)).toEqual(['a"', 'b']);
    expect(await seen(otherAccount.id)).toEqual(['a', 'a"', 'b']);
    expect((await store.recentTotals('x')).events).toBe(3);
    expect(await store.deleteMatches(account.id, 'x', 'a"')).toBe(1);
    await store.check();
  });

  it('takes an event again that was erased', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    await commit(eventOf('a', [rule]));
    await store.deleteMatches(account.id, 'x', 'a');
    expect(await commit(eventOf('a', [rule]))).toMatchObject({ added: 1 });
    expect(await listed(store, { accountId: account.id })).toEqual(['a']);
  });
}
