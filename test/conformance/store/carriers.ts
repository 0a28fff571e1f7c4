/** Reposts, quotes and edits of erased posts. */
import { expect, it } from 'vitest';
import type { CommitEvent, Store } from '../../../src/store/store.ts';
import {
  addOther,
  at,
  collect,
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

type Rules = Parameters<typeof eventOf>[1];

/** An event with more in its payload. */
function withPayload(event: CommitEvent, data: object, includes?: object): CommitEvent {
  const post = { ...(event.event.payload?.['data'] as object), ...data };
  const payload = { data: post, ...(includes && { includes }) };
  return { ...event, event: { ...event.event, payload, json: JSON.stringify(payload) } };
}

const repost = (id: string, of: string, rules: Rules, options = {}): CommitEvent =>
  withPayload(eventOf(id, rules, options), { referenced_tweets: [{ type: 'retweeted', id: of }] });
const quote = (id: string, of: string, rules: Rules): CommitEvent =>
  withPayload(
    eventOf(id, rules),
    { referenced_tweets: [{ type: 'quoted', id: of }] },
    { tweets: [{ id: of, text: 'said before' }] },
  );
const edit = (id: string, of: string, rules: Rules): CommitEvent =>
  withPayload({ ...eventOf(id, rules), earlier: [of] }, { edit_history_tweet_ids: [of, id] });
/** It names the post and has nothing of its text. */
const mention = (id: string, of: string, rules: Rules): CommitEvent =>
  withPayload(eventOf(id, rules), { referenced_tweets: [{ type: 'quoted', id: of }] });

const all = (of: string, rules: Rules): CommitEvent[] => [
  repost('repost', of, rules),
  quote('quote', of, rules),
  edit('edit', of, rules),
  repost('repost-of-edit', 'edit', rules),
  mention('mention', of, rules),
];

const recentPosts = async (store: Store, accountId: string): Promise<string[]> =>
  (await collect(store.recentEvents(accountId, 'x', 100))).map(({ event }) => event.postId).toSorted();

const changesOf = async (store: Store, accountId: string) => (await store.changes({ accountId, limit: 100 })).changes;

const by = { kind: 'key', keyId: 'key_1', keyName: 'first key' } as const;

export function carrierCases(open: Open): void {
  it('erases reposts, quotes and edits with the post, and nothing that only names it', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const { account: other, rule: otherRule } = await addOther(store);
    await commit(eventOf('a', [rule, otherRule]), ...all('a', [rule, otherRule]));
    expect(await store.deleteMatches(account.id, 'x', 'a')).toBe(5);
    expect(await listed(store, { accountId: account.id })).toEqual(['mention']);
    expect(await recentPosts(store, account.id)).toEqual(['mention']);
    expect(await listed(store, { accountId: other.id })).toHaveLength(6);
    expect(await store.eraseEverywhere('x', 'a')).toEqual({ matches: 5, accountIds: [other.id] });
    expect(await listed(store, { accountId: other.id })).toEqual(['mention']);
    expect(await recentPosts(store, other.id)).toEqual(['mention']);
    await removeAll(store, at(0));
    expect((await store.recentTotals('x')).events).toBe(2);
  });

  it('refuses them when they come later, with a match and without', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const { account: other, rule: otherRule } = await addOther(store);
    await store.deleteMatches(account.id, 'x', 'a');
    await store.eraseAnnounced('x', ['b']);
    const { added } = await commit(
      repost('r', 'a', [rule, otherRule]),
      quote('q', 'a', [rule]),
      edit('e', 'a', [rule]),
    );
    expect(added).toBe(1);
    expect(await commit(repost('rb', 'b', [rule]), quote('qb', 'b', [rule]), edit('eb', 'b', [rule]))).toMatchObject({
      added: 0,
    });
    await commit(
      quote('unmatched', 'a', []),
      quote('unmatched-b', 'b', []),
      repost('mine', 'a', [], { accountId: account.id }),
    );
    expect(await listed(store, { accountId: account.id })).toEqual([]);
    expect(await recentPosts(store, account.id)).toEqual([]);
    expect(await listed(store, { accountId: other.id })).toEqual(['r']);
    expect(await recentPosts(store, other.id)).toEqual(['e', 'q', 'r', 'unmatched']);
  });

  it('erases what carries a post that was announced as deleted, though the post was never stored', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    await commit(repost('r', 'a', [rule]), eventOf('b', [rule]));
    const note = { id: 'ers_1', by: { kind: 'system' } as const };
    expect((await store.eraseAnnounced('x', ['unknown'], { onlyStored: true, note })).matches).toBe(0);
    expect((await store.eraseAnnounced('x', ['a'], { onlyStored: true, note })).matches).toBe(1);
    expect(await listed(store, { accountId: account.id })).toEqual(['b']);
    expect(await commit(quote('q', 'a', [rule]))).toMatchObject({ added: 0 });
    expect(await changesOf(store, account.id)).toMatchObject([
      {
        by: { kind: 'system' },
        what: 'post.erased',
        id: 'ers_1',
        after: { platform: 'x', scope: 'announced', matches: 1 },
      },
    ]);
  });

  it('owes nothing of them, in a delivery that waits or is frozen', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const webhook = webhookOf(account);
    await store.addWebhook(webhook, 1);
    await commit(repost('r', 'a', [rule]), quote('q', 'a', [rule]), eventOf('b', [rule]));
    const [first] = await store.owedMatches(webhook.id, at(60_000), 10);
    await store.freeze({ id: 'dlv_1', webhookId: webhook.id, positions: [first!.position], body: '{}', at: at(2000) });
    await store.deleteMatches(account.id, 'x', 'a');
    expect(await store.pendingBody('dlv_1')).toBeUndefined();
    expect((await store.owedMatches(webhook.id, at(60_000), 10)).map((one) => one.platformPostId)).toEqual(['b']);
  });

  it('leaves no story to a repost: the next match is its first', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const text = 'lava flows through the southern village tonight';
    await commit(repost('r', 'a', [rule], { text }));
    await commit(eventOf('b', [rule], { text: `${text} again` }));
    const stories = async () => (await store.stories({ accountId: account.id, limit: 10 })).stories;
    expect(await stories()).toHaveLength(1);
    await store.deleteMatches(account.id, 'x', 'a');
    expect((await stories()).map(({ first, size }) => [first.platformPostId, size])).toEqual([['b', 1]]);
  });

  it('goes on in slices, over a crash, and notes all of it once', async () => {
    const clock = testClock();
    let calls = Number.POSITIVE_INFINITY;
    const now = () => {
      if (calls-- <= 0) throw new Error('the process has ended');
      return new Date(clock.at);
    };
    await using stand = await stage(open, { clock: { ...clock, now } });
    const { store, account, rule, commit } = stand;
    const { account: other } = await addOther(store);
    await commit(eventOf('a', [rule]), eventOf('b', [rule]));
    for (const part of range(3)) await commit(...range(150).map((index) => repost(`${part}-${index}`, 'a', [rule])));
    calls = 2;
    await expect(store.deleteMatches(account.id, 'x', 'a', { id: 'ers_1', by, accountId: account.id })).rejects.toThrow(
      'has ended',
    );
    calls = Number.POSITIVE_INFINITY;
    expect(await listed(store, { accountId: account.id })).toHaveLength(251);
    expect(await changesOf(store, account.id)).toEqual([]);
    expect([await store.isErasing(account.id), await store.isErasing(other.id)]).toEqual([true, false]);
    // The rest is left to others for a minute, and then done by housekeeping.
    await removeAll(store, new Date(clock.at + 59_000));
    expect(await listed(store, { accountId: account.id })).toHaveLength(251);
    await removeAll(store, new Date(clock.at + 61_000));
    expect(await listed(store, { accountId: account.id })).toEqual(['b']);
    expect(await store.isErasing(account.id)).toBe(false);
    const changes = await changesOf(store, account.id);
    expect(changes).toMatchObject([
      { by, what: 'post.erased', id: 'ers_1', after: { scope: 'account', matches: 451 } },
    ]);
    expect(JSON.stringify(changes)).not.toContain('post a');
  });

  it('may happen twice at once: each match is counted by one, and each is in the log', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const { account: other, rule: otherRule } = await addOther(store);
    await commit(
      eventOf('a', [rule, otherRule]),
      ...range(300).map((index) => repost(`${index}`, 'a', [rule, otherRule])),
    );
    const note = (id: string) => ({ id, by, accountId: account.id });
    const [one, two, everywhere] = await Promise.all([
      store.deleteMatches(account.id, 'x', 'a', note('ers_1')),
      store.deleteMatches(account.id, 'x', 'a', note('ers_2')),
      store.eraseEverywhere('x', 'a', note('ers_3')),
    ]);
    expect(one + two + everywhere.matches).toBe(602);
    expect([await listed(store, { accountId: account.id }), await listed(store, { accountId: other.id })]).toEqual([
      [],
      [],
    ]);
    const own = (await changesOf(store, account.id)).toSorted((a, b) => (a.id < b.id ? -1 : 1));
    expect(own.map(({ id, after }) => [id, after?.['matches']])).toEqual([
      ['ers_1', one],
      ['ers_2', two],
      ['ers_3', everywhere.matches],
    ]);
    // The other account hears that it was the operator, and by no key.
    const theirs = {
      by: { kind: 'operator' },
      id: 'ers_3',
      after: { platform: 'x', scope: 'all_accounts', matches: 301 },
    };
    expect(await changesOf(store, other.id)).toMatchObject([theirs]);
    expect((await changesOf(store, other.id))[0]!.by).toEqual({ kind: 'operator' });
  });

  it('is in the log though nothing was there, and finds what came for a rule of later', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    await store.deleteMatches(account.id, 'x', 'none', { id: 'ers_1', by, accountId: account.id });
    expect(await changesOf(store, account.id)).toMatchObject([{ id: 'ers_1', after: { matches: 0 } }]);
    const late = ruleOf(account);
    await store.addRule(late, {});
    await commit(repost('r', 'a', [rule]));
    await commit(repost('r', 'a', [late]));
    expect(await store.deleteMatches(account.id, 'x', 'a')).toBe(2);
  });

  it('is applied to a restored backup', async () => {
    await using before = await stage(open);
    const { account, rule } = before;
    const events = [eventOf('a', [rule]), ...all('a', [rule]), eventOf('b', [rule])];
    await before.commit(...events);
    await before.store.deleteMatches(account.id, 'x', 'a');
    await using restored = await open();
    await restored.addAccount(account);
    await restored.addRule(rule, {});
    await restored.commit({ platform: 'x', at: at(1000), events });
    expect(await restored.addTombstones(await before.store.tombstones('', 100))).toBe(true);
    expect((await restored.applyTombstones(0)).erased).toBe(5);
    expect(await listed(restored, { accountId: account.id })).toEqual(['b', 'mention']);
  });

  const textKey = new Uint8Array(32).fill(7);
  const TEXT = 'the very words that a person wants to be gone';

  it('takes every post with the same text along, when the operator asks for that', async () => {
    await using stand = await stage(open, { textKey });
    const { store, account, rule, commit } = stand;
    const { account: other, rule: otherRule } = await addOther(store);
    const copies = [
      eventOf('copy', [otherRule], { text: `  ${TEXT.replace(' ', '\n')} ` }),
      eventOf('repost', [rule], { text: `RT @a: ${TEXT}` }),
      withPayload(eventOf('quote', [rule]), {}, { tweets: [{ id: 'unknown', text: TEXT }] }),
      eventOf('unmatched', [], { text: TEXT }),
      eventOf('own', [], { text: TEXT, accountId: other.id }),
    ];
    const kept = [eventOf('longer', [rule], { text: `${TEXT} and more` }), eventOf('short', [rule], { text: 'ash' })];
    await commit(eventOf('a', [rule], { text: TEXT }), ...copies, ...kept, eventOf('ash', [rule], { text: 'ash' }));
    expect(await store.eraseEverywhere('x', 'ash', undefined, true)).toMatchObject({ matches: 1 });
    const note = { id: 'ers_1', by, accountId: account.id };
    expect((await store.eraseEverywhere('x', 'a', note, true)).matches).toBe(4);
    expect(await listed(store, { accountId: account.id })).toEqual(['short', 'longer']);
    expect(await listed(store, { accountId: other.id })).toEqual([]);
    for (const { id } of [account, other]) expect(await recentPosts(store, id)).toEqual(['longer', 'short']);
    expect((await changesOf(store, account.id))[0]?.after).toMatchObject({ matches: 4, same_text: true });
    // They come again, under other ids.
    const again = copies.map((one) => ({ ...one, event: { ...one.event, postId: `${one.event.postId}2` } }));
    expect(await commit(...again)).toMatchObject({ added: 0 });
    expect(await recentPosts(store, other.id)).toEqual(['longer', 'short']);
    const page = ruleOf(account, { platforms: { firehose: { value: 'storm', flags: {} } } });
    await store.addRule(page, {});
    const bare = eventOf('page', [page], { platform: 'firehose' });
    const told = { ...bare, event: { ...bare.event, payload: { added: [TEXT] } } };
    expect(await commit(told)).toMatchObject({ added: 0 });
  });

  it('compares the own text of a post and never that of one it carries', async () => {
    await using stand = await stage(open, { textKey });
    const { store, account, rule, commit } = stand;
    const quoting = withPayload(eventOf('short', [rule], { text: 'ash' }), {}, { tweets: [{ id: 'a', text: TEXT }] });
    await commit(eventOf('a', [rule], { text: TEXT }), eventOf('b', [rule], { text: TEXT }), quoting);
    expect((await store.eraseEverywhere('x', 'short', undefined, true)).matches).toBe(1);
    await commit(eventOf('c', [rule], { text: TEXT }));
    expect(await listed(store, { accountId: account.id })).toEqual(['c', 'b', 'a']);
  });

  it('keeps of a text what nobody can guess without the key of the installation', async () => {
    const digestsUnder = async (key: Uint8Array) => {
      await using stand = await stage(open, { textKey: key });
      const { store, rule, commit } = stand;
      await store.addTombstones({ key: 'the same', tombstones: [] });
      await commit(eventOf('a', [rule], { text: TEXT }));
      await store.eraseEverywhere('x', 'a', undefined, true);
      const { tombstones, hasTexts } = await store.tombstones('', 10);
      expect([hasTexts, JSON.stringify(tombstones).includes('person')]).toEqual([true, false]);
      return tombstones.map(({ digest }) => digest);
    };
    const [one, other] = [await digestsUnder(textKey), await digestsUnder(new Uint8Array(32).fill(8))];
    // That of the id is the same, that of the text is not.
    expect([one.length, one.filter((digest) => other.includes(digest)).length]).toEqual([2, 1]);
  });

  it('applies erased texts to a restored backup', async () => {
    await using before = await stage(open, { textKey });
    const { account, rule } = before;
    const events = [
      eventOf('a', [rule], { text: TEXT }),
      eventOf('copy', [rule], { text: TEXT }),
      eventOf('b', [rule]),
    ];
    await before.commit(...events);
    await before.store.eraseEverywhere('x', 'a', undefined, true);
    await using restored = await open({ textKey });
    await restored.addAccount(account);
    await restored.addRule(rule, {});
    await restored.commit({ platform: 'x', at: at(1000), events });
    await restored.addTombstones(await before.store.tombstones('', 100));
    expect((await restored.applyTombstones(0)).erased).toBe(2);
    expect(await listed(restored, { accountId: account.id })).toEqual(['b']);
  });
}
