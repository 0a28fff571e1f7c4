import { expect, it } from 'vitest';
import type { StoredMatch } from '../../../src/domain/match.ts';
import type { CommitEvent, NewRule, Store } from '../../../src/store/store.ts';
import {
  addOther,
  at,
  collect,
  eventOf,
  expectOrdered,
  listed,
  type Open,
  posts,
  range,
  ruleOf,
  stage,
} from './stage.ts';
import { webhookOf } from './webhooks.ts';

export function commitCases(open: Open): void {
  it('commits a match once, however often its event arrives', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    expect(await commit(eventOf('a', [rule]))).toMatchObject({ added: 1, addedByEvent: [1] });
    expect(await commit(eventOf('a', [rule]), eventOf('b', [rule]), eventOf('b', [rule]))).toMatchObject({
      added: 1,
      addedByEvent: [0, 1, 0],
    });
    expect(await listed(store, { accountId: account.id })).toEqual(['b', 'a']);
    const { matchCount, lastMatchAt } = (await store.rule(account.id, rule.id))!.platforms.x!;
    expect({ matchCount, lastMatchAt }).toEqual({ matchCount: 2, lastMatchAt: at(2000) });
  });

  it('keeps the order of events in lists, streams, deliveries and ids', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const second = ruleOf(account);
    await store.addRule(second, {});
    const webhook = webhookOf(account);
    await store.addWebhook(webhook, 1);
    // Digests of ids are in no order, so eighty of them in order are no accident.
    const pushed = range(80).map(String);
    await commit(...pushed.slice(0, 50).map((id) => eventOf(id, [rule, second])));
    await commit(...pushed.slice(50).map((id) => eventOf(id, [rule, second])));
    const twice = pushed.flatMap((id) => [`${id} ${rule.id}`, `${id} ${second.id}`]);
    const named = (matches: readonly StoredMatch[]) => matches.map((one) => `${one.platformPostId} ${one.ruleId}`);
    const { matches } = await store.matches({ accountId: account.id, limit: 200 });
    expect(named(matches.toReversed())).toEqual(twice);
    const ids = matches.toReversed().map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted());
    expect(named((await store.matchesAfter({ accountId: account.id, after: 0, limit: 200 })).matches)).toEqual(twice);
    expect(named(await store.owedMatches(webhook.id, at(60_000), 200))).toEqual(twice);
  });

  it('says where its last match stands, and who has new ones', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const other = await addOther(store);
    const done = await commit(eventOf('a', [rule]), eventOf('none', []), eventOf('b', [rule, other.rule]));
    const matches = [account, other.account].map(async ({ id }) => store.matches({ accountId: id, limit: 9 }));
    const positions = (await Promise.all(matches)).flatMap((page) => page.matches.map(({ position }) => position));
    const { before: _, ...told } = done;
    expect(told).toEqual({
      added: 3,
      addedByEvent: [1, 0, 2],
      repeats: 0,
      latest: Math.max(...positions),
      accountIds: expect.arrayContaining([account.id, other.account.id]),
      addedByAccount: done.accountIds.map((id) => (id === account.id ? 2 : 1)),
    });
    expect(done.accountIds).toHaveLength(2);
    expect(await store.latest()).toBe(done.latest);
    const again = await commit(eventOf('a', [rule]), eventOf('c', []));
    expect(again).toEqual({
      added: 0,
      addedByEvent: [0, 0],
      repeats: 1,
      latest: done.latest,
      accountIds: [],
      addedByAccount: [],
    });
  });

  it('says what brought an event, in its matches and among recent events', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const { event, matches } = eventOf('a', [rule]);
    await commit({ event: { ...event, source: 'jetstream' }, matches });
    await commit(eventOf('b', [rule]));
    const stored = (await store.matches({ accountId: account.id, limit: 2 })).matches;
    expect(stored.map(({ source }) => source)).toEqual([undefined, 'jetstream']);
    const recent = await collect(store.recentEvents(account.id, 'x', 2));
    expect(recent.map((one) => one.event.source)).toEqual([undefined, 'jetstream']);
  });

  it('knows a demo event that was stored before events had a source', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const { event, matches } = eventOf('a', [rule]);
    await commit({ event: { ...event, payload: { demo: true, ...event.payload } }, matches });
    expect((await store.matches({ accountId: account.id, limit: 1 })).matches[0]!.source).toBe('demo');
  });

  it('gives a match back whole', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const event = eventOf('a', [rule]);
    await commit(event);
    const [match] = (await store.matches({ accountId: account.id, limit: 1 })).matches;
    expect(match).toEqual({
      id: expect.stringMatching(/^match_[0-9a-z]{29}$/),
      createdAt: at(1000),
      position: expect.any(Number),
      platform: 'x',
      platformPostId: 'a',
      ruleId: rule.id,
      ruleName: 'Storms',
      ruleVersion: 1,
      payload: event.event.payload,
      json: JSON.stringify(event.event.payload),
      relevanceVersion: 0,
      highlights: event.matches[0]!.highlights,
      storyId: expect.stringMatching(/^st_[0-9a-z]{13}$/),
      storyFirst: true,
    });
    expect(await store.match(account.id, match!.id)).toEqual(match);
  });

  it('takes the JSON of a payload as it was written, where it is given', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const { event, matches } = eventOf('a', [rule]);
    const json = '{ "data": {"id":"a", "text":"\\u0070ost a"} }';
    await commit({ event: { ...event, json }, matches });
    const [match] = (await store.matches({ accountId: account.id, limit: 1 })).matches;
    expect(match).toMatchObject({ json, payload: event.payload });
    expect((await collect(store.recentEvents(account.id, 'x', 1)))[0]!.event).toEqual(event);
  });

  it('stores one match for each of fifty rules', async () => {
    await using stand = await stage(open);
    const { store, account, commit } = stand;
    const rules = range(50).map(() => ruleOf(account));
    for (const rule of rules) await store.addRule(rule, {});
    expect(await commit(eventOf('a', rules))).toMatchObject({ added: 50 });
    expect(await commit(eventOf('a', rules))).toMatchObject({ added: 0 });
    expect(await listed(store, { accountId: account.id })).toHaveLength(50);
  });

  it('holds a rule to one match of a post that comes both pushed and from a stream', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const { account: otherAccount, rule: otherRule } = await addOther(store);
    const pushed = eventOf('a', [rule], { accountId: account.id, text: 'pushed' });
    const shared = eventOf('a', [rule, otherRule], { text: 'shared' });
    expect(await commit(pushed, shared, pushed)).toMatchObject({ addedByEvent: [1, 1, 0] });
    expect(await commit(shared, pushed)).toMatchObject({ added: 0 });
    const texts = async (accountId: string) => {
      const { matches } = await store.matches({ accountId, limit: 10 });
      return matches.map(({ payload }) => (payload['data'] as { text: string }).text);
    };
    expect(await texts(account.id)).toEqual(['pushed']);
    expect(await texts(otherAccount.id)).toEqual(['shared']);
  });

  it("never matches another account's pushed event", async () => {
    await using stand = await stage(open);
    const { store, rule, commit } = stand;
    const { account: other } = await addOther(store);
    expect(await commit(eventOf('a', [rule], { accountId: other.id }))).toMatchObject({ added: 0 });
  });

  it.each([
    ['deleted', (store: Store, rule: NewRule) => store.deleteRule(rule.accountId, rule.id)],
    ['paused', (store: Store, rule: NewRule) => store.changeRule(rule.accountId, rule.id, { paused: true })],
    [
      'changed',
      (store: Store, rule: NewRule) =>
        store.changeRule(rule.accountId, rule.id, { platforms: { x: { value: 'b', flags: {} } } }),
    ],
  ] as const)('stores nothing of a rule that was %s meanwhile', async (_, change) => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const kept = ruleOf(account);
    await store.addRule(kept, {});
    await change(store, rule);
    expect(await commit(eventOf('a', [rule, kept]))).toMatchObject({ added: 1 });
    expect((await store.matches({ accountId: account.id, limit: 10 })).matches.map(({ ruleId }) => ruleId)).toEqual([
      kept.id,
    ]);
  });

  it('says which version of a rule a match came from', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    await commit(eventOf('a', [rule]));
    await store.changeRule(account.id, rule.id, { name: 'Hail', platforms: { x: { value: 'hail', flags: {} } } });
    await commit(eventOf('b', [rule], { version: 2 }));
    const { matches } = await store.matches({ accountId: account.id, limit: 10 });
    expect(matches.map(({ ruleVersion, ruleName }) => [ruleVersion, ruleName])).toEqual([
      [2, 'Hail'],
      [1, 'Hail'],
    ]);
  });

  it('counts what a source has read, minute by minute, in the commit that moves its cursor', async () => {
    await using store = await open();
    const read = (minutes: number, value: string, events: number, name = 'source:news') => {
      const time = new Date(Date.parse('2026-11-15T08:00:00Z') + minutes * 60_000);
      const cursor = { name, value, reading: { source: 'news', events } };
      return store.commit({ platform: 'firehose', at: time, events: [], cursor });
    };
    const span = (from: number, to: number) =>
      store.readings(
        'news',
        ...([from, to].map((minute) => new Date(Date.parse('2026-11-15T08:00:00Z') + minute * 60_000)) as [Date, Date]),
      );
    await read(0, 'a', 2);
    await read(0.5, 'b', 3);
    await read(1, 'c', 0);
    await read(5, 'd', 1, 'source:news https://a.example/');
    await read(6, 'x'.repeat(500), 4);
    await store.commit({ platform: 'x', at: at(0), events: [], cursor: { name: 'source:news', value: 'uncounted' } });
    expect(await span(0, 1)).toEqual({ events: 5, firstCursor: 'a', lastCursor: 'c' });
    expect(await span(0.9, 0.95)).toEqual({ events: 5, firstCursor: 'a', lastCursor: 'b' });
    expect(await span(2, 5)).toEqual({
      events: 1,
      firstCursor: 'https://a.example/ d',
      lastCursor: 'https://a.example/ d',
    });
    expect(await span(2, 4)).toEqual({ events: 0, firstCursor: undefined, lastCursor: undefined });
    expect(await span(6, 9)).toMatchObject({ events: 4, lastCursor: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) });
    expect((await store.readings('other', at(0), at(0))).events).toBe(0);
    const later = new Date(Date.parse('2027-11-15T08:00:00Z'));
    while ((await store.removeSlice(later)).more);
    expect((await span(0, 9)).events).toBe(0);
  });

  it('keeps each cursor under its name, and none before the first', async () => {
    await using store = await open();
    expect(await store.cursor('x')).toBeUndefined();
    await store.commit({ platform: 'x', at: at(0), events: [], cursor: { name: 'x', value: 'c1' } });
    await store.commit({ platform: 'firehose', at: at(0), events: [], cursor: { name: 'feeds', value: '0-1' } });
    await store.commit({ platform: 'x', at: at(0), events: [] });
    expect([await store.cursor('x'), await store.cursor('feeds')]).toEqual(['c1', '0-1']);
  });

  it('leaves nothing behind when a commit fails', async () => {
    await using stand = await stage(open);
    const { store, account, rule } = stand;
    const broken = {
      ...eventOf('b', [rule], { accountId: account.id }),
      matches: [{ ruleId: rule.id, version: 1, highlights: [1n] }],
    };
    const events = [eventOf('a', [rule]), broken as unknown as CommitEvent];
    await expect(
      store.commit({ platform: 'x', at: at(0), events, cursor: { name: 'x', value: 'c1' } }),
    ).rejects.toThrow(TypeError);
    expect(await listed(store, { accountId: account.id })).toEqual([]);
    expect(await store.cursor('x')).toBeUndefined();
    expect((await store.rule(account.id, rule.id))!.platforms.x!.matchCount).toBe(0);
    expect(await store.commit({ platform: 'x', at: at(0), events: [eventOf('a', [rule])] })).toMatchObject({
      added: 1,
    });
  });

  it('takes more matches in a commit than a millisecond has places for', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const first = await commit(...range(5000).map((index) => eventOf(`${index}`, [rule])));
    expect(first.added).toBe(5000);
    await commit(eventOf('last', [rule]));
    const newest = (await store.matches({ accountId: account.id, limit: 1000 })).matches;
    expect(posts(newest)[0]).toBe('last');
    expectOrdered(newest);
  });

  it('keeps the order when the clock is set back', async () => {
    await using stand = await stage(open);
    const { store, account, rule } = stand;
    const times = [5000, 5000, 1000, -3_600_000, 6000];
    for (const [index, time] of times.entries()) {
      await store.commit({ platform: 'x', at: at(time), events: [eventOf(`${index}`, [rule])] });
    }
    const { matches } = await store.matches({ accountId: account.id, limit: 10 });
    expect(posts(matches)).toEqual(['4', '3', '2', '1', '0']);
    expectOrdered(matches);
  });
}
