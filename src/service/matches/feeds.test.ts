import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { openService } from '../../../test/stages/service.ts';
import type { SharedFeed } from '../../domain/views.ts';
import { MAX_FEEDS } from '../limits.ts';
import { feedDigest } from './feeds.ts';
import { sharedFeedPage } from './read-feed.ts';

const RULE = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };

async function stage() {
  const clock = fakeClock();
  const test = await openService({ clock });
  const alice = await test.caller('alice');
  const { rule_id } = await test.call(alice, 'createRule', RULE);
  const { rule_id: rain } = await test.call(alice, 'createRule', { ...RULE, overrides: { x: 'rain' } });
  const push = async (...texts: string[]) => {
    const pushed = test.post(alice, ...texts);
    await clock.pass(25);
    await pushed;
  };
  const feedOf = (change: Partial<SharedFeed> = {}): SharedFeed => ({
    id: 'feed_1',
    accountId: alice.account.id,
    ruleId: undefined,
    contents: 'matches',
    name: 'Volcano news',
    createdAt: new Date(0),
    ...change,
  });
  const read = async (change: Partial<SharedFeed> = {}, cursor?: string) => {
    const place = { base: 'https://sluice.example', path: '/feeds/secret.json', cursor, hub: undefined };
    const page = await sharedFeedPage.run(test.service.context, { feed: feedOf(change), format: 'json', place });
    return { ...page, feed: JSON.parse(new TextDecoder().decode(page.body)) as JsonFeed };
  };
  return Object.assign(test, { clock, alice, rule_id, rain, push, feedOf, read });
}

interface JsonFeed {
  readonly title: string;
  readonly feed_url: string;
  readonly next_url?: string;
  readonly items: readonly { id: string; title: string; content_text: string; date_published: string }[];
}

