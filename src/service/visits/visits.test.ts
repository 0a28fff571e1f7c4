import { describe, expect, it, vi } from 'vitest';
import { collect } from '../../../test/conformance/store/stage.ts';
import { until } from '../../../test/stages/receiver.ts';
import { openVisiting, type Visiting } from '../../../test/stages/visiting.ts';
import { openWeb, rss, type Web, type WebAnswer } from '../../../test/stages/web.ts';
import { LEAD_MS } from '../../sources/contract/source.ts';
import { SOURCE_SHARDS } from '../../sources/kinds/account-source.ts';
import type { Caller } from '../access/caller.ts';
import { noMetrics } from '../telemetry.ts';

const MINUTE = 60_000;

const titles = async (test: Visiting, caller: Caller): Promise<string[]> =>
  (await test.everyMatch(caller)).map(({ payload }) => String(payload['title'])).toReversed();

describe('a visit', () => {
  it('brings events to the rules of its owner and of no other account', async () => {
    await using web = await openWeb(() => rss(['lava flows']));
    await using test = await openVisiting(web);
    const [alice, bob] = [await test.caller('alice'), await test.caller('bob')];
    for (const caller of [alice, bob]) await test.rule(caller, 'lava');
    const source = await test.add(alice, web.url('news.example', '/feed'));
    await test.after(0);
    expect(await titles(test, alice)).toEqual(['lava flows']);
    expect(await titles(test, bob)).toEqual([]);
    const [match] = await test.everyMatch(alice);
    expect(match).toMatchObject({ source, source_name: 'News', payload: { source: { name: 'News' } } });
    expect(await test.call(alice, 'getSource', { source_id: source })).toMatchObject({ status: 'ok', events: 1 });
  });

  it('fetches once for two owners, each of whom gets everything', async () => {
    let listed = ['lava one'];
    await using web = await openWeb(() => rss(listed));
    await using test = await openVisiting(web);
    const [alice, bob] = [await test.caller('alice'), await test.caller('bob')];
    for (const caller of [alice, bob]) await test.rule(caller, 'lava');
    const url = web.url('news.example', '/feed');
    const first = await test.add(alice, url);
    await test.after(0);
    const second = await test.add(bob, url, { every: 120 });
    await test.after(0);
    // Bob reads what Alice has read already, and from then on both read together.
    expect(await titles(test, bob)).toEqual(['lava one']);
    const before = web.asked('news.example', '/feed');
    listed = ['lava two', ...listed];
    await test.after(5 * MINUTE);
    expect(web.asked('news.example', '/feed')).toBe(before + 1);
    for (const caller of [alice, bob]) expect(await titles(test, caller)).toEqual(['lava one', 'lava two']);
    await test.call(alice, 'deleteSource', { source_id: first });
    await test.after(5 * MINUTE);
    expect(web.asked('news.example', '/feed')).toBe(before + 2);
    await test.call(bob, 'deleteSource', { source_id: second });
    await test.after(60 * MINUTE);
    expect(web.asked('news.example', '/feed')).toBe(before + 2);
  });

  it('is not hastened by an account that adds what it reads already, however often, and brings each of them the next events', async () => {
    let listed = ['lava one'];
    await using web = await openWeb(() => rss(listed));
    await using test = await openVisiting(web);
    const alice = await test.caller('alice');
    await test.rule(alice, 'lava');
    const url = web.url('news.example', '/feed');
    await test.add(alice, url);
    await test.after(0);
    const before = web.asked('news.example', '/feed');
    const again: string[] = [];
    for (let count = 0; count < 3; count++) {
      again.push(await test.add(alice, url));
      await test.after(1_000);
    }
    expect(web.asked('news.example', '/feed')).toBe(before);
    listed = ['lava two', ...listed];
    await test.after(5 * MINUTE);
    for (const source_id of again)
      expect(await test.call(alice, 'getSource', { source_id })).toMatchObject({ status: 'ok', events: 2 });
  });

  const noHost = expect.stringContaining('One of its addresses has a host that is longer than any name may be');
  it.each([
    ['goes on', { ignore_text: ['a.{8}b', 'c.{8}d'] }, { status: 'ok', last_error: null }],
    ['goes on without an option that is new', { browser: undefined }, { status: 'ok', last_error: null }],
    [
      'says why not',
      { urls: [`https://${'火'.repeat(2_000)}/`] },
      { status: 'failing', last_error: { message: noHost } },
    ],
  ])('to a source of an older program, with other limits, %s', async (_, kept, shown) => {
    await using web = await openWeb(() => ({ body: '<p>Lava', headers: { 'content-type': 'text/html' } }));
    await using test = await openVisiting(web);
    const alice = await test.caller('alice');
    const asked = { urls: [web.url('news.example')], pause: 0 };
    const input = { kind: 'watch', name: 'Page', options: asked, paused: true };
    const { source_id } = await test.call(alice, 'createSource', input);
    const stored = (await test.store.accountSource(alice.account.id, source_id))!;
    const options = { ...stored.options, ...kept };
    const older = { ...stored, options, isPaused: false, fetchKey: 'older', host: 'news.example', shard: 0 };
    await test.store.changeSource(older, test.clock.now());
    test.service.context.visits.wake();
    await test.after(0);
    expect(await test.call(alice, 'getSource', { source_id })).toMatchObject(shown);
  });

  it('does not share what a secret opens', async () => {
    await using web = await openWeb(({ headers }) => rss([`lava ${String(headers['x-key'])}`]));
    await using test = await openVisiting(web);
    const [alice, bob] = [await test.caller('alice'), await test.caller('bob')];
    for (const caller of [alice, bob]) {
      await test.rule(caller, 'lava');
      await test.add(caller, web.url('news.example'), { secret: { 'X-Key': caller.account.name } });
    }
    await test.after(0);
    expect(await titles(test, alice)).toEqual(['lava alice']);
    expect(await titles(test, bob)).toEqual(['lava bob']);
  });

  it('comes more often to what brings something, and less often to what does not, within its bounds', async () => {
    let count = 0;
    let isBusy = true;
    await using web = await openWeb(() =>
      rss(Array.from({ length: isBusy ? ++count : count }, (_, at) => `n${at}`).toReversed()),
    );
    await using test = await openVisiting(web);
    const alice = await test.caller('alice');
    const source_id = await test.add(alice, web.url('news.example', '/'), { every: 60, slowest: 240 });
    const wait = async () => {
      const { next_at } = await test.call(alice, 'getSource', { source_id });
      const seconds = Math.round((Date.parse(next_at!) - test.clock.now().getTime()) / 1_000);
      await test.after(seconds * 1_000 + 1_000);
      return seconds;
    };
    await test.after(0);
    expect([await wait(), await wait()].every((seconds) => Math.abs(seconds - 60) <= 1)).toBe(true);
    isBusy = false;
    const waits = [await wait(), await wait(), await wait(), await wait(), await wait(), await wait()];
    expect(waits.at(-1)).toBeGreaterThan(235);
    expect(Math.max(...waits)).toBeLessThanOrEqual(240);
    expect(waits).toEqual(waits.toSorted((one, other) => one - other));
    expect(await test.call(alice, 'getSource', { source_id })).toMatchObject({ status: 'ok' });
    await test.after(30 * 24 * 60 * MINUTE);
    expect(await test.call(alice, 'getSource', { source_id })).toMatchObject({ status: 'silent' });
  });

  it.each<[string, WebAnswer, string]>([
    ['failing', { status: 500 }, 'answered 500'],
    ['blocked', { status: 403 }, 'answered 403'],
    ['changed', { body: '<p>Hello', headers: { 'content-type': 'text/html' } }, 'is not a feed'],
  ])('says that a source is %s, as a gap of its owner alone', async (status, answer, message) => {
    let current: WebAnswer = rss(['lava']);
    await using web = await openWeb(() => current);
    await using test = await openVisiting(web);
    const [alice, bob] = [await test.caller('alice'), await test.caller('bob')];
    for (const caller of [alice, bob]) await test.rule(caller, 'lava');
    const source_id = await test.add(alice, web.url('news.example'));
    await test.after(0);
    current = answer;
    await test.after(5 * MINUTE);
    const source = await test.call(alice, 'getSource', { source_id });
    expect(source).toMatchObject({ status, last_error: { message: expect.stringContaining(message) } });
    const gapsOf = async (caller: Caller) => (await test.call(caller, 'listMatches')).coverage.gaps;
    expect(await gapsOf(alice)).toMatchObject([{ cause: `source_down:${source_id}`, to: null }]);
    expect(await gapsOf(bob)).toEqual([]);
    current = rss(['lava two', 'lava']);
    await test.after(60 * MINUTE);
    expect(await test.call(alice, 'getSource', { source_id })).toMatchObject({ status: 'ok', last_error: null });
    expect(await gapsOf(alice)).toMatchObject([{ recovered: true }]);
    expect(await titles(test, alice)).toEqual(['lava', 'lava two']);
  });

  it('to a source of which one address is dead goes on as usual for the others, and their items all come', async () => {
    const listed = ['lava 0'];
    let isWell = false;
    await using web = await openWeb(({ path }) => (path === '/good' || isWell ? rss(listed) : { status: 404 }));
    await using test = await openVisiting(web);
    const alice = await test.caller('alice');
    await test.rule(alice, 'lava');
    await test.call(alice, 'createWebhook', { url: 'https://a.example/in', events: ['operational'] });
    const urls = ['/dead', '/good'].map((path) => web.url('news.example', path));
    const source_id = await test.add(alice, urls[0]!, { urls, slowest: 240, pause: 0 });
    await test.after(0);
    for (let at = 1; at <= 12; at++) {
      listed.unshift(`lava ${at}`);
      if (listed.length > 4) listed.pop();
      await test.after(5 * MINUTE);
    }
    expect(await titles(test, alice)).toEqual(Array.from({ length: 13 }, (_, at) => `lava ${at}`));
    const gaps = async () => (await test.call(alice, 'listMatches')).coverage.gaps;
    expect([await test.call(alice, 'getSource', { source_id }), await gaps()]).toMatchObject([
      { status: 'failing', last_error: { message: expect.stringContaining('answered 404') } },
      [{ to: null }],
    ]);
    const told = async () => (await test.call(alice, 'listDeliveries')).deliveries.length;
    expect(await told()).toBe(1);
    isWell = true;
    await test.after(5 * MINUTE);
    expect([await test.call(alice, 'getSource', { source_id }), await gaps()]).toMatchObject([
      { status: 'ok', last_error: null },
      [{ to: expect.any(String), recovered: true }],
    ]);
    expect(await told()).toBe(2);
  });

  it('leaves the gap of a source that fails, and ends it, although the store fails at both', async () => {
    let isWell = true;
    await using web = await openWeb(() => (isWell ? rss(['lava']) : { status: 500 }));
    await using test = await openVisiting(web);
    const alice = await test.caller('alice');
    await test.add(alice, web.url('news.example'));
    await test.after(0);
    const gaps = () => test.store.gaps({ platform: 'firehose', accountId: alice.account.id, limit: 9 });
    const away = () => Promise.reject(new Error('The store is away.'));
    const failOnce = () => [
      vi.spyOn(test.store, 'noteVisits').mockImplementationOnce(away),
      vi.spyOn(test.store, 'noteGaps').mockImplementationOnce(away),
    ];
    isWell = false;
    failOnce();
    await test.after(5 * MINUTE);
    expect(await gaps()).toMatchObject([{ to: undefined, recovered: false }]);
    isWell = true;
    failOnce();
    await test.after(60 * MINUTE);
    expect(await gaps()).toMatchObject([{ to: expect.any(Date), recovered: true }]);
  });

  it('is what its account hears by, and no push is needed', async () => {
    await using web = await openWeb(() => rss(['lava']));
    await using test = await openVisiting(web);
    const alice = await test.caller('alice');
    await test.add(alice, web.url('news.example'));
    const coverage = async () => (await test.call(alice, 'listMatches', { platform: 'firehose' })).coverage;
    expect((await coverage()).reasons).toEqual(['not_started']);
    await test.after(0);
    expect(await coverage()).toMatchObject({ complete: true, reasons: [], complete_through: expect.any(String) });
    const bob = await test.caller('bob');
    const of = await test.call(bob, 'listMatches', { platform: 'firehose' });
    expect(of.coverage.reasons).toEqual(['no_feed']);
  });

  it('that fails leaves a gap of an owner who comes meanwhile, too', async () => {
    let isWell = true;
    await using web = await openWeb(() => (isWell ? rss(['lava']) : { status: 500 }));
    await using test = await openVisiting(web);
    const [alice, bob] = [await test.caller('alice'), await test.caller('bob')];
    await test.add(alice, web.url('news.example'));
    await test.after(0);
    isWell = false;
    await test.after(5 * MINUTE);
    await test.add(bob, web.url('news.example'));
    await test.after(60 * MINUTE);
    const gaps = ({ account }: Caller) => test.store.gaps({ platform: 'firehose', accountId: account.id, limit: 9 });
    for (const caller of [alice, bob]) expect(await gaps(caller)).toMatchObject([{ to: undefined, recovered: false }]);
    isWell = true;
    await test.after(24 * 60 * MINUTE);
    for (const caller of [alice, bob]) expect(await gaps(caller)).toMatchObject([{ to: expect.any(Date) }]);
  });

  it('writes a gap when it begins and when it ends, and not with each failure, however many owners there are', async () => {
    let isWell = true;
    await using web = await openWeb(() => (isWell ? rss(['lava']) : { status: 500 }));
    await using test = await openVisiting(web);
    const add = async (name: string) => test.add(await test.caller(name), web.url('news.example'), { pause: 0 });
    for (let at = 0; at < 20; at++) await add('alice');
    await test.after(0);
    isWell = false;
    const noted = vi.spyOn(test.store, 'noteVisits');
    const written = () => {
      const visits = noted.mock.calls.flatMap(([some]) => some);
      noted.mockClear();
      return visits.map(({ gaps = [], owners }) => [gaps.length, owners.length]);
    };
    await test.after(5 * MINUTE);
    expect(written()).toEqual([[20, 20]]);
    // Each owner who comes has it visited again, which counts for nobody else.
    for (const name of ['bob', 'carol', 'dave']) {
      await add(name);
      await test.after(0);
    }
    expect(written()).toEqual([
      [1, 1],
      [1, 1],
      [1, 1],
    ]);
    await test.after(24 * 60 * MINUTE);
    expect(written()).toEqual([[0, 23]]);
    isWell = true;
    await test.after(24 * 60 * MINUTE);
    expect(written()).toEqual([[23, 23]]);
    await test.after(60 * MINUTE);
    expect(written()).toEqual([[0, 23]]);
  });

  it('ends the gap of an owner who rested when it answered again, and begins that of one who rested when it failed', async () => {
    let isWell = true;
    await using web = await openWeb(() => (isWell ? rss(['lava']) : { status: 500 }));
    await using test = await openVisiting(web);
    const [alice, bob, carol] = [await test.caller('alice'), await test.caller('bob'), await test.caller('carol')];
    const ids = new Map<Caller, string>();
    for (const caller of [alice, bob, carol]) ids.set(caller, await test.add(caller, web.url('news.example')));
    const pause = (caller: Caller, paused: boolean) =>
      test.call(caller, 'updateSource', { source_id: ids.get(caller)!, paused });
    const gaps = async ({ account }: Caller) =>
      (await test.store.gaps({ platform: 'firehose', accountId: account.id, limit: 9 })).map(
        ({ to, recovered }) => [to !== undefined, recovered] as const,
      );
    await test.after(0);
    await pause(carol, true);
    isWell = false;
    await test.after(5 * MINUTE);
    expect([await gaps(bob), await gaps(carol)]).toEqual([[[false, false]], []]);
    await pause(bob, true);
    await pause(carol, false);
    await test.after(60 * MINUTE);
    expect(await gaps(carol)).toEqual([[false, false]]);
    isWell = true;
    await test.after(24 * 60 * MINUTE);
    expect([await gaps(alice), await gaps(bob), await gaps(carol)]).toEqual([
      [[true, true]],
      [[false, false]],
      [[true, true]],
    ]);
    await pause(bob, false);
    await test.after(60 * MINUTE);
    // The others were served meanwhile: the list may have lost what he has missed.
    expect(await gaps(bob)).toEqual([[true, false]]);
  });

  it('of a source that was changed to an address that fails leaves a gap since the change, and of one that joins since then', async () => {
    await using web = await openWeb(({ host }) => (host === 'well.example' ? rss(['lava']) : { status: 500 }));
    await using test = await openVisiting(web);
    const [alice, bob] = [await test.caller('alice'), await test.caller('bob')];
    const source_id = await test.add(alice, web.url('well.example'));
    await test.after(0);
    await test.after(24 * 60 * MINUTE);
    const changed = test.clock.now();
    await test.call(alice, 'updateSource', { source_id, options: { urls: [web.url('ill.example')] } });
    await test.after(60 * MINUTE);
    const joined = test.clock.now();
    await test.add(bob, web.url('ill.example'));
    await test.after(0);
    for (const [{ account }, since] of [
      [alice, changed],
      [bob, joined],
    ] as const) {
      const gaps = await test.store.gaps({ platform: 'firehose', accountId: account.id, limit: 9 });
      expect(gaps).toMatchObject([{ to: undefined }]);
      expect(since.getTime() - gaps[0]!.from.getTime()).toBeLessThanOrEqual(LEAD_MS);
    }
  });

  it('that failed for an owner who came later is made up for: it reads what the others know already', async () => {
    let isWell = true;
    await using web = await openWeb(() => (isWell ? rss(['lava two', 'lava one']) : { status: 500 }));
    await using test = await openVisiting(web);
    const [alice, bob] = [await test.caller('alice'), await test.caller('bob')];
    for (const caller of [alice, bob]) await test.rule(caller, 'lava');
    await test.add(alice, web.url('news.example'));
    await test.after(0);
    isWell = false;
    await test.add(bob, web.url('news.example'));
    await test.after(0);
    // The host that fails is asked once for both.
    expect(web.asked('news.example', '/')).toBe(2);
    const gaps = async () => (await test.call(bob, 'listMatches')).coverage.gaps;
    expect([await titles(test, bob), await gaps()]).toMatchObject([[], [{ to: null }]]);
    isWell = true;
    await test.after(60 * MINUTE);
    expect(await titles(test, bob)).toEqual(['lava one', 'lava two']);
    expect(await gaps()).toMatchObject([{ to: expect.any(String), recovered: true }]);
  });

  it.each(['while it goes on', 'after it'])(
    'whose source was deleted keeps nothing from whoever adds the address %s',
    async (when) => {
      let listed = ['lava one'];
      let held: Promise<void> | undefined;
      await using web = await openWeb(async () => {
        await held;
        return rss(listed);
      });
      await using test = await openVisiting(web);
      const [alice, bob] = [await test.caller('alice'), await test.caller('bob')];
      await test.rule(bob, 'lava');
      const source_id = await test.add(alice, web.url('news.example'));
      await test.after(0);
      listed = ['lava two', 'lava one'];
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      const visited = test.after(5 * MINUTE);
      await until(() => web.asked('news.example', '/') === 2);
      await test.call(alice, 'deleteSource', { source_id });
      if (when === 'while it goes on') await test.add(bob, web.url('news.example'));
      resolve();
      await visited;
      if (when === 'after it') await test.add(bob, web.url('news.example'));
      await test.after(0);
      expect(await titles(test, bob)).toEqual(['lava one', 'lava two']);
    },
  );

  it('that has to leave something out is a gap since the last good one', async () => {
    let listed = ['lava one'];
    await using web = await openWeb(() => rss(listed));
    await using test = await openVisiting(web);
    const alice = await test.caller('alice');
    const source_id = await test.add(alice, web.url('news.example'));
    await test.after(0);
    const { last_good_at } = await test.call(alice, 'getSource', { source_id });
    listed = [`lava ${'x'.repeat(200_000)}`, ...listed];
    await test.after(60 * MINUTE);
    const gaps = await test.store.gaps({ platform: 'firehose', accountId: alice.account.id, limit: 9 });
    const unread = gaps.filter(({ cause }) => cause.startsWith('source_unread'));
    expect(unread.map(({ from }) => from.getTime() <= Date.parse(last_good_at!))).toEqual([true]);
  });

  it('reads nothing again because its pause or its first visit is to be another, and keeps the pause', async () => {
    await using web = await openWeb(() => rss(['lava two', 'lava one']));
    await using test = await openVisiting(web);
    const alice = await test.caller('alice');
    const source_id = await test.add(alice, web.url('news.example'), { pause: 0 });
    await test.after(0);
    const before = (await test.store.accountSource(alice.account.id, source_id))!;
    await test.call(alice, 'updateSource', { source_id, options: { pause: 2, first: 'skip' } });
    await test.call(alice, 'updateSource', { source_id, options: { first: 'whole' } });
    await test.after(0);
    const after = (await test.store.accountSource(alice.account.id, source_id))!;
    expect([after.events, after.fetchKey]).toEqual([before.events, before.fetchKey]);
    const every = Array.from({ length: SOURCE_SHARDS }, (_, shard) => shard);
    const nobody = { hosts: [], accounts: [] };
    const [fetch] = await test.store.nextFetches(every, nobody, { by: test.clock.now(), most: 1 });
    expect(fetch!.options).toMatchObject({ pause: 2, first: 'whole' });
    const { options } = await test.call(alice, 'updateSource', {
      source_id,
      options: { urls: [web.url('b.example')] },
    });
    expect(options).toMatchObject({ pause: 2 });
    await test.after(0);
    expect(await test.store.accountSource(alice.account.id, source_id)).toMatchObject({ events: 4 });
  });

  it('ends the gap of a source that fails when the source is deleted, and keeps it while its account rests', async () => {
    let isWell = true;
    await using web = await openWeb(() => (isWell ? rss(['lava']) : { status: 500 }));
    await using test = await openVisiting(web);
    const alice = await test.caller('alice');
    const [gone, kept] = [
      await test.add(alice, web.url('a.example'), { first: 'skip' }),
      await test.add(alice, web.url('b.example')),
    ];
    await test.after(0);
    isWell = false;
    await test.after(5 * MINUTE);
    const gapOf = async (source: string) =>
      (await test.store.gaps({ platform: 'firehose', accountId: alice.account.id, limit: 9 })).find(
        (gap) => gap.source === source,
      );
    expect([(await gapOf(gone))?.to, (await gapOf(kept))?.to]).toEqual([undefined, undefined]);
    await test.call(alice, 'deleteSource', { source_id: gone });
    expect(await gapOf(gone)).toMatchObject({ to: expect.any(Date), recovered: false });
    await test.store.suspendAccount(alice.account.id, { at: test.clock.now(), reason: '' });
    await test.service.context.suspensions.follow();
    await test.after(60 * MINUTE);
    expect(await test.store.accountSource(alice.account.id, kept)).toMatchObject({ status: 'waiting' });
    isWell = true;
    await test.store.resumeAccount(alice.account.id);
    await test.service.context.suspensions.follow();
    await test.after(24 * 60 * MINUTE);
    expect(await gapOf(kept)).toMatchObject({ to: expect.any(Date), recovered: true });
  });

  it('says that a source has moved, and reads it there', async () => {
    await using web = await openWeb(({ path }) =>
      path.startsWith('/new') ? rss(['lava']) : { status: 301, headers: { location: '/new?token=hush' } },
    );
    await using test = await openVisiting(web);
    const alice = await test.caller('alice');
    await test.rule(alice, 'lava');
    const source_id = await test.add(alice, web.url('news.example', '/old'));
    await test.after(0);
    expect(await test.call(alice, 'getSource', { source_id })).toMatchObject({
      status: 'moved',
      last_error: { message: expect.stringContaining('/new?*** for good') },
    });
    expect(await titles(test, alice)).toEqual(['lava']);
  });

  it('sends notices to webhooks that want them', async () => {
    let isWell = true;
    await using web = await openWeb(() => (isWell ? rss(['lava']) : { status: 500 }));
    await using test = await openVisiting(web);
    const alice = await test.caller('alice');
    await test.call(alice, 'createWebhook', { url: 'https://a.example/in', events: ['operational'] });
    const source_id = await test.add(alice, web.url('news.example'));
    await test.after(0);
    isWell = false;
    for (let time = 0; time < 4; time++) await test.after(60 * MINUTE);
    isWell = true;
    await test.after(24 * 60 * MINUTE);
    const { deliveries } = await test.call(alice, 'listDeliveries');
    expect(deliveries).toHaveLength(2);
    expect(source_id).toMatch(/^source_/);
  });

  it('takes a changed secret along the next time', async () => {
    await using web = await openWeb(({ headers }) => (headers['x-key'] === 'new' ? rss(['lava']) : { status: 401 }));
    await using test = await openVisiting(web);
    const alice = await test.caller('alice');
    await test.rule(alice, 'lava');
    const source_id = await test.add(alice, web.url('news.example'), { secret: { 'X-Key': 'old' } });
    await test.after(0);
    expect(await test.call(alice, 'getSource', { source_id })).toMatchObject({ status: 'blocked' });
    await test.call(alice, 'updateSource', { source_id, options: { secret: { 'X-Key': 'new' } } });
    await test.after(0);
    expect(web.requests.map(({ headers }) => headers['x-key'])).toEqual(['old', 'new']);
    expect(await titles(test, alice)).toEqual(['lava']);
    await test.after(60 * MINUTE);
    expect(web.requests.at(-1)?.headers['x-key']).toBe('new');
    expect(await test.call(alice, 'getSource', { source_id })).toMatchObject({ last_error: null });
  });

  it('is counted by what was found', async () => {
    const visited: string[] = [];
    await using web = await openWeb(({ host }) => (host === 'good.example' ? rss(['lava']) : { status: 500 }));
    await using test = await openVisiting(web, { metrics: { ...noMetrics, visited: (found) => visited.push(found) } });
    const alice = await test.caller('alice');
    for (const host of ['good.example', 'bad.example']) await test.add(alice, web.url(host));
    await test.after(0);
    expect(visited.toSorted()).toEqual(['failing', 'ok']);
  });

  it('stays away for as long as a host asks, whoever has the source', async () => {
    await using web = await openWeb(() => ({ status: 429, headers: { 'retry-after': '7200' } }));
    await using test = await openVisiting(web);
    const [alice, bob] = [await test.caller('alice'), await test.caller('bob')];
    await test.add(alice, web.url('news.example', '/a'));
    await test.after(0);
    const source_id = await test.add(bob, web.url('news.example', '/b'));
    await test.after(0);
    expect(web.requests).toHaveLength(1);
    const { next_at } = await test.call(bob, 'getSource', { source_id });
    expect(Date.parse(next_at!) - test.clock.now().getTime()).toBeGreaterThan(7_100_000);
  });

  it('brings an account that has reached its bytes of the day nothing until the next, and others what is theirs', async () => {
    let count = 1;
    await using web = await openWeb(() => rss(Array.from({ length: count }, (_, at) => `lava ${at}`).toReversed()));
    await using test = await openVisiting(web);
    const [alice, bob] = [await test.caller('alice'), await test.caller('bob')];
    for (const caller of [alice, bob]) {
      await test.rule(caller, 'lava');
      await test.add(caller, web.url('news.example'));
    }
    await test.after(0);
    const before = (await titles(test, alice)).length;
    await test.store.changeLimits(alice.account.id, { source_bytes_per_day: 1 });
    await test.service.context.suspensions.follow();
    count = 2;
    await test.after(5 * MINUTE);
    expect(await titles(test, alice)).toHaveLength(before);
    expect(await titles(test, bob)).toHaveLength(count);
    await test.after(24 * 60 * MINUTE);
    for (const caller of [alice, bob]) expect(await titles(test, caller)).toHaveLength(count);
  });

  it('counts what is fetched: an account over its hour waits and says so, and whoever shares the source does not', async () => {
    let count = 1;
    await using web = await openWeb(() => rss(Array.from({ length: count }, (_, at) => `lava ${at}`).toReversed()));
    await using test = await openVisiting(web);
    const [alice, bob] = [await test.caller('alice'), await test.caller('bob')];
    for (const caller of [alice, bob]) await test.rule(caller, 'lava');
    await test.store.changeLimits(alice.account.id, { source_fetches_per_hour: 2 });
    await test.service.context.suspensions.follow();
    const [shared, own] = [web.url('news.example'), web.url('other.example')];
    const added = async (caller: Caller, url: string) => {
      const id = await test.add(caller, url);
      await test.after(0);
      return id;
    };
    await added(bob, shared);
    const source_id = await added(alice, shared);
    await added(alice, own);
    const used = async (caller: Caller) =>
      (await test.call(caller, 'status')).limits.find(({ code }) => code === 'source_fetches_per_hour')?.used;
    expect(await used(alice)).toBe(2);
    count = 2;
    await test.after(10 * MINUTE);
    // Bob's visits go on; Alice has made the fetches of her hour.
    expect(web.asked('other.example', '/')).toBe(1);
    expect(await titles(test, bob)).toEqual(['lava 0', 'lava 1']);
    expect(await titles(test, alice)).toEqual(['lava 0', 'lava 0']);
    expect(await test.call(alice, 'getSource', { source_id })).toMatchObject({
      status: 'waiting',
      last_error: { message: expect.stringMatching(/has made 2 fetches in this hour.* It goes on at 09:00 UTC\./) },
    });
    const gaps = async () => (await test.call(alice, 'listMatches')).coverage.gaps;
    expect(await gaps()).toMatchObject([{ to: null }, { to: null }]);
    await test.after(60 * MINUTE);
    expect(await titles(test, alice)).toHaveLength(4);
    expect(await test.call(alice, 'getSource', { source_id })).toMatchObject({ status: 'ok', last_error: null });
    // Her own source went on where it was; of the shared one Bob's visits had gone on.
    const ended = Map.groupBy(await gaps(), ({ cause }) => (cause.endsWith(source_id) ? 'shared' : 'own'));
    expect(ended.get('own')).toMatchObject([{ to: expect.any(String), recovered: true }]);
    expect(ended.get('shared')).toMatchObject([{ to: expect.any(String), recovered: false }]);
  });

  it('counts for an owner what it wanted itself, and no visit that others wanted or could bring about', async () => {
    await using web = await openWeb(() => rss(['lava']));
    await using test = await openVisiting(web);
    const [alice, bob] = [await test.caller('alice'), await test.caller('bob')];
    const ids = [alice, bob].map(({ account }) => account.id);
    const used = async () => {
      const use = await test.store.sourceUse(ids, test.clock.now());
      return ids.map((id) => use.get(id)!.fetches);
    };
    const url = web.url('news.example');
    await test.add(alice, url, { every: 3_600, pause: 0 });
    await test.after(0);
    const source_id = await test.add(bob, url, { every: 60, slowest: 60, pause: 0 });
    await test.after(0);
    for (let at = 0; at < 5; at++) await test.after(2 * MINUTE);
    expect(await used()).toEqual([1, 6]);
    const asked = web.asked('news.example', '/');
    for (const paused of [true, false, true, false]) {
      await test.call(bob, 'updateSource', { source_id, paused });
      await test.after(0);
    }
    const input = { kind: 'feeds', name: 'News', options: { urls: [url], every: 60, pause: 0 }, paused: true };
    const added = await test.call(bob, 'createSource', input);
    await test.after(0);
    await test.call(bob, 'deleteSource', added);
    await test.call(bob, 'deleteSource', { source_id });
    await test.after(0);
    expect(web.asked('news.example', '/')).toBe(asked);
    await test.after(60 * MINUTE);
    expect(await used()).toEqual([1, 0]);
  });

  it('counts the CPU that documents took, shared by who shares the source, and tests and discovery read in one thread', async () => {
    await using web = await openWeb(({ path }) => (path === '/feed' ? rss(['lava']) : { status: 404 }));
    await using test = await openVisiting(web);
    const [alice, bob] = [await test.caller('alice'), await test.caller('bob')];
    const { accountUses, cpuUse } = test.service.context;
    const added = vi.spyOn(accountUses, 'add');
    const noted: string[] = [];
    const nameOf = (id: string): string => (id === alice.account.id ? 'alice' : 'bob');
    cpuUse.listen(({ account }, milliseconds, by) => noted.push(`${nameOf(account.id)} ${by} ${milliseconds >= 0}`));
    const url = web.url('news.example', '/feed');
    for (const caller of [alice, bob]) await test.add(caller, url);
    await test.after(0);
    added.mockClear();
    await test.after(5 * MINUTE);
    expect(added.mock.calls.map(([id, used]) => [id, Object.keys(used)])).toEqual(
      [alice, bob].map(({ account }) => [account.id, ['cpu_ms']]),
    );
    let threads = 0;
    const count = () => threads++;
    process.on('worker', count);
    const tried = { kind: 'feeds', options: { urls: [url] } };
    await Promise.all([
      ...[alice, alice, bob, bob].map((caller) => test.call(caller, 'testSource', tried)),
      test.call(alice, 'discoverSource', { url }),
    ]);
    process.off('worker', count);
    expect(threads).toBe(1);
    expect(noted.toSorted()).toEqual([...Array(3).fill('alice reading true'), ...Array(2).fill('bob reading true')]);
  });

  it('counts tests and discovery, which are refused when the hour is used up', async () => {
    await using web = await openWeb(({ path }) => (path === '/feed' ? rss(['lava']) : { status: 404 }));
    await using test = await openVisiting(web, { limits: { sourceFetchesPerHour: 3 } });
    const alice = await test.caller('alice');
    const url = web.url('news.example', '/feed');
    const tried = { kind: 'feeds', options: { urls: [url] } };
    expect(await test.call(alice, 'testSource', tried)).toMatchObject({ problem: null });
    // The second fetch of the account, and as many more as it has left.
    await test.call(alice, 'discoverSource', { url });
    expect(web.requests).toHaveLength(3);
    for (const asked of [test.call(alice, 'testSource', tried), test.call(alice, 'discoverSource', { url })])
      await expect(asked).rejects.toMatchObject({
        code: 'resource_exhausted',
        details: { limit_code: 'source_fetches_per_hour', limit: 3, used: 3 },
      });
    expect(web.requests).toHaveLength(3);
  });
});

