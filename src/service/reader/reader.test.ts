import { describe, expect, it } from 'vitest';
import { webhookOf } from '../../../test/conformance/store/webhooks.ts';
import { openService } from '../../../test/stages/service.ts';
import type { Payload, StoredMatch } from '../../domain/match.ts';
import { newAnalyzer } from '../../engine/events/analyzer.ts';
import type { EventView } from '../../engine/events/event-view.ts';
import { highlights } from '../../engine/explain/highlights.ts';
import { ViewLookup } from '../../engine/one-rule/view-lookup.ts';
import { languages } from '../../rules/languages.ts';
import type { Query } from '../../rules/query.ts';
import { createReadEvents } from './read-events.ts';
import { createReader } from './reader.ts';

const TEXTS = [
  'storm',
  '"heavy rain" OR #Flood',
  'storm -calm (sea OR 🌊)',
  'url:example lang:en',
  'from:alice storm',
  '"fish & chips"',
  'has:hashtags storm',
];

const POSTS = [
  { data: { id: '1', text: 'Storm &amp; STORM over the sea', lang: 'en' } },
  { data: { id: '2', text: '🌊🌊 storm: heavy rain, #Flood', lang: 'en' } },
  {
    data: { id: '3', text: 'fish &amp; chips https://example.org/a', lang: 'en', author_id: '7' },
    includes: { users: [{ id: '7', username: 'alice', name: 'A storm' }] },
  },
  {
    data: { id: '4', text: 'A storm by Alice #storm', author_id: '7' },
    includes: { users: [{ id: '7', username: 'alice' }] },
  },
];

async function stage() {
  const test = await openService();
  const alice = await test.caller('alice');
  const create = async (text: string, platform: 'x' | 'firehose' = 'x') =>
    (
      await test.call(alice, 'createRule', {
        name: text.slice(0, 100),
        intent: '',
        platforms: [platform],
        overrides: { [platform]: text },
      })
    ).rule_id;
  const push = (posts: readonly object[], platform: 'x' | 'firehose' = 'x') =>
    test.call(alice, 'pushEvents', { platform, lines: posts.map((post) => JSON.stringify(post)).join('\n') });
  const stored = async () => {
    const account = (await test.store.account('alice'))!;
    return (await test.store.matches({ accountId: account.id, limit: 1_000 })).matches;
  };
  return Object.assign(test, { alice, create, push, stored });
}

