/** Wake contracts through the whole service: real store, time as the test wants it, receivers that fail at random. */
import { describe, expect, it } from 'vitest';
import { randomFrom } from '../bench/random.ts';
import type { Outlet } from '../src/delivery/live/outlet.ts';
import { failedToSend, type Send } from '../src/delivery/webhooks/transport.ts';
import type { StoredMatch } from '../src/domain/match.ts';
import type { Digest, WakeContract } from '../src/domain/wake.ts';
import type { Caller } from '../src/service/access/caller.ts';
import { startStream } from '../src/service/matches/open-stream.ts';
import { waitForMatches } from '../src/service/matches/wait-for-matches.ts';
import type { Relevance } from '../src/service/reader/relevance.ts';
import { openSqlite } from '../src/store/sqlite.ts';
import type { Store } from '../src/store/store.ts';
import { type FakeClock, fakeClock } from './stages/fake-clock.ts';
import { until } from './stages/receiver.ts';
import { openService, type TestService } from './stages/service.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;

interface Body {
  readonly type: string;
  readonly wake?: boolean;
  readonly matches: readonly { readonly id: string }[];
  readonly digest?: Digest;
}

/** The deliveries that a receiver took, each once, as receivers are told to. */
class Inbox {
  readonly bodies = new Map<string, Body>();
  attempts = 0;
  changed = 0;
  refuses: () => boolean = () => false;
  readonly send: Send = async ({ headers, body }) => {
    this.attempts++;
    if (this.refuses()) return failedToSend('The connection broke.');
    const id = headers['webhook-id']!;
    const known = this.bodies.get(id);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(JSON.parse(body))) this.changed++;
    this.bodies.set(id, JSON.parse(body) as Body);
    return { ...failedToSend(''), statusCode: 200, error: undefined };
  };
  get wakes(): Body[] {
    return [...this.bodies.values()].filter(({ type }) => type === 'matches');
  }
  get digests(): Body[] {
    return [...this.bodies.values()].filter(({ type }) => type === 'digest');
  }
  /** The ids of all matches in wakes and digests. */
  get ids(): string[] {
    return [...this.bodies.values()].flatMap(({ matches, digest }) => [
      ...matches.map(({ id }) => id),
      ...(digest?.stories ?? []).flatMap(({ match_ids }) => match_ids),
    ]);
  }
}

interface Stand extends AsyncDisposable {
  readonly clock: FakeClock;
  readonly test: TestService;
  readonly caller: Caller;
  readonly inbox: Inbox;
  store(...texts: string[]): Promise<void>;
  pass(milliseconds: number): Promise<void>;
  webhook(change: object): Promise<string>;
}

/** A store whose matches say in their text which story they tell, and how relevant they are. */
async function openTold(clock: FakeClock): Promise<Store> {
  const real = await openSqlite(':memory:', { clock });
  const told = (match: StoredMatch): StoredMatch => {
    const text = JSON.stringify(match.payload);
    const story = /story (\w+)/.exec(text)?.[1];
    const relevance = /relevance (0\.\d+)/.exec(text)?.[1];
    return Object.assign(match, {
      storyId: story && `story_${story}`,
      relevanceVersion: relevance === undefined ? 0 : Number(relevance),
    });
  };
  const reads: Pick<Store, 'owedMatches' | 'matchesAfter'> = {
    owedMatches: async (...of) => (await real.owedMatches(...of)).map(told),
    async matchesAfter(query) {
      const page = await real.matchesAfter(query);
      return { ...page, matches: page.matches.map(told) };
    },
  };
  const store: Store = Object.create(real);
  return Object.assign(store, reads);
}

/** The relevance that the store above gives a match. */
const scoreOf = ({ relevanceVersion = 0 }: { relevanceVersion?: number }) =>
  relevanceVersion === 0 ? undefined : relevanceVersion;
const relevance: Relevance = {
  score: async (match) => scoreOf(match),
  basis: () => undefined,
  judge: async (match) => ({ relevance: scoreOf(match) }),
  words: async () => [],
};

async function stage(): Promise<Stand> {
  const clock = fakeClock();
  const inbox = new Inbox();
  const delivery = { allowPrivate: true, random: () => 0.5, send: inbox.send };
  const test = await openService({ clock, delivery, relevance, store: await openTold(clock) });
  const caller = await test.caller('one');
  const rule = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };
  await test.call(caller, 'createRule', rule);
  return {
    clock,
    test,
    caller,
    inbox,
    async store(...texts) {
      const pushed = test.post(caller, ...texts.map((text) => `storm ${text}`));
      await clock.pass(20);
      await pushed;
    },
    async pass(milliseconds) {
      await clock.pass(milliseconds);
      await until(() => test.service.context.dispatcher.inFlight === 0);
      await clock.pass(0);
    },
    async webhook(change) {
      const made = await test.call(caller, 'createWebhook', { url: 'https://receiver.test/', ...change });
      return made.webhook_id;
    },
    [Symbol.asyncDispose]: () => test.service.close(),
  };
}