it('sends the header and the cookie of a watched page to its host alone, and shows them to nobody', async () => {
  const page = (text: string) => ({ headers: { 'content-type': 'text/html' }, body: `<p class="price">${text}</p>` });
  let price = 'lava 40';
  await using web = await openWeb(({ host, path, headers }) => {
    if (path === '/robots.txt') return { status: 404 };
    if (host === 'other.example') return page('lava elsewhere');
    if (headers.cookie !== 'session=hush' || headers['x-key'] !== 'hush') return { status: 403 };
    return path === '/away' ? { status: 302, headers: { location: web.url('other.example') } } : page(price);
  });
  await using test = await openVisiting(web);
  const alice = await test.caller('alice');
  const secret = { cookie: 'session=hush', 'X-Key': 'hush' };
  const asked = (path: string) => ({
    kind: 'watch',
    options: { urls: [web.url('shop.example', path)], select: '.price', every: 60, secret },
  });
  const { events } = await test.call(alice, 'testSource', asked('/'));
  expect(events).toMatchObject([{ event: { diff: { chunks: [{ text: 'lava 40' }] } } }]);
  const [kept] = [
    await test.call(alice, 'createSource', { ...asked('/'), name: 'Lamp' }),
    await test.call(alice, 'createSource', { ...asked('/away'), name: 'Away' }),
  ];
  const everything = { name: 'All', intent: '', platforms: ['firehose'], overrides: { firehose: 'lava' } };
  await test.call(alice, 'createRule', everything);
  await test.after(0);
  price = 'lava 35';
  await test.after(60 * MINUTE);
  const [match] = (await test.everyMatch(alice)).filter(({ source }) => source === kept.source_id);
  expect(match!.payload).toMatchObject({ source: { original: { rows: [{ before: 'lava 40', after: 'lava 35' }] } } });
  const elsewhere = web.requests.filter(({ host }) => host === 'other.example');
  expect(elsewhere.length).toBeGreaterThan(0);
  for (const { headers } of elsewhere) expect(JSON.stringify(headers)).not.toContain('hush');
  const stored = await collect(test.store.accountSources(alice.account.id));
  expect(stored.every(({ secret: sealed }) => sealed !== undefined)).toBe(true);
  const shown = [
    await test.call(alice, 'listSources'),
    await test.call(alice, 'listChanges'),
    await test.everyMatch(alice),
    stored,
    test.logged,
  ];
  expect(JSON.stringify(shown)).not.toContain('hush');
});

