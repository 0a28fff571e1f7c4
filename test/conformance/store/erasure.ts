import { expect, it } from 'vitest';
import type { Store, Tombstones } from '../../../src/store/store.ts';
import {
  addOther,
  at,
  collect,
  DAY,
  eventOf,
  listed,
  type Open,
  range,
  removeAll,
  ruleOf,
  stage,
  testClock,
} from './stage.ts';
import { webhookOf } from './webhooks.ts';

export function erasureCases(open: Open): void {
  it('never takes an erased post again, for the account that erased it', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const { account: other, rule: otherRule } = await addOther(store);
    await commit(eventOf('a', [rule, otherRule]), eventOf('b', [rule]));
    expect(await store.deleteMatches(account.id, 'x', 'a')).toBe(1);
    // It comes again from a stream, pushed by the account itself, and for a rule that is new.
    const late = ruleOf(account);
    await store.addRule(late, {});
    expect(await commit(eventOf('a', [rule, late, otherRule]))).toMatchObject({ added: 0 });
    expect(await commit(eventOf('a', [rule, late], { accountId: account.id }))).toMatchObject({ added: 0 });
    expect(await listed(store, { accountId: account.id })).toEqual(['b']);
    expect(await listed(store, { accountId: other.id })).toEqual(['a']);
    // An equal id on the other platform is another post.
    const page = ruleOf(account, { platforms: { firehose: { value: 'storm', flags: {} } } });
    await store.addRule(page, {});
    expect(await commit(eventOf('a', [page], { platform: 'firehose' }))).toMatchObject({ added: 1 });
  });

  it('refuses a post that was erased before it ever came, and a later version of an erased one', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    await store.deleteMatches(account.id, 'x', 'a');
    expect(await commit(eventOf('a', [rule]))).toMatchObject({ added: 0 });
    expect(await commit({ ...eventOf('a2', [rule]), earlier: ['a'] })).toMatchObject({ added: 0 });
  });

  it('erases for all accounts at once, and hides the post from every preview', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const { account: other, rule: otherRule } = await addOther(store);
    await commit(eventOf('a', [rule, otherRule]), eventOf('a', [], { accountId: other.id }), eventOf('b', [rule]));
    const { matches, accountIds } = await store.eraseEverywhere('x', 'a');
    expect([matches, accountIds.toSorted()]).toEqual([2, [account.id, other.id].toSorted()]);
    expect(await commit(eventOf('a', [rule, otherRule]))).toMatchObject({ added: 0 });
    expect(await commit(eventOf('a', [rule], { accountId: account.id }))).toMatchObject({ added: 0 });
    for (const { id } of [account, other]) {
      expect(await listed(store, { accountId: id })).toEqual(id === account.id ? ['b'] : []);
      expect(await recentPosts(store, id)).toEqual(['b']);
    }
    await removeAll(store, at(0));
    expect((await store.recentTotals('x')).events).toBe(1);
  });

  it('erases what a platform announced to be deleted, with every version of it', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    await commit(...['s:a', 's:a/1', 's:a/2', 's:ab', 's:b/1'].map((id) => eventOf(id, [rule])));
    expect((await store.eraseAnnounced('x', ['s:a', 's:unknown'])).matches).toBe(3);
    await commit(...['s:a', 's:a/1', 's:a/3', 's:unknown', 's:unknown/1', 's:c'].map((id) => eventOf(id, [rule])));
    expect(await listed(store, { accountId: account.id })).toEqual(['s:c', 's:b/1', 's:ab']);
    expect(await recentPosts(store, account.id)).toEqual(['s:c', 's:b/1', 's:ab']);
  });

  it('owes and delivers nothing of an erased post', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const webhook = webhookOf(account);
    await store.addWebhook(webhook, 1);
    await commit(eventOf('a', [rule]), eventOf('b', [rule]));
    const [waiting] = await store.owedMatches(webhook.id, at(60_000), 10);
    const batch = { id: 'dlv_1', webhookId: webhook.id, positions: [waiting!.position], body: '{}', at: at(2000) };
    expect(await store.freeze(batch)).toBe(true);
    await store.eraseEverywhere('x', 'a');
    expect(await store.pendingBody('dlv_1')).toBeUndefined();
    await commit(eventOf('a', [rule]));
    expect((await store.owedMatches(webhook.id, at(60_000), 10)).map((one) => one.platformPostId)).toEqual(['b']);
  });

  it('remembers for as long as it is told, longer for what it held than for what it did not', async () => {
    const clock = testClock();
    await using stand = await stage(open, { clock, retentionDays: 1, erasureDays: 10 });
    const { store, account, rule, commit } = stand;
    await commit(eventOf('held', [rule]));
    await store.deleteMatches(account.id, 'x', 'a');
    await store.eraseAnnounced('x', ['held', 'not-held']);
    const refused = async (time: number) => {
      await removeAll(store, new Date(clock.at + time));
      const { tombstones } = await store.tombstones('', 10);
      return tombstones.length;
    };
    expect(await refused(3 * DAY)).toBe(3);
    expect(await refused(5 * DAY)).toBe(2);
    expect(await refused(9 * DAY)).toBe(2);
    expect(await refused(11 * DAY)).toBe(0);
  });

  it('remembers for the longest of the times that it was told', async () => {
    const clock = testClock();
    await using stand = await stage(open, { clock, retentionDays: 1, erasureDays: 10 });
    const { store, rule, commit } = stand;
    await commit(eventOf('held', [rule]));
    await store.eraseAnnounced('x', ['held']);
    // It is held no more, for which the time is shorter.
    await store.eraseAnnounced('x', ['held']);
    await removeAll(store, new Date(clock.at + 9 * DAY));
    expect((await store.tombstones('', 10)).tombstones).toHaveLength(1);
  });

  it('takes no erasures of an account that is not there', async () => {
    await using before = await stage(open);
    await before.commit(eventOf('own', [before.rule]));
    await before.store.deleteMatches(before.account.id, 'x', 'own');
    await before.store.eraseEverywhere('x', 'all');
    await using other = await open();
    expect(await other.addTombstones(await exported(before.store))).toBe(true);
    expect((await exported(other)).tombstones.map(({ accountId }) => accountId)).toEqual([undefined]);
  });

  it('applies to a restored backup what was erased since', async () => {
    await using before = await stage(open);
    const { account, rule } = before;
    const events = [...range(20).map((index) => eventOf(`${index}`, [rule])), eventOf('s:a/1', [rule])];
    await before.commit(...events);
    await before.store.deleteMatches(account.id, 'x', '3');
    await before.store.eraseEverywhere('x', '4');
    await before.store.eraseAnnounced('x', ['s:a']);
    const saved = await exported(before.store);
    expect(saved.tombstones).toHaveLength(3);
    expect(JSON.stringify(saved)).not.toContain('s:a');
    // The backup is from before the erasures, and from before the key.
    await using restored = await open();
    await restored.addAccount(account);
    await restored.addRule(rule, {});
    await restored.commit({ platform: 'x', at: at(1000), events });
    // PostgreSQL keeps recent events after the commit: they are there before the tombstones come.
    expect(await recentPosts(restored, account.id)).toHaveLength(21);
    expect(await restored.addTombstones(saved)).toBe(true);
    let [erased, from]: [number, number | undefined] = [0, 0];
    while (from !== undefined) {
      const slice = await restored.applyTombstones(from);
      [erased, from] = [erased + slice.erased, slice.next];
    }
    expect(erased).toBe(3);
    const left = await listed(restored, { accountId: account.id });
    expect(left.filter((post) => ['3', '4', 's:a/1'].includes(post))).toEqual([]);
    expect(left).toHaveLength(18);
    expect(await recentPosts(restored, account.id)).toEqual([]);
    // Push and replay bring none of it back.
    expect(await restored.commit({ platform: 'x', at: at(2000), events })).toMatchObject({ added: 0 });
    expect(await exported(restored)).toEqual(saved);
    expect(await restored.addTombstones({ ...saved, key: 'another' })).toBe(false);
  });
}

async function recentPosts(store: Store, accountId: string): Promise<string[]> {
  return (await collect(store.recentEvents(accountId, 'x', 100))).map(({ event }) => event.postId);
}

/** All of them, in slices of two. */
async function exported(store: Store): Promise<Tombstones> {
  const all = [];
  let slice = await store.tombstones('', 2);
  for (; slice.tombstones.length > 0; slice = await store.tombstones(all.at(-1)!.digest, 2))
    all.push(...slice.tombstones);
  return { key: slice.key, tombstones: all };
}