const accountOf = async ({ test, caller }: Stand) =>
  (await test.call(caller, 'listWebhooks')).webhooks[0]!.wake_account;

describe('a webhook with a wake contract', () => {
  it('wakes as often as it may, holds the rest, and tells of it at the end of the window', async () => {
    await using stand = await stage();
    const { test, caller, inbox } = stand;
    const webhook_id = await stand.webhook({ wake: { per: 'match', at_most: '2/hour' } });
    expect(await accountOf(stand)).toEqual({ window_from: '2026-11-15T08:00:00.000Z', wakes: 0, held: 0, stories: 0 });
    await stand.store('flood one', 'quake two', 'fire three');
    await stand.pass(1_100);
    await stand.store('wind four', 'hail five');
    await stand.pass(1_100);
    expect(inbox.wakes).toMatchObject([{ wake: true, webhook_id, matches: [{}, {}] }]);
    expect(inbox.digests).toEqual([]);
    expect(await accountOf(stand)).toMatchObject({ wakes: 2, held: 3 });
    const { deliveries } = await test.call(caller, 'listDeliveries', { status: 'pending' });
    expect(deliveries).toMatchObject([{ digest: true, matches: 3, next_attempt_at: '2026-11-15T09:00:00.000Z' }]);
    await stand.pass(HOUR / 2);
    expect(inbox.digests).toMatchObject([{ type: 'digest', wake: false, matches: [], digest: { match_count: 3 } }]);
    const { matches } = await test.call(caller, 'listMatches');
    expect(inbox.ids.toSorted()).toEqual(matches.map(({ id }) => id).toSorted());
    expect(await accountOf(stand)).toEqual({ window_from: '2026-11-15T09:00:00.000Z', wakes: 0, held: 0, stories: 0 });
    await stand.store('six');
    await stand.pass(1_100);
    expect([inbox.wakes.length, inbox.digests.length]).toEqual([2, 1]);
  });

  it('per story wakes once for a story, and tells of its further matches by story', async () => {
    await using stand = await stage();
    const { inbox } = stand;
    await stand.webhook({ wake: { per: 'story' } });
    await stand.store('story a', 'story b', 'story a', 'alone', 'alone');
    await stand.pass(1_100);
    expect(inbox.wakes[0]!.matches).toHaveLength(4);
    await stand.store('story a again', 'story b again', 'story c');
    await stand.pass(1_100);
    expect(inbox.wakes[1]!.matches).toHaveLength(1);
    expect(await accountOf(stand)).toMatchObject({ wakes: 5, held: 3, stories: 5 });
    await stand.pass(16 * HOUR);
    expect(inbox.digests).toMatchObject([
      {
        digest: {
          match_count: 3,
          story_count: 2,
          stories: [
            { story_id: 'story_b', size: 1, title: 'storm story b again' },
            { story_id: 'story_a', size: 2, title: 'storm story a' },
          ],
        },
      },
    ]);
    // On the next day the stories have woken already.
    await stand.store('story a', 'story d');
    await stand.pass(1_100);
    expect(await accountOf(stand)).toMatchObject({ wakes: 1, held: 1, stories: 2 });
  });

  it('holds what is less relevant than it asks for, and wakes where that is not known', async () => {
    await using stand = await stage();
    await stand.webhook({ wake: { per: 'story', min_relevance: 0.6 } });
    await stand.store('story a relevance 0.2', 'story a relevance 0.7', 'story a relevance 0.9', 'unknown');
    await stand.pass(1_100);
    const { matches } = await stand.test.call(stand.caller, 'listMatches');
    expect(stand.inbox.ids).toEqual([matches[2]!.id, matches[0]!.id]);
  });

  it('without a limit tells of what it held at midnight', async () => {
    await using stand = await stage();
    await stand.webhook({ wake: { per: 'story' } });
    await stand.store('story a', 'story a');
    await stand.pass(1_100);
    expect(await accountOf(stand)).toMatchObject({ window_from: '2026-11-15T00:00:00.000Z', wakes: 1, held: 1 });
    await stand.pass(15 * HOUR);
    expect([stand.inbox.wakes.length, stand.inbox.digests.length]).toEqual([1, 0]);
    await stand.pass(HOUR);
    expect([stand.inbox.wakes.length, stand.inbox.digests.length]).toEqual([1, 1]);
  });

  it('wakes nobody in quiet hours, and tells what it held when they are over', async () => {
    await using stand = await stage();
    const { test, caller, inbox } = stand;
    const quiet = { from: '09:00', to: '12:30', zone: 'Europe/Berlin' };
    await stand.webhook({ wake: { at_most: '9/hour', quiet } });
    await stand.store('one', 'two');
    await stand.pass(1_100);
    expect([inbox.wakes, inbox.digests]).toEqual([[], []]);
    const { deliveries } = await test.call(caller, 'listDeliveries', { status: 'pending' });
    expect(deliveries).toMatchObject([{ digest: true, matches: 2, next_attempt_at: '2026-11-15T11:30:00.000Z' }]);
    await stand.pass(3 * HOUR);
    expect(inbox.digests).toMatchObject([{ wake: false, digest: { match_count: 2 } }]);
    await stand.store('three');
    await stand.pass(1_100);
    expect(inbox.wakes).toMatchObject([{ wake: true, matches: [{}] }]);
    expect(new Set(inbox.ids).size).toBe(3);
  });

  it('tells what it held at a local time, or as soon as so many wait', async () => {
    await using stand = await stage();
    const { inbox } = stand;
    const digest = { at: '18:00', when_waiting: 3 };
    await stand.webhook({
      wake: { at_most: '1/day', digest, quiet: { from: '22:00', to: '07:00', zone: 'Europe/Berlin' } },
    });
    await stand.store('one', 'two', 'three');
    await stand.pass(1_100);
    expect([inbox.wakes.length, inbox.digests.length]).toEqual([1, 0]);
    await stand.store('four', 'five', 'six');
    await stand.pass(2_100);
    expect(inbox.digests).toMatchObject([{ digest: { match_count: 3 } }]);
    await stand.pass(9 * HOUR);
    expect(inbox.digests).toMatchObject([{}, { digest: { match_count: 2 } }]);
    expect(new Set(inbox.ids).size).toBe(6);
  });

  it('waits over quiet days, however long they are', async () => {
    await using stand = await stage();
    const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri'];
    await stand.webhook({ wake: { quiet: { from: '00:00', to: '24:00', zone: 'UTC', days } } });
    await stand.store('one');
    await stand.pass(5 * 24 * HOUR);
    expect(stand.inbox.digests).toEqual([]);
    await stand.pass(24 * HOUR);
    expect(stand.inbox.digests).toMatchObject([{ digest: { match_count: 1 } }]);
  });

  it('wakes for so many matches within a time, says why, and begins to count anew', async () => {
    await using stand = await stage();
    const { inbox } = stand;
    await stand.webhook({ wake: { when: { count: 3, within: '10m' } } });
    await stand.store('one', 'two');
    await stand.pass(11 * MINUTE);
    await stand.store('three', 'four');
    await stand.pass(2 * MINUTE);
    expect(inbox.wakes).toEqual([]);
    await stand.store('five');
    await stand.pass(2 * MINUTE);
    expect(inbox.wakes).toMatchObject([{ wake: true, because: '3 matches in 3 minutes', matches: [{}] }]);
    await stand.store('six');
    await stand.pass(2 * MINUTE);
    expect(inbox.wakes).toHaveLength(1);
    await stand.pass(16 * HOUR);
    expect(inbox.digests).toMatchObject([{ digest: { match_count: 5 } }]);
    expect(new Set(inbox.ids).size).toBe(6);
  });

  it('looks at other rules: after one, unless one, and without one to follow', async () => {
    await using stand = await stage();
    const { test, caller, inbox } = stand;
    const rule = async (word: string) =>
      (await test.call(caller, 'createRule', { name: word, intent: '', platforms: ['x'], overrides: { x: word } }))
        .rule_id;
    const [outage, repaired] = [await rule('outage'), await rule('repaired')];
    await stand.webhook({ rule_ids: [outage, repaired], wake: { when: { without: repaired, within: '30m' } } });
    await stand.store('outage one');
    await stand.pass(20 * MINUTE);
    await stand.store('repaired', 'outage two');
    await stand.pass(29 * MINUTE);
    expect(inbox.bodies.size).toBe(0);
    await stand.pass(2 * MINUTE);
    expect(inbox.wakes).toMatchObject([
      {
        because: `no match of ${repaired} within 30 minutes`,
        matches: [{ payload: { data: { text: 'storm outage two' } } }],
      },
    ]);
    await stand.pass(16 * HOUR);
    expect(inbox.digests).toMatchObject([{ digest: { match_count: 2 } }]);
    inbox.bodies.clear();
    const [webhook_id] = (await test.call(caller, 'listWebhooks')).webhooks.map(({ id }) => id);
    const change = (wake: object) => test.call(caller, 'updateWebhook', { webhook_id, wake });
    expect(await change({ when: { after: outage, within: '1h' } })).toMatchObject({
      wake: { when: { after: outage, within: '1h' } },
    });
    await stand.store('repaired', 'outage three');
    await stand.pass(5 * MINUTE);
    await stand.store('repaired', 'repaired');
    await stand.pass(2_000);
    expect(inbox.wakes).toMatchObject([{ because: `6 minutes after a match of ${outage}`, matches: [{}] }]);
    inbox.bodies.clear();
    await change({ unless: outage });
    await stand.store('outage four', 'repaired');
    await stand.pass(HOUR);
    await stand.store('repaired');
    await stand.pass(2_000);
    expect(inbox.wakes.map(({ matches }) => matches.length)).toEqual([1, 1]);
  });

  it('is changed and taken away with Update Webhook, and what was held stays in its digest', async () => {
    await using stand = await stage();
    const { test, caller, inbox } = stand;
    const webhook_id = await stand.webhook({ wake: { at_most: '1/hour' } });
    await stand.store('one', 'two');
    await stand.pass(1_100);
    const change = (wake: unknown) => test.call(caller, 'updateWebhook', { webhook_id, wake });
    expect(await change({ per: 'story', at_most: '3/hour', min_relevance: 0.5 })).toMatchObject({
      wake: { per: 'story', at_most: '3/hour', min_relevance: 0.5 },
      wake_account: { wakes: 1, held: 1 },
    });
    expect(await change(null)).toMatchObject({ wake: null, wake_account: null });
    await stand.store('three', 'four', 'five');
    await stand.pass(1_100);
    expect(inbox.wakes.map(({ wake, matches }) => [wake, matches.length])).toEqual([
      [true, 1],
      [undefined, 3],
    ]);
    await stand.pass(HOUR);
    expect(inbox.digests).toMatchObject([{ digest: { match_count: 1 } }]);
    expect(new Set(inbox.ids).size).toBe(5);
  });

  it('writes a digest without what was erased meanwhile, and none when nothing is left', async () => {
    await using stand = await stage();
    await stand.webhook({ wake: { at_most: '1/hour' } });
    await stand.store('one', 'two', 'three');
    await stand.pass(1_100);
    const erase = (platform_post_id: string) =>
      stand.test.call(stand.caller, 'deleteMatches', { platform: 'x', platform_post_id });
    await erase('2');
    await stand.pass(HOUR);
    expect(stand.inbox.digests).toMatchObject([{ digest: { match_count: 1, stories: [{ title: 'storm three' }] } }]);
    await stand.store('four', 'five');
    await stand.pass(1_100);
    await erase('5');
    await stand.pass(HOUR);
    expect(stand.inbox.digests).toHaveLength(1);
    expect((await stand.test.call(stand.caller, 'listDeliveries', { status: 'pending' })).deliveries).toEqual([]);
  });

  it.each([
    [{ wake: { per: 'hour' } }, 'wake.per', '`match` or `story`'],
    [{ wake: { per: 'story', at_most: '5' } }, 'wake.at_most', '5/day'],
    [{ wake: { per: 'story', at_most: '0/day' } }, 'wake.at_most', 'from 1 to 999999'],
    [{ wake: { per: 'story', at_most: '5/week' } }, 'wake.at_most', '20/hour'],
    [{ wake: { per: 'story', min_relevance: 1.5 } }, 'wake.min_relevance', 'at most 1'],
    [{ wake: { per: 'story', most: 5 } }, 'wake.most', ''],
    [{ wake: { quiet: { from: '22:00', to: '7', zone: 'UTC' } } }, 'wake.quiet.to', '07:00'],
    [{ wake: { quiet: { from: '24:00', to: '07:00', zone: 'UTC' } } }, 'wake.quiet.from', '22:30'],
    [{ wake: { quiet: { from: '22:00', to: '07:00', zone: 'Berlin' } } }, 'wake.quiet.zone', 'Europe/Berlin'],
    [{ wake: { quiet: { from: '22:00', to: '22:00', zone: 'UTC' } } }, 'wake.quiet.to', 'another time'],
    [{ wake: { quiet: { from: '00:00', to: '24:00', zone: 'UTC' } } }, 'wake.quiet.to', 'ever wake'],
    [{ wake: { quiet: { from: '22:00', to: '07:00', zone: 'UTC', days: ['Monday'] } } }, 'wake.quiet.days.0', 'mon'],
    [{ wake: { digest: { at: '8:00' } } }, 'wake.digest.at', '07:00'],
    [{ wake: { digest: { zone: 'UTC' } } }, 'wake.digest.at', 'leave `digest` out'],
    [{ wake: { digest: { when_waiting: 0 } } }, 'wake.digest.when_waiting', 'at least 1'],
    [{ wake: { when: { count: 5 } } }, 'wake.when.within', '10m'],
    [{ wake: { when: { within: '10m' } } }, 'wake.when.count', '2 or more'],
    [{ wake: { when: { count: 5, within: '10' } } }, 'wake.when.within', 'such as 10m'],
    [{ wake: { when: { count: 5, within: '8d' } } }, 'wake.when.within', '7d at most'],
    [{ wake: { when: { count: 2, within: '1h', quiet_for: '1h' } } }, 'wake.when.quiet_for', 'alone'],
    [{ wake: 'story' }, 'wake', ''],
  ])('refuses %j at its place, and says what is right', async (wrong, path, words) => {
    await using stand = await stage();
    await expect(stand.webhook(wrong)).rejects.toMatchObject({
      code: 'invalid_argument',
      details: { issues: [{ path, message: expect.stringContaining(words) }] },
    });
  });

  it('takes null for no contract, no limit and no least relevance', async () => {
    await using stand = await stage();
    await stand.webhook({ wake: null });
    await stand.webhook({ wake: { per: 'story', at_most: null, min_relevance: null } });
    const { webhooks } = await stand.test.call(stand.caller, 'listWebhooks');
    expect(webhooks.map(({ wake }) => wake)).toEqual([null, { per: 'story', at_most: null, min_relevance: null }]);
  });

  it('lists quiet hours and digests as they were given, with the zone that holds', async () => {
    await using stand = await stage();
    const quiet = { from: '22:00', to: '24:00', zone: 'Asia/Kolkata' };
    await stand.webhook({
      wake: { quiet: { ...quiet, days: ['sat', 'fri'] }, digest: { at: '08:00', when_waiting: 9 } },
    });
    await stand.webhook({ wake: { quiet: null, digest: { at: '08:00' } } });
    const { webhooks } = await stand.test.call(stand.caller, 'listWebhooks');
    expect(webhooks.map(({ wake }) => [wake?.quiet, wake?.digest])).toEqual([
      [
        { ...quiet, days: ['fri', 'sat'] },
        { at: '08:00', zone: 'Asia/Kolkata', when_waiting: 9 },
      ],
      [undefined, { at: '08:00', zone: 'UTC' }],
    ]);
  });
});