describe('highlights', () => {
  it('are found when a match is read, and are those of the rule and the post', async () => {
    await using test = await stage();
    for (const text of TEXTS) await test.create(text);
    await test.push(POSTS);
    // A match that the core left to be analysed is shown at once.
    const unshown = (await test.stored()).filter(({ matchedBy }) => matchedBy !== undefined);
    expect(new Set(unshown.map(({ ruleName }) => ruleName)).size).toBeGreaterThan(TEXTS.length / 2);
    const matches = await test.everyMatch(test.alice);
    expect(new Set(matches.map(({ rule_name }) => rule_name))).toEqual(new Set(TEXTS));
    const { x } = languages({ local: true });
    for (const match of matches) {
      const view = newAnalyzer('x')(match.payload) as EventView;
      const expected = highlights(x.queryOf(match.rule_name)!, new ViewLookup(view, 0));
      expect(match.highlights, `${match.rule_name} on ${match.platform_post_id}`).toEqual(expected);
    }
    expect(matches.filter((match) => match.highlights.length > 0).length).toBeGreaterThan(TEXTS.length);
  });

  it('stay those of the text that matched when the rule changes', async () => {
    await using test = await stage();
    const rule_id = await test.create('storm');
    await test.push([POSTS[1]!]);
    const read = async () => (await test.everyMatch(test.alice)).map((match) => match.highlights);
    const before = await read();
    expect(before).toEqual([[{ field: 'data.text', start: 5, end: 10 }]]);
    await test.call(test.alice, 'updateRule', { rule_id, overrides: { x: 'rain' } });
    expect(await read()).toEqual(before);
    await test.push([POSTS[1]!, { data: { id: '9', text: 'rain' } }]);
    expect(await read()).toEqual([[{ field: 'data.text', start: 0, end: 4 }], ...before]);
  });

  it('are there for every way to a match', async () => {
    await using test = await stage();
    const rule_id = await test.create('storm');
    const { store, reader } = test.service.context;
    const account = (await store.account('alice'))!;
    const webhook = webhookOf(account);
    await store.addWebhook(webhook, 10);
    await test.push([POSTS[1]!]);
    const shown = [{ field: 'data.text', start: 5, end: 10 }];
    const { matches } = await reader.page({ accountId: account.id, limit: 1 });
    const [match] = matches;
    const after = await reader.after({ accountId: account.id, ruleId: rule_id, after: 0, limit: 1 });
    const { stories } = await reader.stories({ accountId: account.id, limit: 1 });
    const all = [
      match,
      await reader.one(account.id, match!.id),
      after.matches[0],
      stories[0]?.first,
      ...(await reader.at([match!.position])),
      ...(await reader.owed(webhook.id, new Date(Date.now() + 1e9), 1, 1_000)),
    ];
    expect(all.map((one) => one?.highlights)).toEqual(Array.from({ length: 6 }, () => shown));
  });

  it('are stored with a match whose rule has patterns, and with that of a long event', async () => {
    await using test = await stage();
    await test.create('stor*', 'firehose');
    await test.create('storm');
    await test.push([{ id: 'p', url: 'https://a.example', added: 'a storm' }], 'firehose');
    await test.push([{ data: { id: '1', text: `storm ${'x '.repeat(5_000)}` } }, { data: { id: '2', text: 'storm' } }]);
    const matches = await test.stored();
    expect(matches.map(({ platformPostId, matchedBy }) => [platformPostId, matchedBy?.value])).toEqual([
      ['2', 'storm'],
      ['1', undefined],
      ['p', undefined],
    ]);
    expect(matches.map((match) => match.highlights?.length)).toEqual([undefined, 1, 1]);
    expect((await test.everyMatch(test.alice)).map((match) => match.highlights?.length)).toEqual([1, 1, 1]);
  });

  it('give way to others while a long page of matches is read', async () => {
    await using test = await stage();
    await test.create('storm');
    const posts = Array.from({ length: 100 }, (_, id) => ({
      data: { id: String(id), text: `storm ${'x '.repeat(2_000)}` },
    }));
    await test.push(posts);
    const { store, reader } = test.service.context;
    const account = (await store.account('alice'))!;
    let turns = 0;
    let isRead = false;
    const others = (async () => {
      while (!isRead) {
        await new Promise(setImmediate);
        turns++;
      }
    })();
    const { matches } = await reader.page({ accountId: account.id, limit: 100 });
    isRead = true;
    await others;
    expect(matches.map((match) => match.highlights.length)).toEqual(posts.map(() => 1));
    expect(turns).toBeGreaterThan(4);
  });

  it('are those of their own event for readers that take turns', async () => {
    await using test = await stage();
    for (const text of ['storm', 'end', 'storm end']) await test.create(text);
    const textAt = (index: number) => `${'y '.repeat(index)}storm ${'x '.repeat(1_500)}end`;
    await test.push(Array.from({ length: 60 }, (_, id) => ({ data: { id: String(id), text: textAt(id) } })));
    const { store, reader } = test.service.context;
    const accountId = (await store.account('alice'))!.id;
    const last = (await test.store.matches({ accountId, limit: 90 })).next!;
    const pages = await Promise.all([
      reader.page({ accountId, limit: 90 }),
      reader.page({ accountId, limit: 90, before: last }),
    ]);
    for (const { ruleName, platformPostId, highlights: shown } of pages.flatMap(({ matches }) => matches)) {
      const text = textAt(Number(platformPostId));
      const words = ruleName.split(' ').map((word) => [text.indexOf(word), text.indexOf(word) + word.length]);
      expect(
        shown.map(({ start, end }) => [start, end]),
        `${ruleName} in ${platformPostId}`,
      ).toEqual(words);
    }
    expect(pages.map(({ matches }) => matches.length)).toEqual([90, 90]);
  });
});