describe('a feed', () => {
  it('is created with three secret addresses, listed without them, and deleted', async () => {
    await using test = await stage();
    const made = await test.call(test.alice, 'createFeed', { rule_id: test.rule_id, what: 'stories', name: 'News' });
    const [secret] = /[\w-]{43}/.exec(made.urls.atom)!;
    expect(made.urls).toEqual({
      atom: `/feeds/${secret}.atom`,
      rss: `/feeds/${secret}.rss`,
      json: `/feeds/${secret}.json`,
    });
    const listed = {
      id: made.feed_id,
      name: 'News',
      rule_id: test.rule_id,
      what: 'stories',
      created_at: test.clock.now().toISOString(),
    };
    expect((await test.call(test.alice, 'listFeeds')).feeds).toEqual([listed]);
    expect(await test.store.sharedFeedByDigest(feedDigest(secret))).toMatchObject({
      id: made.feed_id,
      contents: 'stories',
    });
    const { changes } = await test.call(test.alice, 'listChanges', { kind: 'feed' });
    expect(changes[0]).toMatchObject({
      what: 'feed.created',
      after: { name: 'News', rule_id: test.rule_id, what: 'stories' },
    });
    expect(JSON.stringify(changes)).not.toContain(secret);
    const bob = await test.caller('bob');
    const { feed_id } = made;
    expect((await test.call(bob, 'listFeeds')).feeds).toEqual([]);
    await expect(test.call(bob, 'deleteFeed', { feed_id })).rejects.toMatchObject({ code: 'not_found' });
    expect(await test.call(test.alice, 'deleteFeed', { feed_id })).toEqual({});
    expect(await test.store.sharedFeedByDigest(feedDigest(secret))).toBeUndefined();
    expect((await test.call(test.alice, 'listChanges', { kind: 'feed' })).changes[0]).toMatchObject({
      what: 'feed.deleted',
      before: { name: 'News' },
    });
    await expect(test.call(test.alice, 'deleteFeed', { feed_id })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('has entries as its template writes them, and as usual where it cannot', async () => {
    await using test = await stage();
    await test.push('storm <b>one</b> https://evil.example', 'storm two');
    const template = '<b>{{ text }}</b>{% if text contains "two" %}{{ time | date: "", text }}{% endif %}';
    const { feed } = await test.read({ template });
    const own = {
      content_html: '<b>storm &lt;b&gt;one&lt;/\u200bb&gt; https:\u200b/\u200b/\u200bevil.\u200bexample</b>',
      content_text: 'storm <b>one</\u200bb> https:\u200b/\u200b/\u200bevil.\u200bexample',
    };
    expect(feed.items).toMatchObject([{ content_text: 'storm two' }, own]);
    expect(feed.items[0]).not.toHaveProperty('content_html');
    const { feed: stories } = await test.read({ template, contents: 'stories' });
    expect(stories.items.at(-1)).toMatchObject(own);
  });

  it('is of all rules, and of matches, when nothing else is chosen', async () => {
    await using test = await stage();
    await test.call(test.alice, 'createFeed', { name: 'All' });
    expect((await test.call(test.alice, 'listFeeds')).feeds).toMatchObject([{ rule_id: null, what: 'matches' }]);
  });

  it('is refused for a rule of another account, and beyond the limit', async () => {
    await using test = await stage();
    const bob = await test.caller('bob');
    const theirs = test.call(bob, 'createFeed', { name: 'x', rule_id: test.rule_id });
    await expect(theirs).rejects.toMatchObject({ code: 'not_found' });
    for (let made = 0; made < MAX_FEEDS; made++) await test.call(test.alice, 'createFeed', { name: `${made}` });
    await expect(test.call(test.alice, 'createFeed', { name: 'x' })).rejects.toMatchObject({
      details: { limit_code: 'feeds', limit: MAX_FEEDS },
    });
  });

  it('is refused when its rule goes meanwhile', async () => {
    await using test = await stage();
    Object.assign(test.store, { addSharedFeed: async () => false });
    const made = test.call(test.alice, 'createFeed', { name: 'x', rule_id: test.rule_id });
    await expect(made).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('the page of a feed', () => {
  it('has the newest matches first, of its rule alone', async () => {
    await using test = await stage();
    await test.push('a storm', 'rain', 'storm two');
    const { feed, self, updated } = await test.read({ ruleId: test.rule_id });
    expect([feed.title, feed.feed_url, self]).toEqual([
      'Volcano news',
      'https://sluice.example/feeds/secret.json',
      'https://sluice.example/feeds/secret.json',
    ]);
    expect(feed.items.map(({ title }) => title)).toEqual(['storm two', 'a storm']);
    expect(feed.items[0]!.id).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(updated.toISOString()).toBe(feed.items[0]!.date_published);
    expect((await test.read()).feed.items).toHaveLength(3);
    expect(await test.read()).toEqual(await test.read());
  });

  it('is of when the feed was made while it is empty', async () => {
    await using test = await stage();
    const { feed, updated } = await test.read({ createdAt: new Date(77) });
    expect([feed.items, feed.next_url, updated]).toEqual([[], undefined, new Date(77)]);
  });

  it.each(['matches', 'stories'] as const)('of %s goes on after fifty entries', async (contents) => {
    await using test = await stage();
    const words = (at: number) => Array.from({ length: 6 }, (_, word) => `w${at}x${word}`).join(' ');
    await test.push(...Array.from({ length: 51 }, (_, at) => `storm ${words(at)}`));
    const first = await test.read({ contents });
    expect(first.feed.items).toHaveLength(50);
    const next = new URL(first.feed.next_url!);
    expect(`${next.origin}${next.pathname}`).toBe('https://sluice.example/feeds/secret.json');
    const second = await test.read({ contents }, next.searchParams.get('cursor')!);
    expect([second.feed.items.length, second.feed.next_url]).toEqual([1, undefined]);
    expect(second.feed.feed_url).toBe(first.feed.next_url);
    const ids = [...first.feed.items, ...second.feed.items].map(({ id }) => id);
    expect(new Set(ids).size).toBe(51);
  });

  it('of stories says how many matches each has, and when the last came', async () => {
    await using test = await stage();
    await test.push('storm over the grey harbour of Bergen tonight', 'storm over the grey harbour of Bergen tonight');
    const { feed } = await test.read({ contents: 'stories', ruleId: test.rule_id });
    expect(feed.items).toHaveLength(1);
    expect(feed.items[0]!.content_text).toMatch(/\n\n2 matches, the last at 2026-11-15 08:30 UTC\.$/);
    await test.push('storm: an entirely different matter about tax law');
    const { feed: later } = await test.read({ contents: 'stories' });
    expect(later.items.map(({ content_text }) => /One match/.test(content_text)).filter(Boolean)).toHaveLength(1);
    expect((await test.read({ contents: 'stories', ruleId: test.rain })).feed.items).toEqual([]);
  });

  it('cuts what is long, says what the demo feed invented, and shows no character that is none', async () => {
    await using test = await stage();
    await test.push(`storm \ufdd0${'x'.repeat(5_000)}`);
    const [entry] = (await test.read()).feed.items;
    expect(entry!.content_text.length).toBeLessThanOrEqual(4_001);
    expect(entry!.content_text).not.toContain('\ufdd0');
    const demo = test.service.context.ingest.add('x', [{ data: { id: 'd', text: 'demo storm' } }], 'demo');
    await test.clock.pass(25);
    await demo;
    expect((await test.read()).feed.items[0]!.title).toBe('Demo: demo storm');
    expect((await test.read({ name: 'n'.repeat(300) })).feed.title.length).toBeLessThanOrEqual(201);
  });
});