describe('each match is in exactly one wake or digest', () => {
  it('when three dispatchers share the webhook, come and go, and receivers fail three times in ten', async () => {
    const seed = 20_261_115;
    const random = randomFrom(seed);
    const clock = fakeClock();
    const store = await openTold(clock);
    const inbox = new Inbox();
    inbox.refuses = () => random() < 0.3;
    const schedule = Array.from({ length: 40 }, () => 60);
    // All nodes have the same key: any of them may be the one that sends.
    const sealingKey = Buffer.alloc(32, 7);
    const delivery = { allowPrivate: true, random, send: inbox.send, schedule, sealingKey };
    const open = (id: string) => openService({ clock, store, delivery, holder: { id, isGone: () => false } });
    const nodes = await Promise.all(['a', 'b', 'c'].map(open));
    const [first] = nodes as [TestService, TestService, TestService];
    const caller = await first.caller('one');
    const rule = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };
    await first.call(caller, 'createRule', rule);
    const wake = { per: 'story', at_most: '3/hour' };
    await first.call(caller, 'createWebhook', { url: 'https://receiver.test/', wake });
    for (let round = 0; round < 12; round++) {
      const texts = Array.from({ length: 1 + Math.floor(random() * 40) }, (_, index) => `storm story ${index % 25}`);
      const pushed = first.post(caller, ...texts);
      await clock.pass(20);
      await pushed;
      for (const { service } of nodes) service.context.dispatcher.owed(undefined);
      await clock.pass(Math.floor(random() * 1_200_000));
      if (round === 4) await nodes[1]!.service.context.dispatcher.stop();
      if (round === 8) await nodes[2]!.service.context.dispatcher.stop();
    }
    await clock.pass(3 * HOUR);
    await until(() => first.service.context.dispatcher.inFlight === 0);
    const all = (await first.everyMatch(caller)).map(({ id }) => id);
    expect(inbox.ids.toSorted(), `seed ${seed}`).toEqual(all.toSorted());
    expect(inbox.changed).toBe(0);
    expect(inbox.attempts).toBeGreaterThan(inbox.bodies.size);
    const held = inbox.digests.reduce((sum, { digest }) => sum + digest!.match_count, 0);
    expect([inbox.digests.length > 2, inbox.wakes.length > 2, held > 100]).toEqual([true, true, true]);
    const pending = await first.call(caller, 'listDeliveries', { status: 'pending' });
    expect(pending.deliveries).toEqual([]);
    await first.service.close();
  });
});