describe('the events of matches', () => {
  const stored = (postId: string, text: string, change: object = {}): StoredMatch => {
    const json = JSON.stringify({ data: { id: postId, text } });
    const payload = JSON.parse(json) as Payload;
    return { platform: 'x', platformPostId: postId, json, payload, createdAt: new Date(0), ...change } as StoredMatch;
  };

  const ofStorm = languages().x.queryOf('storm')!;
  const spansOf = (events: ReturnType<typeof createReadEvents>, match: StoredMatch) =>
    events
      .of(match)
      .highlights(ofStorm, match.createdAt)
      ?.map(({ start, end }) => [start, end]);

  it('are analysed once for all their matches and readers, and again when they come with another text', () => {
    const events = createReadEvents();
    const matches = [stored('1', 'storm'), stored('1', 'storm'), stored('2', 'a storm'), stored('1', 'storm')];
    expect(matches.map((match) => spansOf(events, match))).toEqual([[[0, 5]], [[0, 5]], [[2, 7]], [[0, 5]]]);
    expect(events.analysed).toBe(2);
    expect(spansOf(events, stored('1', 'the storm'))).toEqual([[4, 9]]);
    expect(events.analysed).toBe(3);
  });

  it('are analysed once for the queries of their matches that follow each other', () => {
    const events = createReadEvents();
    for (const text of ['storm', 'rain', 'rain -storm'])
      events.of(stored('1', 'rain')).highlights(languages().x.queryOf(text)!, new Date(0));
    expect(events.analysed).toBe(1);
  });

  it('are looked at as of the time of the match', () => {
    const data = { id: '1', text: 'storm', created_at: '2026-11-15T08:00:00.000Z' };
    const page = { ...stored('1', 'storm'), json: JSON.stringify({ data }), payload: { data } };
    const event = createReadEvents().of(page);
    const recent: Query = { kind: 'all', of: [{ kind: 'recent', milliseconds: 1_000 }, ofStorm] };
    const at = (milliseconds: number) => new Date(Date.parse(data.created_at) + milliseconds);
    expect([1, 1, 2_000, 1].map((time) => event.highlights(recent, at(time))?.length)).toEqual([1, 1, 0, 1]);
  });

  it('keep the highlights of the last few queries, each as of the time of its match', () => {
    const event = createReadEvents().of(stored('1', 'storm and rain'));
    const queries = ['storm', 'rain', 'calm', 'storm rain', 'storm calm'].map((text) => languages().x.queryOf(text)!);
    const [storm, rain] = queries as [Query, Query];
    const found = event.highlights(storm, new Date(1));
    expect(found).toEqual([{ field: 'data.text', start: 0, end: 5 }]);
    expect(event.highlights(rain, new Date(1))).toEqual([{ field: 'data.text', start: 10, end: 14 }]);
    expect(event.highlights(storm, new Date(1))).toBe(found);
    expect(event.highlights(storm, new Date(2))).not.toBe(found);
    for (const query of queries) event.highlights(query, new Date(3));
    expect(event.highlights(storm, new Date(1))).not.toBe(found);
    expect(event.highlights(storm, new Date(1))).toEqual(found);
    const many = createReadEvents().of(stored('1', 'storm '.repeat(9)));
    expect(many.highlights(storm, new Date(1))).toHaveLength(9);
    expect(many.highlights(storm, new Date(1))).not.toBe(many.highlights(storm, new Date(1)));
  });

  it('are kept up to a number of bytes', () => {
    const events = createReadEvents(5_000);
    for (const id of ['1', '2', '3', '3', '2', '1']) spansOf(events, stored(id, 'storm'));
    expect(events.analysed).toBe(4);
  });

  it('that this version cannot read have no highlights, and their matches are shown', async () => {
    const payload = { data: 7 };
    const matchedBy = { value: 'storm', flags: {} };
    const unreadable = stored('1', 'storm', { matchedBy, payload, json: JSON.stringify(payload) });
    const store = { match: async () => unreadable } as never;
    const { x } = languages({ local: true });
    const relevance = {
      basis: () => undefined,
      score: async () => undefined,
      judge: async () => ({}),
      words: async () => [],
    };
    const reader = createReader({ store, relevance, queryOf: (_, { value }) => x.queryOf(value) });
    expect(await reader.one('a', 'm')).toMatchObject({ highlights: [], payload: { data: 7 } });
  });

  it('are shown anew when the store has another match in their place, or their relevance goes by something else', async () => {
    const { x } = languages({ local: true });
    const now = {
      match: stored('1', 'storm', { matchedBy: { value: 'storm', flags: {} } }),
      basis: {},
      relevance: 0.4,
    };
    const relevance = {
      basis: () => now.basis,
      score: async () => now.relevance,
      judge: async () => ({ relevance: now.relevance }),
      words: async () => [],
    };
    const store = { match: async () => now.match } as never;
    const reader = createReader({ store, relevance, queryOf: (_, { value }) => x.queryOf(value) });
    const read = () => reader.one('a', 'm');
    const first = await read();
    expect(await read()).toBe(first);
    Object.assign(now, { basis: {}, relevance: 0.6 });
    expect(await read()).toMatchObject({ relevance: 0.6, highlights: [{ start: 0, end: 5 }] });
    now.match = stored('1', 'a storm', { matchedBy: { value: 'storm', flags: {} } });
    expect(await read()).toMatchObject({ relevance: 0.6, highlights: [{ start: 2, end: 7 }] });
  });

  it('are parsed once for their highlights and their relevance', () => {
    let parsed = 0;
    const match = stored('1', 'storm');
    const { payload } = match;
    const counted = Object.defineProperty({ ...match }, 'payload', {
      get: () => {
        parsed++;
        return payload;
      },
    });
    const event = createReadEvents().of(counted);
    event.highlights(ofStorm, new Date(0));
    expect([event.traces !== undefined, parsed]).toEqual([true, 1]);
  });

  it('are analysed once for a list, an export and a webhook', async () => {
    await using test = await stage();
    for (const text of ['storm', 'rain', 'storm rain']) await test.create(text);
    await test.push([POSTS[1]!]);
    const { reader, store } = test.service.context;
    const { id: accountId } = (await store.account('alice'))!;
    const { matches } = await reader.page({ accountId, limit: 10 });
    await reader.after({ accountId, after: 0, limit: 10 });
    await reader.at(matches.map(({ position }) => position));
    expect([matches.length, reader.analysed]).toEqual([3, 1]);
  });
});
