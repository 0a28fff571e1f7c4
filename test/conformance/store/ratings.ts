import { describe, expect, it } from 'vitest';
import type { Change } from '../../../src/domain/change.ts';
import type { Rating } from '../../../src/domain/match.ts';
import type { CommitEvent, Store } from '../../../src/store/store.ts';
import { addOther, at, DAY, eventOf, listed, type Open, range, removeAll, ruleOf, stage } from './stage.ts';

const LIMIT = 4;

type Stand = Awaited<ReturnType<typeof stage>>;

async function rate(
  { store, account }: Pick<Stand, 'store' | 'account'>,
  post: string,
  rating: Rating | null,
  time = 0,
): Promise<boolean> {
  const { matches } = await store.matches({ accountId: account.id, limit: 100 });
  const { position } = matches.find(({ platformPostId }) => platformPostId === post)!;
  return store.rateMatch({ accountId: account.id, position, rating, at: at(time), by: 'key_1', traces: post }, LIMIT);
}

const ratedOf = async (store: Store, ruleId: string): Promise<string[]> =>
  (await store.ratedRule(ruleId, 100))!.ratings.map(({ traces, rating }) => `${traces} ${rating}`);

const versionOf = async ({ store, account }: Stand): Promise<number | undefined> =>
  (await store.matches({ accountId: account.id, limit: 1 })).matches[0]!.relevanceVersion;

const note = (ruleId: string, time: number): Change => ({
  at: at(time),
  by: { kind: 'system' },
  what: 'rule.changed',
  id: ruleId,
});

const suggestion = (id: string, value: string) => ({
  id,
  at: at(1),
  kind: 'exclude' as const,
  was: 'storm',
  value,
  share: 0.25,
});