describe('a wait with a wake contract', () => {
  const contract: WakeContract = { per: 'match', atMost: { count: 1, window: 'day' } };
  const never = new AbortController().signal;

  it('answers when something wakes, goes on from its cursor, and has the rest in the digest', async () => {
    await using stand = await stage();
    const { context } = stand.test.service;
    const wait = (cursor: string | undefined, milliseconds: number, limit = 10) =>
      waitForMatches(context, stand.caller, { cursor, limit, milliseconds, wake: contract }, never);
    const start = await wait(undefined, 0);
    expect(start).toMatchObject({ matches: [], digest: { match_count: 0 } });
    await stand.store('one', 'two', 'three');
    const first = await wait(start.cursor, 1_000);
    expect(first.matches).toHaveLength(1);
    expect(first.digest).toMatchObject({ match_count: 2 });
    // A wait with that cursor once more gives the same answer.
    expect((await wait(start.cursor, 1_000)).digest).toEqual(first.digest);
    await stand.store('four');
    let isDone = false;
    const second = wait(first.cursor, 5_000).finally(() => {
      isDone = true;
    });
    await stand.clock.pass(4_000);
    expect(isDone).toBe(false);
    await stand.clock.pass(1_000);
    expect(await second).toMatchObject({ matches: [], digest: { match_count: 1, stories: [{ title: 'storm four' }] } });
    expect((await wait((await second).cursor, 0)).digest).toMatchObject({ match_count: 0 });
  });

  it('answers nothing in quiet hours but what it held, when its time is over', async () => {
    await using stand = await stage();
    const { context } = stand.test.service;
    const wake: WakeContract = { per: 'match', quiet: { from: '08:00', to: '08:31', zone: 'UTC' } };
    const wait = (cursor: string | undefined, milliseconds: number) =>
      waitForMatches(context, stand.caller, { cursor, limit: 9, milliseconds, wake }, never);
    const { cursor } = await wait(undefined, 0);
    await stand.store('one', 'two');
    const waiting = wait(cursor, 10_000);
    await stand.clock.pass(10_000);
    const held = await waiting;
    expect(held).toMatchObject({ matches: [], digest: { match_count: 2 } });
    await stand.clock.pass(60_000);
    await stand.store('three');
    expect(await wait(held.cursor, 10_000)).toMatchObject({ matches: [{}], digest: { match_count: 0 } });
  });

  it('reads on at once while whole pages are held', async () => {
    await using stand = await stage();
    const { context } = stand.test.service;
    const { cursor } = await waitForMatches(context, stand.caller, { limit: 1, milliseconds: 0 }, never);
    await stand.store(...Array.from({ length: 30 }, (_, index) => `relevance 0.1 number ${index}`));
    const wake: WakeContract = { per: 'match', minRelevance: 0.5 };
    const waiting = waitForMatches(context, stand.caller, { cursor, limit: 4, milliseconds: 1_000, wake }, never);
    await stand.clock.pass(1_000);
    expect(await waiting).toMatchObject({ matches: [], digest: { match_count: 30 } });
  });

  it('has each match in one answer when it is read in small pages and cut', async () => {
    await using stand = await stage();
    const { context } = stand.test.service;
    const never2 = new AbortController().signal;
    let cursor = (await waitForMatches(context, stand.caller, { limit: 1, milliseconds: 0 }, never2)).cursor;
    await stand.store(...Array.from({ length: 30 }, (_, index) => `number ${index}`));
    const wake: WakeContract = { per: 'match', atMost: { count: 6, window: 'day' } };
    const seen: string[] = [];
    for (let turn = 0; turn < 40; turn++) {
      const waited = await waitForMatches(context, stand.caller, { cursor, limit: 4, milliseconds: 0, wake }, never2);
      const shown = waited.matches.slice(0, 3);
      const end = shown.length < waited.matches.length ? waited.cutAfter(shown.at(-1)!.position) : waited;
      seen.push(...shown.map(({ id }) => id), ...(end.digest?.stories ?? []).flatMap(({ match_ids }) => match_ids));
      ({ cursor } = end);
    }
    const all = (await stand.test.everyMatch(stand.caller)).map(({ id }) => id);
    expect(seen.toSorted()).toEqual(all.toSorted());
  });
});