it('visits no private address, whatever its name resolves to', async () => {
  await using web = await openWeb(() => rss(['lava']));
  const resolve: NonNullable<typeof web.visits.resolve> = (_name, _options, back) =>
    back(null, [{ address: '127.0.0.1', family: 4 }]);
  const { isPublic: _, ...visits } = web.visits;
  await using test = await openVisiting({ ...web, visits }, { visits: { resolve } });
  const alice = await test.caller('alice');
  const source_id = await test.add(alice, web.url('inside.example'));
  await test.after(0);
  expect(await test.call(alice, 'getSource', { source_id })).toMatchObject({
    status: 'failing',
    last_error: { message: expect.stringContaining('private address') },
  });
  expect(web.requests).toEqual([]);
});

describe('a host that several accounts have sources on', () => {
  const addresses = (web: Web, ...paths: string[]) => paths.map((path) => web.url('news.example', path));
  const paths = (web: Web) => web.requests.map(({ path }) => path);

  it('is free for others between the parts of a long visit, which ends with what all of them found', async () => {
    await using web = await openWeb(({ path }) => (path === '/a/1' ? { status: 500 } : rss([`lava ${path}`])));
    await using test = await openVisiting(web, { visits: { partMs: 0 } });
    const [alice, bob] = [await test.caller('alice'), await test.caller('bob')];
    for (const caller of [alice, bob]) await test.rule(caller, 'lava');
    const urls = addresses(web, '/a/1', '/a/2', '/a/3');
    const long = await test.add(alice, urls[0]!, { urls, pause: 0 });
    await test.add(bob, web.url('news.example', '/b'));
    await test.after(0);
    expect(paths(web)).toEqual(['/a/1', '/b', '/a/2', '/a/3']);
    expect(await titles(test, alice)).toEqual(['lava /a/2', 'lava /a/3']);
    expect(await test.call(alice, 'getSource', { source_id: long })).toMatchObject({
      status: 'failing',
      events: 2,
      last_error: { message: expect.stringContaining('answered 500') },
    });
  });

  it('is visited as usual for a long source while one of its parts answers, and later and later when none does', async () => {
    let hasDied = false;
    await using web = await openWeb(({ path }) => (path === '/2' || hasDied ? { status: 404 } : rss(['lava'])));
    await using test = await openVisiting(web, { visits: { partMs: 0 } });
    const alice = await test.caller('alice');
    const urls = addresses(web, '/1', '/2');
    await test.add(alice, urls[0]!, { urls, slowest: 240, pause: 0 });
    await test.after(0);
    for (let at = 0; at < 8; at++) await test.after(5 * MINUTE);
    expect(web.asked('news.example', '/1')).toBe(9);
    hasDied = true;
    for (let at = 0; at < 12; at++) await test.after(5 * MINUTE);
    expect(web.asked('news.example', '/1')).toBe(12);
  });

  it('is visited for each of them in turn, however many sources one has', async () => {
    await using web = await openWeb(({ path }) => rss([path]));
    await using test = await openVisiting(web);
    const [alice, bob, carol] = [await test.caller('alice'), await test.caller('bob'), await test.caller('carol')];
    const add = async (caller: Caller, ...given: string[]) => {
      for (const url of addresses(web, ...given)) await test.add(caller, url);
    };
    await add(alice, '/a/1', '/a/2', '/a/3', '/a/4');
    await add(bob, '/b/1', '/b/2');
    await add(carol, '/c/1');
    await test.after(0);
    expect(paths(web)).toEqual(['/a/1', '/b/1', '/c/1', '/a/2', '/b/2', '/a/3', '/a/4']);
  });

  it('is left in the middle of a visit by an account that has used up its fetches, which goes on there', async () => {
    await using web = await openWeb(({ path }) => rss([path]));
    await using test = await openVisiting(web, { limits: { sourceFetchesPerHour: 2 } });
    const alice = await test.caller('alice');
    const urls = addresses(web, '/1', '/2', '/3');
    const source_id = await test.add(alice, urls[0]!, { urls, pause: 0 });
    await test.after(0);
    expect(paths(web)).toEqual(['/1', '/2']);
    expect(await test.call(alice, 'getSource', { source_id })).toMatchObject({
      status: 'waiting',
      last_error: { message: expect.stringContaining('source_fetches_per_hour') },
    });
    await test.after(60 * MINUTE);
    expect(paths(web)).toEqual(['/1', '/2', '/3']);
    expect(await test.call(alice, 'getSource', { source_id })).toMatchObject({ status: 'ok', last_error: null });
  });
});

