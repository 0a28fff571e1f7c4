/** Feeds at secret addresses. */
import { expect, it } from 'vitest';
import { newId } from '../../../src/base/ids.ts';
import type { SharedFeed } from '../../../src/domain/views.ts';
import { accountNamed, at, type Open, stage } from './stage.ts';

export const sharedFeedFor = (accountId: string, change: Partial<SharedFeed> = {}): SharedFeed => ({
  id: newId('feed', at(0)),
  accountId,
  ruleId: undefined,
  contents: 'matches',
  name: 'All "matches" é',
  createdAt: at(0),
  ...change,
});

export function sharedFeedCases(open: Open): void {
  it('are found by the digest of their secret, listed for their account, and gone when they are deleted', async () => {
    await using stand = await stage(open);
    const { store, account, rule } = stand;
    const other = accountNamed('other');
    await store.addAccount(other);
    const feed = sharedFeedFor(account.id, { ruleId: rule.id, contents: 'stories', template: '"{{ text }}" é' });
    expect(await store.addSharedFeed(feed, 'digest 1')).toBe(true);
    expect(await store.sharedFeedByDigest('digest 1')).toEqual(feed);
    expect(await store.sharedFeedByDigest('digest 2')).toBeUndefined();
    expect(await store.sharedFeeds(account.id)).toEqual([feed]);
    expect(await store.sharedFeeds(other.id)).toEqual([]);
    expect(await store.deleteSharedFeed(other.id, feed.id)).toBe(false);
    expect(await store.deleteSharedFeed(account.id, feed.id)).toBe(true);
    expect(await store.deleteSharedFeed(account.id, feed.id)).toBe(false);
    expect(await store.sharedFeedByDigest('digest 1')).toBeUndefined();
  });

  it('end with their rule, and are not made for a rule that is gone or is another account’s', async () => {
    await using stand = await stage(open);
    const { store, account, rule } = stand;
    const other = accountNamed('other');
    await store.addAccount(other);
    const all = sharedFeedFor(account.id);
    await store.addSharedFeed(all, 'digest of all');
    await store.addSharedFeed(sharedFeedFor(account.id, { ruleId: rule.id }), 'digest of one');
    const stolen = sharedFeedFor(other.id, { ruleId: rule.id });
    expect(await store.addSharedFeed(stolen, 'digest of another')).toBe(false);
    await store.deleteRule(account.id, rule.id);
    expect(await store.sharedFeedByDigest('digest of one')).toBeUndefined();
    expect(await store.sharedFeeds(account.id)).toEqual([all]);
    expect(await store.addSharedFeed(sharedFeedFor(account.id, { ruleId: rule.id }), 'too late')).toBe(false);
  });

  it('rest while their rule can be restored, and end when it cannot any more', async () => {
    await using stand = await stage(open);
    const { store, account, rule } = stand;
    const feed = sharedFeedFor(account.id, { ruleId: rule.id });
    await store.addSharedFeed(feed, 'digest of one');
    const [deleted, until] = [new Date('2026-11-15T08:00:00Z'), new Date('2026-11-16T08:00:00Z')];
    await store.deleteRule(account.id, rule.id, undefined, { at: deleted, until });
    expect(await store.sharedFeedByDigest('digest of one')).toBeUndefined();
    expect(await store.sharedFeeds(account.id)).toEqual([feed]);
    while (await store.moveMatches(rule.id));
    while ((await store.removeSlice(until)).more);
    expect(await store.sharedFeeds(account.id)).toEqual([]);
  });

  it('are as many as the limit says, however many are made at once', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const made = await Promise.all(
      Array.from({ length: 6 }, (_, n) => store.addSharedFeed(sharedFeedFor(account.id), `digest ${n}`, undefined, 2)),
    );
    expect(made.filter((outcome) => outcome === 'full')).toHaveLength(4);
    expect(await store.sharedFeeds(account.id)).toHaveLength(2);
  });

  it('are noted in the audit log when they come and go, and only then', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const feed = sharedFeedFor(account.id);
    const by = { kind: 'system' } as const;
    await store.addSharedFeed(feed, 'd', { at: at(1), by, what: 'feed.created', id: feed.id, after: { name: 'n' } });
    const deleted = { at: at(2), by, what: 'feed.deleted', id: feed.id, before: { name: 'n' } } as const;
    await store.deleteSharedFeed(account.id, feed.id, deleted);
    await store.deleteSharedFeed(account.id, feed.id, deleted);
    const { changes } = await store.changes({ accountId: account.id, kind: 'feed', limit: 9 });
    expect(changes.map(({ what, id }) => [what, id])).toEqual([
      ['feed.deleted', feed.id],
      ['feed.created', feed.id],
    ]);
  });
}