describe('a stream with a wake contract', () => {
  it('is asked for in the address, sends what wakes, and tells of the rest with the next heartbeat', async () => {
    await using stand = await stage();
    const { context } = stand.test.service;
    let text = '';
    const outlet: Outlet = {
      write: (bytes) => {
        text += Buffer.from(bytes).toString();
        return true;
      },
      queued: 0,
      end: () => {},
      destroy: () => {},
    };
    const query = { wake: 'match', at_most: '2/day', min_relevance: '0.6' };
    const start = await startStream(context, stand.caller, query, undefined);
    expect(start.wake).toEqual({ per: 'match', atMost: { count: 2, window: 'day' }, minRelevance: 0.6 });
    context.live.subscribe({ ...start, outlet });
    await stand.clock.pass(600);
    await stand.store('one', 'two', 'three', 'four');
    await stand.clock.pass(600);
    // Before the digest goes out, one of its posts is erased.
    await stand.store('five');
    await stand.clock.pass(600);
    const erasing = stand.test.call(stand.caller, 'deleteMatches', { platform: 'x', platform_post_id: '5' });
    await stand.clock.pass(20);
    await erasing;
    const events = (name: string) => [...text.matchAll(new RegExp(`^event: ${name}\nid: .*\ndata: (.*)$`, 'gm'))];
    expect([events('match').length, events('digest').length]).toEqual([2, 0]);
    await stand.clock.pass(16_000);
    expect(events('digest').map(([, data]) => JSON.parse(data!) as Digest)).toMatchObject([{ match_count: 2 }]);
    const lastId = [...text.matchAll(/^id: (.*)$/gm)].at(-1)![1]!;
    const resumed = await startStream(context, stand.caller, query, lastId);
    text = '';
    context.live.subscribe({ ...resumed, outlet });
    await stand.clock.pass(16_000);
    expect([events('match').length, events('digest').length]).toEqual([0, 0]);
  });

  it('takes quiet hours in the address, and holds in them', async () => {
    await using stand = await stage();
    const { context } = stand.test.service;
    let text = '';
    const outlet: Outlet = {
      write: (bytes) => {
        text += Buffer.from(bytes).toString();
        return true;
      },
      queued: 0,
      end: () => {},
      destroy: () => {},
    };
    const query = { quiet: '22:00-10:00@Europe/Berlin,sat,sun' };
    const start = await startStream(context, stand.caller, query, undefined);
    const quiet = { from: '22:00', to: '10:00', zone: 'Europe/Berlin', days: ['sun', 'sat'] };
    expect(start.wake).toEqual({ per: 'match', quiet });
    context.live.subscribe({ ...start, outlet });
    await stand.clock.pass(600);
    await stand.store('one');
    await stand.clock.pass(16_000);
    const count = (name: string) => [...text.matchAll(new RegExp(`^event: ${name}$`, 'gm'))].length;
    expect([count('match'), count('digest')]).toEqual([0, 1]);
    await stand.clock.pass(HOUR / 2);
    await stand.store('two');
    await stand.clock.pass(600);
    expect([count('match'), count('digest')]).toEqual([1, 1]);
  });

  it.each([
    [{ wake: 'hour' }, 'wake'],
    [{ at_most: '5' }, 'at_most'],
    [{ min_relevance: '2' }, 'min_relevance'],
    [{ min_relevance: 'high' }, 'min_relevance'],
    [{ quiet: '22:00-07:00' }, 'quiet'],
    [{ quiet: '22:00-07:00@Berlin' }, 'quiet'],
    [{ quiet: '22:00-07:00@UTC,Monday' }, 'quiet'],
  ])('refuses %j', async (query, path) => {
    await using stand = await stage();
    await expect(startStream(stand.test.service.context, stand.caller, query, undefined)).rejects.toMatchObject({
      code: 'invalid_argument',
      details: { issues: [{ path }] },
    });
  });
});