describe('a rule that is limited to sources', () => {
  const limited = (sources: readonly string[], text: string) => ({
    name: text,
    intent: '',
    platforms: ['firehose'],
    overrides: { firehose: text },
    options: { sources },
  });

  async function stage() {
    const web = await openWeb(({ path }) => rss([`lava ${path}`, `rain ${path}`]));
    const test = await openVisiting(web);
    const alice = await test.caller('alice');
    const add = (path: string) => test.add(alice, web.url('news.example', path));
    const close = async () => {
      await test.service.close();
      await web[Symbol.asyncDispose]();
    };
    return { web, test, alice, add, [Symbol.asyncDispose]: close };
  }

  it('matches what they bring and nothing else', async () => {
    await using stand = await stage();
    const { test, alice, add, web } = stand;
    // VisitOutcome before there is a rule: what is there already is not matched afterwards.
    const [one, two] = [await add('/one'), await add('/two')];
    const [three, rule] = [
      await add('/three'),
      await test.call(alice, 'createRule', limited([one, two], 'title:lava')),
    ];
    await test.after(0);
    const page = { id: 'p', title: 'lava pushed' };
    await test.call(alice, 'pushEvents', { platform: 'firehose', lines: JSON.stringify(page) });
    for (const id of [one, two, three]) {
      const { options } = await test.call(alice, 'getSource', { source_id: id });
      const [url] = options['urls'] as string[];
      await test.call(alice, 'updateSource', { source_id: id, options: { urls: [`${url}/again`] } });
    }
    await test.after(0);
    const found = (await titles(test, alice)).filter((title) => title.endsWith('again'));
    expect(found.toSorted()).toEqual(['lava /one/again', 'lava /two/again']);
    expect(await titles(test, alice)).not.toContain('lava pushed');
    expect(await test.call(alice, 'getRule', { rule_id: rule.rule_id })).toMatchObject({ sources: [one, two] });
    expect(web.requests.length).toBeGreaterThan(0);
  });

  it('matches anything that they bring with *', async () => {
    await using stand = await stage();
    const { test, alice, web } = stand;
    const source = await test.add(alice, web.url('news.example', '/a'), { first: 'skip' });
    await test.add(alice, web.url('other.example', '/b'));
    await test.after(0);
    const { rule_id } = await test.call(alice, 'createRule', limited([source], '*'));
    await test.call(alice, 'updateSource', {
      source_id: source,
      options: { urls: [web.url('news.example', '/c')], first: 'whole' },
    });
    await test.after(0);
    expect((await titles(test, alice)).toSorted()).toEqual(['lava /c', 'rain /c']);
    const [match] = await test.everyMatch(alice);
    expect(match).toMatchObject({ rule_id, source, highlights: [] });
    expect((await test.call(alice, 'listMatches', { source })).matches).toHaveLength(2);
    expect((await test.call(alice, 'listMatches', { source: 'push' })).matches).toEqual([]);
    await test.call(alice, 'updateRule', { rule_id, overrides: { firehose: 'title:rain' } });
    await expect(
      test.call(alice, 'updateRule', { rule_id, overrides: { firehose: '*' }, options: { sources: null } }),
    ).rejects.toThrow('limited to sources');
    await test.call(alice, 'deleteRule', { rule_id });
  });

  it('is refused with a source that the account does not have', async () => {
    await using stand = await stage();
    const { test, add, alice } = stand;
    const bob = await test.caller('bob');
    const source = await add('/one');
    const tried = test.call(bob, 'createRule', limited([source], '*'));
    await expect(tried).rejects.toMatchObject({ details: { issues: [{ path: 'options.sources.0' }] } });
    await expect(
      test.call(alice, 'createRule', { ...limited([source], '*'), overrides: { firehose: '' } }),
    ).rejects.toThrow('empty');
    const { options: _, ...everything } = limited([source], '*');
    const x = { ...everything, platforms: ['x'], overrides: { x: '*' } };
    await expect(test.call(alice, 'createRule', x)).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});
