import { expect, it } from 'vitest';
import {
  addOther,
  at,
  collect,
  DAY,
  eventOf,
  listed,
  MINUTE,
  type Open,
  range,
  removeAll,
  ruleOf,
  stage,
} from './stage.ts';
import { webhookOf } from './webhooks.ts';

export function removalCases(open: Open): void {
  it('takes a deleted rule away in slices, and leaves what others hold', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const kept = ruleOf(account);
    await store.addRule(kept, {});
    await commit(...range(3500).map((index) => eventOf(`${index}`, index < 10 ? [rule, kept] : [rule])));
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
    const { latest, matches: before } = await store.matches({ accountId: account.id, limit: 1000 });
    const [firstKept, lastGone] = [before[299]!.position, before[300]!.position];
    expect(await store.oldest()).toBe(0);
    expect((await store.retentionBacklog(at(3 * DAY + MINUTE))).lateMs).toBe(DAY + MINUTE);
    await removeAll(store, at(3 * DAY + MINUTE));
    expect((await store.retentionBacklog(at(3 * DAY + MINUTE))).lateMs).toBe(0);
    const left = await listed(store, { accountId: account.id });
    expect(new Set(left.map((post) => post.split(' ')[0]))).toEqual(new Set(['2', '3']));
    expect(left).toHaveLength(300);
    const oldest = await store.oldest();
    // A cursor before the last that went has missed it; one after it has missed nothing.
    expect(oldest).toBeGreaterThan(lastGone);
    expect(oldest).toBeLessThanOrEqual(firstKept);
    expect(oldest).toBeLessThan(latest);
    expect((await store.matchesAfter({ accountId: account.id, after: oldest - 1, limit: 1000 })).matches).toHaveLength(
      300,
    );
    const { matchCount, lastMatchAt } = (await store.rule(account.id, rule.id))!.platforms.x!;
    expect({ matchCount, lastMatchAt }).toEqual({ matchCount: 600, lastMatchAt: at(3 * DAY) });
    const counts = await store.matchCounts({ accountId: account.id, from: at(0), to: at(4 * DAY), seconds: 86_400 });
    expect(counts.map(({ count }) => count)).toEqual([150, 150]);
  });

  it('is not late when nothing is stored, and when all is younger than it is kept', async () => {
    await using stand = await stage(open, { retentionDays: 2 });
    const { store, rule } = stand;
    expect(await store.retentionBacklog(at(0))).toEqual({ lateMs: 0 });
    await store.commit({ platform: 'x', at: at(0), events: [eventOf('a', [rule])] });
    expect(await store.retentionBacklog(at(DAY))).toEqual({ lateMs: 0 });
    expect(await store.retentionBacklog(at(2 * DAY))).toEqual({ lateMs: 0 });
    expect(await store.retentionBacklog(at(2 * DAY + 3 * MINUTE))).toEqual({ lateMs: 3 * MINUTE });
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
    expect(await store.deleteMatches('acct_unknown', 'x', 'a')).toBe(0);
    expect(await store.deleteMatches(account.id, 'x', 'a')).toBe(2);
    expect(await store.deleteMatches(account.id, 'x', 'a')).toBe(0);
    expect((await listed(store, { accountId: account.id })).toSorted()).toEqual(['a"', 'b']);
    expect(await listed(store, { accountId: otherAccount.id })).toEqual(['a']);
    const seen = async (accountId: string) =>
      (await collect(store.recentEvents(accountId, 'x', 100))).map(({ event }) => event.postId);
    expect(await seen(account.id)).toEqual(['a"', 'b']);
    expect(await seen(otherAccount.id)).toEqual(['a', 'a"', 'b']);
    await removeAll(store, at(0));
    expect(await seen(account.id)).toEqual(['a"', 'b']);
    expect(await seen(otherAccount.id)).toEqual(['a', 'a"', 'b']);
    // Only the account's own of the five lines is gone.
    expect((await store.recentTotals('x')).events).toBe(4);
    expect(await store.deleteMatches(account.id, 'x', 'a"')).toBe(1);
    await store.check();
  });

  it('removes more matches than a slice holds, with what webhooks were owed of them', async () => {
    await using stand = await stage(open, { retentionDays: 2 });
    const { store, account, rule } = stand;
    await store.addWebhook(webhookOf(account), 10);
    const total = 4_100;
    await store.commit({
      platform: 'x',
      at: at(0),
      events: range(total).map((index) => eventOf(`${index}`, [rule])),
    });
    await store.commit({ platform: 'x', at: at(2 * DAY), events: [eventOf('kept', [rule])] });
    expect(await removeAll(store, at(3 * DAY))).toBeGreaterThan(3);
    expect(await listed(store, { accountId: account.id })).toEqual(['kept']);
    expect(await store.owedBacklog(10)).toMatchObject([{ matches: 1, since: at(2 * DAY) }]);
    const counts = await store.matchCounts({ accountId: account.id, from: at(0), to: at(3 * DAY), seconds: 86_400 });
    expect(counts.map(({ count }) => count)).toEqual([1]);
    // A match that is gone may come again.
    expect(
      await store.commit({ platform: 'x', at: at(3 * DAY), events: [eventOf('0', [rule]), eventOf('kept', [rule])] }),
    ).toMatchObject({ added: 1, repeats: 1 });
  });

  it('says how much room it takes', async () => {
    await using stand = await stage(open);
    const before = await stand.store.databaseBytes();
    expect(before).toBeGreaterThan(0);
    await stand.commit(
      ...range(200).map((index) => eventOf(`${index}`, [stand.rule], { text: 'long '.repeat(2_000) })),
    );
    expect(await stand.store.databaseBytes()).toBeGreaterThan(before);
  });
}