export function ratingCases(open: Open): void {
  it('keeps the last rating of a match, and lists matches by it', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    await commit(...range(5).map((post) => eventOf(String(post), [rule])));
    expect(await rate(stand, '1', 'relevant', 1)).toBe(true);
    expect(await rate(stand, '3', 'irrelevant', 2)).toBe(true);
    expect(await rate(stand, '4', 'irrelevant', 3)).toBe(true);
    expect(await rate(stand, '4', 'relevant', 4)).toBe(true);
    const of = { accountId: account.id };
    expect(await listed(store, { ...of, rating: 'relevant' })).toEqual(['4', '1']);
    expect(await listed(store, { ...of, ruleId: rule.id, rating: 'irrelevant' })).toEqual(['3']);
    expect(await listed(store, { ...of, platform: 'firehose', rating: 'relevant' })).toEqual([]);
    const { matches } = await store.matches({ ...of, limit: 10 });
    expect(matches.map(({ rating }) => rating)).toEqual(['relevant', 'irrelevant', undefined, 'relevant', undefined]);
    expect(await rate(stand, '1', null)).toBe(true);
    expect(await rate(stand, '1', null)).toBe(true);
    expect(await ratedOf(store, rule.id)).toEqual(['4 relevant', '3 irrelevant']);
  });

  it('leads on from a page of rated matches', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    await commit(...range(4).map((post) => eventOf(String(post), [rule])));
    for (const post of ['0', '1', '3']) await rate(stand, post, 'relevant');
    const query = { accountId: account.id, rating: 'relevant' as const, limit: 2 };
    const first = await store.matches(query);
    expect(first.matches.map(({ platformPostId }) => platformPostId)).toEqual(['3', '1']);
    const second = await store.matches({ ...query, before: first.next! });
    expect(second.matches.map(({ platformPostId }) => platformPostId)).toEqual(['0']);
    expect(second.next).toBeUndefined();
  });

  it('rates no match of another account, of a deleted rule, or that is not there', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const other = await addOther(store);
    await commit(eventOf('1', [rule, other.rule]));
    const [match] = (await store.matches({ accountId: account.id, limit: 1 })).matches;
    const rating = { position: match!.position, rating: 'relevant', at: at(1), by: 'k', traces: '' } as const;
    expect(await store.rateMatch({ ...rating, accountId: other.account.id }, LIMIT)).toBe(false);
    expect(await store.rateMatch({ ...rating, accountId: account.id, position: 7 }, LIMIT)).toBe(false);
    await store.deleteRule(account.id, rule.id);
    expect(await store.rateMatch({ ...rating, accountId: account.id }, LIMIT)).toBe(false);
    expect(await store.ratedRule(rule.id, 10)).toBeUndefined();
    expect(await ratedOf(store, other.rule.id)).toEqual([]);
  });

  it('drops the oldest rating of a rule beyond the limit, and none of another rule', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const second = ruleOf(account);
    await store.addRule(second, {});
    await commit(eventOf('other', [second]));
    await rate(stand, 'other', 'relevant');
    await commit(...range(LIMIT + 2).map((post) => eventOf(String(post), [rule])));
    for (const post of range(LIMIT + 2)) await rate(stand, String(post), 'relevant', 10 + post);
    expect(await ratedOf(store, rule.id)).toEqual(['5 relevant', '4 relevant', '3 relevant', '2 relevant']);
    expect(await ratedOf(store, second.id)).toEqual(['other relevant']);
  });

  it('tells by a version that grows when the relevance of a rule may have changed', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    await commit(eventOf('1', [rule]));
    expect(await versionOf(stand)).toBe(0);
    const versions: (number | undefined)[] = [];
    for (const change of [
      () => rate(stand, '1', 'relevant'),
      () => rate(stand, '1', 'irrelevant'),
      () => rate(stand, '1', null),
      () => store.changeRule(account.id, rule.id, { intent: 'bad weather' }),
      () => store.changeRule(account.id, rule.id, { platforms: { x: { value: 'gale', flags: {} } } }),
    ]) {
      await change();
      versions.push(await versionOf(stand));
    }
    expect(versions).toEqual([1, 2, 3, 4, 5]);
    await rate(stand, '1', null);
    await store.changeRule(account.id, rule.id, { name: 'Other' });
    expect(await versionOf(stand)).toBe(5);
    const intended = ruleOf(account, { intent: 'bad weather' });
    await store.addRule(intended, {});
    await commit(eventOf('2', [intended]));
    expect(await versionOf(stand)).toBe(1);
  });

  it('keeps a rating beyond its match, and nothing of it beyond an erasure or the rule', async () => {
    await using stand = await stage(open, { retentionDays: 1 });
    const { store, account, rule, commit } = stand;
    await commit(eventOf('1', [rule]), eventOf('2', [rule]));
    await rate(stand, '1', 'relevant', 1);
    await rate(stand, '2', 'irrelevant', 2);
    const before = await versionOf(stand);
    await store.deleteMatches(account.id, 'x', '2');
    expect(await ratedOf(store, rule.id)).toEqual(['1 relevant']);
    expect(await versionOf(stand)).toBe(before! + 1);
    await removeAll(store, at(3 * DAY));
    expect(await listed(store, { accountId: account.id })).toEqual([]);
    expect(await listed(store, { accountId: account.id, rating: 'relevant' })).toEqual([]);
    expect(await ratedOf(store, rule.id)).toEqual(['1 relevant']);
    await store.changeRule(account.id, rule.id, { platforms: { x: { value: 'gale', flags: {} } } });
    expect(await ratedOf(store, rule.id)).toEqual(['1 relevant']);
    await store.deleteRule(account.id, rule.id);
    await removeAll(store, at(3 * DAY));
    expect(await store.ratedRule(rule.id, 10)).toBeUndefined();
  });

  describe('of a post whose match retention has removed', () => {
    const textKey = new Uint8Array(32).fill(7);
    const TEXT = 'the very words that a person wants to be gone';
    const repostOf = (postId: string, of: string, rules: readonly { id: string }[]) => {
      const { event, ...made } = eventOf(postId, rules);
      const data = { id: postId, text: `RT @a: ${TEXT}`, referenced_posts: [{ type: 'retweeted', id: of }] };
      return { ...made, event: { ...event, payload: { data } } };
    };

    /** Rated posts of an account, and of one that has rated the first of them, too; no match is left. */
    async function past(...ids: readonly string[]) {
      const stand = await stage(open, { retentionDays: 1, textKey });
      const { store, rule, commit } = stand;
      const other = await addOther(store);
      await commit(...ids.map((id) => eventOf(id, [rule, other.rule], { text: `${TEXT} by ${id}` })));
      await commit(repostOf('repost', ids[0]!, [rule]), eventOf('copy', [rule], { text: `${TEXT} by ${ids[0]}` }));
      for (const id of [...ids, 'repost', 'copy']) await rate(stand, id, 'relevant');
      await rate({ store, account: other.account }, ids[0]!, 'irrelevant');
      await removeAll(store, at(3 * DAY));
      expect(await listed(store, { accountId: stand.account.id })).toEqual([]);
      const later = (event: CommitEvent) => store.commit({ platform: 'x', at: at(3 * DAY), events: [event] });
      const left = async () =>
        [await ratedOf(store, rule.id), await ratedOf(store, other.rule.id)].map((rated) => rated.toSorted());
      return { ...stand, later, left };
    }

    it('goes when its account erases the post, and with it that of a repost', async () => {
      await using stand = await past('a', 'b');
      const { store, account, rule, later, left } = stand;
      await later(eventOf('now', [rule]));
      const before = await versionOf(stand);
      await store.deleteMatches(account.id, 'x', 'unknown');
      expect(await versionOf(stand)).toBe(before);
      await store.deleteMatches(account.id, 'x', 'a');
      expect(await left()).toEqual([['b relevant', 'copy relevant'], ['a irrelevant']]);
      expect(await versionOf(stand)).toBe(before! + 1);
    });

    it('goes for all accounts when the operator erases the post, with those of its text where that is asked for', async () => {
      await using stand = await past('a', 'b');
      const { store, rule, later, left } = stand;
      await store.eraseEverywhere('x', 'a');
      expect(await left()).toEqual([['b relevant', 'copy relevant'], []]);
      await later(eventOf('c', [rule], { text: `${TEXT} by a` }));
      await store.eraseEverywhere('x', 'c', undefined, true);
      expect(await left()).toEqual([['b relevant'], []]);
    });

    it.each([true, false])('goes with each version of a post that was announced as deleted: %s', async (onlyStored) => {
      await using stand = await past('s:a', 's:a/2');
      await stand.store.eraseAnnounced('x', ['s:a', 's:unknown'], { onlyStored });
      expect(await stand.left()).toEqual([['copy relevant'], []]);
      expect(await stand.later(eventOf('s:a/3', [stand.rule]))).toMatchObject({ added: 0 });
    });

    it('goes from a restored backup that had it still', async () => {
      await using before = await past('a', 'b');
      await using later = await stage(open);
      const { key } = await before.store.tombstones('', 1);
      await later.store.addTombstones({ key, tombstones: [] });
      await later.store.eraseEverywhere('x', 'a');
      await before.store.addTombstones(await later.store.tombstones('', 100));
      expect(await before.left()).toEqual([['b relevant', 'copy relevant'], []]);
    });
  });

  it('lists the rated matches of the other rules while a deleted one is being removed', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const deleted = ruleOf(account);
    await store.addRule(deleted, {});
    await commit(eventOf('kept', [rule]), eventOf('1', [deleted]), eventOf('2', [deleted]));
    for (const post of ['kept', '1', '2']) await rate(stand, post, 'relevant');
    await commit(...range(1_200).map((index) => eventOf(`more ${index}`, [deleted])));
    await store.deleteRule(account.id, deleted.id);
    const lists: (readonly string[])[] = [];
    for (let more = true; more; ) {
      ({ more } = await store.removeSlice(at(0)));
      const { matches } = await store.matches({ accountId: account.id, rating: 'relevant', limit: 1 });
      lists.push(matches.map(({ platformPostId }) => platformPostId));
    }
    expect(lists.length).toBeGreaterThan(2);
    expect(lists).toEqual(lists.map(() => ['kept']));
  });

  it('replaces suggestions that were not applied, and keeps those that were', async () => {
    await using stand = await stage(open);
    const { store, account, rule } = stand;
    await store.keepSuggestions(account.id, rule.id, 'x', [suggestion('s1', 'storm -tea'), suggestion('s2', 'gale')]);
    await store.keepSuggestions(account.id, rule.id, 'firehose', [suggestion('s3', 'storm -tea')]);
    const change = (value: string, time: number) =>
      store.changeRule(account.id, rule.id, { platforms: { x: { value, flags: {} } } }, note(rule.id, time));
    await change('hail', 2);
    expect(await store.appliedSuggestions(account.id, rule.id, 5)).toEqual([]);
    await change('storm -tea', 3);
    const applied = { ...suggestion('s1', 'storm -tea'), platform: 'x', appliedAt: at(3) };
    expect(await store.appliedSuggestions(account.id, rule.id, 5)).toEqual([applied]);
    await store.keepSuggestions(account.id, rule.id, 'x', []);
    await change('gale', 4);
    expect(await store.appliedSuggestions(account.id, rule.id, 5)).toEqual([applied]);
    const other = await addOther(store);
    expect(await store.appliedSuggestions(other.account.id, rule.id, 5)).toEqual([]);
    await store.keepSuggestions(other.account.id, rule.id, 'x', [suggestion('s4', 'hail')]);
    await change('hail', 5);
    expect(await store.appliedSuggestions(account.id, rule.id, 5)).toEqual([applied]);
  });
}