describe('a silence', () => {
  const NIGHT = { until: '2026-11-15T10:30:00Z', reason: 'The bot tests its alarm.' };
  const never = new AbortController().signal;
  const silence = (stand: Stand, terms: object) =>
    stand.test.call(stand.caller, 'createSilence', { ...NIGHT, ...terms });

  it('holds what it covers for a webhook without a contract, and tells of it in one digest when it ends', async () => {
    await using stand = await stage();
    const { inbox } = stand;
    await stand.webhook({});
    const { silence_id } = await silence(stand, { text: 'Drill' });
    await stand.store('drill one', 'flood two', 'drill three');
    await stand.pass(1_100);
    await stand.store('drill four');
    await stand.pass(1_100);
    expect(inbox.wakes.map(({ matches }) => matches.length)).toEqual([1]);
    await stand.pass(HOUR);
    expect(inbox.digests).toEqual([]);
    await stand.pass(HOUR);
    expect(inbox.digests).toMatchObject([{ wake: false, matches: [], digest: { match_count: 3 } }]);
    expect(inbox.digests[0]!.digest!.stories.map((story) => story.silenced_by)).toEqual([
      [silence_id],
      [silence_id],
      [silence_id],
    ]);
    await stand.store('drill five');
    await stand.pass(1_100);
    expect(inbox.wakes).toHaveLength(2);
    const all = await stand.test.everyMatch(stand.caller);
    expect(inbox.ids.toSorted()).toEqual(all.map(({ id }) => id).toSorted());
  });

  it('sends what it held at once when it is ended, and nothing that another one holds', async () => {
    await using stand = await stage();
    const { test, caller, inbox } = stand;
    await stand.webhook({});
    const first = await silence(stand, { text: 'drill' });
    const second = await silence(stand, { text: 'maintenance' });
    expect(second.until).toBe('2026-11-15T10:30:00.001Z');
    await stand.store('drill one', 'maintenance two', 'drill three', 'four');
    await stand.pass(3_100);
    expect([inbox.wakes.length, inbox.digests.length]).toEqual([1, 0]);
    await test.call(caller, 'endSilence', { silence_id: first.silence_id });
    await stand.pass(1_100);
    expect(inbox.digests).toMatchObject([{ digest: { match_count: 2 } }]);
    await stand.store('drill five');
    await stand.pass(1_100);
    expect(inbox.wakes).toHaveLength(2);
    await stand.pass(3 * HOUR);
    expect(inbox.digests).toMatchObject([{}, { digest: { match_count: 1 } }]);
    expect(new Set(inbox.ids).size).toBe(5);
  });

  it('holds what it covers under a contract for its next digest', async () => {
    await using stand = await stage();
    await stand.webhook({ wake: { per: 'match', at_most: '9/hour' } });
    await silence(stand, { author: '@nobody' });
    await silence(stand, { text: 'drill' });
    await stand.store('drill one', 'two');
    await stand.pass(1_100);
    expect(stand.inbox.wakes.map(({ matches }) => matches.length)).toEqual([1]);
    await stand.pass(HOUR / 2);
    expect(stand.inbox.digests).toMatchObject([{ digest: { match_count: 1 } }]);
  });

  it('wakes no wait and comes as a digest on a stream, with a contract and without', async () => {
    await using stand = await stage();
    const { context } = stand.test.service;
    await silence(stand, { text: 'drill' });
    const texts = await Promise.all(
      [{}, { wake: 'match' }].map(async (query) => {
        const seen: string[] = [];
        const outlet: Outlet = {
          write: (bytes) => {
            seen.push(Buffer.from(bytes).toString());
            return true;
          },
          queued: 0,
          end: () => {},
          destroy: () => {},
        };
        const start = await startStream(context, stand.caller, query, undefined);
        context.live.subscribe({ ...start, outlet });
        return seen;
      }),
    );
    const waiting = waitForMatches(context, stand.caller, { limit: 9, milliseconds: 9_000 }, never);
    await stand.clock.pass(600);
    await stand.store('drill one');
    await stand.clock.pass(2_000);
    await stand.store('flood two');
    await stand.clock.pass(600);
    expect(await waiting).toMatchObject({ matches: [{}], digest: { match_count: 1 } });
    for (const seen of texts)
      expect([...seen.join('').matchAll(/^event: (match|digest)$/gm)].map(([, name]) => name)).toEqual([
        'digest',
        'match',
      ]);
    // Whoever reads it again, while the silence holds, is not woken either.
    const again = await waitForMatches(context, stand.caller, { limit: 9, milliseconds: 0, after: 0 }, never);
    expect([again.matches.length, again.digest?.match_count]).toEqual([1, 1]);
  });

  it('is listed with who made it and why while it holds, and is in the audit log', async () => {
    await using stand = await stage();
    const { test, caller, clock } = stand;
    const { rules } = await test.call(caller, 'listRules');
    const made = await silence(stand, { rule_ids: [rules[0]!.id], author: '@ada' });
    const terms = { rule_ids: [rules[0]!.id], source_ids: null, story_id: null, author: '@ada', text: null };
    expect(made).toMatchObject({ ...terms, reason: NIGHT.reason, by: { kind: 'key', key_id: caller.key.id } });
    expect((await test.call(caller, 'listSilences')).silences).toEqual([made]);
    await test.call(caller, 'endSilence', { silence_id: made.silence_id });
    expect((await test.call(caller, 'listSilences')).silences).toEqual([]);
    const { changes } = await test.call(caller, 'listChanges', { kind: 'silence' });
    expect(changes).toMatchObject([
      { what: 'silence.deleted', id: made.silence_id, before: { reason: NIGHT.reason } },
      { what: 'silence.created', id: made.silence_id, after: { ...terms, reason: NIGHT.reason } },
    ]);
    await expect(test.call(caller, 'endSilence', { silence_id: made.silence_id })).rejects.toMatchObject({
      code: 'not_found',
    });
    await silence(stand, {});
    await clock.pass(2 * HOUR);
    expect((await test.call(caller, 'listSilences')).silences).toEqual([]);
  });

  it.each([
    [{ until: '2026-11-15T08:00:00Z' }, 'until', 'in the future'],
    [{ until: '2027-11-15T08:00:00Z' }, 'until', '31 days'],
    [{ reason: '' }, 'reason', '1 to 500'],
    [{ source_ids: ['nowhere'] }, 'source_ids.0', ''],
    [{ text: '' }, 'text', '1 to 200'],
  ])('refuses %j at its place', async (wrong, path, words) => {
    await using stand = await stage();
    await expect(silence(stand, wrong)).rejects.toMatchObject({
      code: 'invalid_argument',
      details: { issues: [{ path, message: expect.stringContaining(words) }] },
    });
  });

  it('is one of a hundred that hold at most', async () => {
    await using stand = await stage();
    for (let count = 0; count < 100; count++) await silence(stand, {});
    await expect(silence(stand, {})).rejects.toMatchObject({
      code: 'resource_exhausted',
      details: { limit_code: 'silences', limit: 100 },
    });
  });
});
