import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { fakeClock } from '../../test/stages/fake-clock.ts';
import { scriptedPlatform } from '../../test/stages/scripted-platform.ts';
import { openService } from '../../test/stages/service.ts';
import type { Broker, MatchPack } from '../broker/broker.ts';
import type { Role } from '../domain/role.ts';
import { localPlatform } from '../platforms/local/local.ts';
import { StoreError, type StoreFailure } from '../store/error.ts';
import { noMetrics } from './telemetry.ts';

/** A broker whose packs are done when the test says so. */
function scriptedBroker() {
  const serving = Promise.withResolvers<void>();
  const seen = { match: undefined as MatchPack | undefined, signal: undefined as AbortSignal | undefined };
  const broker = {
    packBytes: 1_000,
    trouble: undefined,
    ask: () => Promise.reject(new Error('no pack is sent here')),
    serve: (match: MatchPack, signal: AbortSignal) => {
      Object.assign(seen, { match, signal });
      return serving.promise;
    },
    tell: () => {},
    hear: () => () => {},
    backlog: async () => ({ waiting: 0, taken: 0, again: 0 }),
    [Symbol.asyncDispose]: async () => {},
  } satisfies Broker;
  return { broker, seen, done: serving.resolve };
}

const open = (roles?: readonly Role[], broker?: Broker) =>
  openService({ clock: fakeClock(), ...(roles && { roles }), ...(broker && { broker }) });

describe('a service that stops', () => {
  it('takes no new packs, and works until those that it took are matched', async () => {
    const { broker, seen, done } = scriptedBroker();
    const test = await open(undefined, broker);
    expect(seen.signal?.aborted).toBe(false);
    let isClosed = false;
    const closing = test.service.close().then(() => (isClosed = true));
    expect(seen.signal?.aborted).toBe(true);
    for (let turn = 0; turn < 50; turn++) await setImmediate();
    expect(isClosed).toBe(false);
    const pack = {
      platform: 'x',
      accountId: 'a',
      source: 'push',
      lines: Buffer.from('{"data":{"id":"1","text":"x"}}'),
    };
    const matched = seen.match!(pack as unknown as Parameters<MatchPack>[0]);
    // A pack that waits for the next commit is stored when the service closes.
    done();
    expect(await matched).toMatchObject({ accepted: 1, rejected: [] });
    await closing;
  });

  it('while it starts ends its start first', async () => {
    const test = await openService({ clock: fakeClock(), loaded: false });
    const starting = Promise.allSettled([test.service.start()]);
    await test.service.close();
    expect(await starting).toMatchObject([{ status: 'rejected', reason: { name: 'AbortError' } }]);
  });

  it('after a start that failed stops all the same', async () => {
    const test = await openService({ clock: fakeClock(), loaded: false });
    test.store.accounts = () => Promise.reject(new Error('the store is away'));
    await expect(test.service.start()).rejects.toThrow('the store is away');
    await test.service.close();
  });
});

describe('a service whose store goes away while it starts', () => {
  const gone = (reason: StoreFailure) => new StoreError(reason, 'the store is gone');
  /** Two steps of the start ask the store for these; each fails twice at first. */
  const asked = ['accounts', 'everyRule'] as const;

  async function stage(reason: StoreFailure) {
    const clock = fakeClock();
    const test = await openService({ clock, loaded: false });
    const failures = asked.map((name) => {
      const spy = vi.spyOn(test.store, name);
      for (let times = 0; times < 2; times++)
        spy.mockImplementationOnce(() => {
          throw gone(reason);
        });
      return spy;
    });
    return { clock, test, failures };
  }

  it.each(['away', 'busy'] as const)(
    'waits while it is %s, goes on, and says so once for each step',
    async (reason) => {
      const { clock, test, failures } = await stage(reason);
      let isStarted = false;
      const starting = test.service.start().then(() => (isStarted = true));
      await clock.pass(1_900);
      expect(isStarted).toBe(false);
      expect(test.service.context.readiness.notReady()).toEqual([
        'rules_loading',
        ...(reason === 'away' ? ['store_away'] : []),
      ]);
      await clock.pass(200);
      await starting;
      expect(failures.map(({ mock }) => mock.calls.length)).toEqual([3, 3]);
      expect(test.logged).toEqual(
        asked.map(() => 'warn the store does not answer; the start tries again until it does'),
      );
      expect(test.service.context.readiness.notReady()).toEqual([]);
      await test.service.close();
    },
  );

  it('ends with any other failure', async () => {
    const { test } = await stage('damaged');
    await expect(test.service.start()).rejects.toMatchObject({ reason: 'damaged' });
    await test.service.close();
  });

  it('stops when it is told to while it waits', async () => {
    const { test } = await stage('away');
    const starting = Promise.allSettled([test.service.start()]);
    await setImmediate();
    await test.service.close();
    expect(await starting).toMatchObject([{ status: 'rejected' }]);
  });
});

describe('a service does what its roles say', () => {
  it.each([
    [['api'], false],
    [['delivery', 'connector'], false],
    [['matcher'], true],
  ] as [Role[], boolean][])('as %j it matches packs: %s', async (roles, isServing) => {
    const { broker, seen, done } = scriptedBroker();
    done();
    await using _ = await open(roles, broker);
    expect(seen.match !== undefined).toBe(isServing);
  });
});

describe('a service on a store that others use', () => {
  it('is one of them before it reads the rules, so that no change is made between without its hearing of it', async () => {
    const test = await openService({ clock: fakeClock(), loaded: false });
    const { store } = test;
    vi.spyOn(store, 'isShared', 'get').mockReturnValue(true);
    const calls = [
      vi.spyOn(store, 'news').mockResolvedValue({ latest: 0, ruleChange: 0 }),
      vi.spyOn(store, 'reportNode').mockResolvedValue(new Date(0)),
      vi.spyOn(store, 'everyRule'),
    ];
    await test.service.start();
    const order = calls.map(({ mock }) => mock.invocationCallOrder[0]!);
    expect(order).toEqual(order.toSorted((one, other) => one - other));
    await test.service.close();
  });
});

describe('the loops of a service', () => {
  const LOOPS = ['noticeEvents', 'upstreams', 'watcher', 'rehearsals', 'feeds', 'budgets'] as const;
  const parts = ['dispatcher', ...LOOPS];

  /** A service whose loops run until the test ends them. */
  async function stage(roles?: readonly Role[]) {
    const test = await openService({ clock: fakeClock(), loaded: false, ...(roles && { roles }) });
    const { context } = test.service;
    const ends = new Map<string, () => void>();
    const signals = new Map<string, AbortSignal | undefined>();
    const loop = (name: string) => (signal?: AbortSignal) => {
      signals.set(name, signal);
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.set(name, resolve);
      return promise;
    };
    const started: string[] = [];
    vi.spyOn(context.dispatcher, 'start').mockImplementation(() => void started.push('dispatcher'));
    vi.spyOn(context.dispatcher, 'stop').mockImplementation(loop('dispatcher'));
    for (const name of LOOPS) Object.assign(context[name], { run: loop(name) });
    return { test, context, ends, signals, started };
  }

  it.each([
    [['api'], ['budgets', 'feeds']],
    [['delivery'], ['budgets', 'dispatcher', 'feeds', 'noticeEvents', 'watcher']],
    [['connector'], ['budgets', 'feeds', 'upstreams']],
    [['matcher'], ['budgets', 'feeds', 'rehearsals']],
  ] as [Role[], string[]][])('of %j are %j', async (roles, expected) => {
    const { test, ends, started } = await stage(roles);
    await test.service.start();
    expect([...ends.keys(), ...started].toSorted()).toEqual(expected);
    const closing = test.service.close();
    await endAll(ends, closing);
  });

  it('are all over before it has stopped, whichever takes longest', async () => {
    for (const slowest of parts) {
      const { test, ends, signals } = await stage();
      await test.service.start();
      let isClosed = false;
      const closing = test.service.close().then(() => (isClosed = true));
      await settle();
      for (const name of LOOPS) expect(signals.get(name)?.aborted).toBe(true);
      for (let round = 0; round < parts.length; round++) {
        for (const [name, end] of ends) if (name !== slowest) end();
        await settle();
      }
      expect([slowest, isClosed]).toEqual([slowest, false]);
      await endAll(ends, closing);
      expect(isClosed).toBe(true);
    }
  });

  const settle = async () => {
    for (let turn = 0; turn < 20; turn++) await setImmediate();
  };
  const endAll = async (ends: ReadonlyMap<string, () => void>, closing: Promise<unknown>) => {
    for (let round = 0; round < parts.length; round++) {
      for (const end of ends.values()) end();
      await settle();
    }
    await closing;
  };
});

describe('what a service does after a commit', () => {
  it('tells the index, the counts, the streams and the webhooks of it', async () => {
    const clock = fakeClock();
    await using test = await openService({ clock });
    const alice = await test.caller('alice');
    const rule = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };
    await test.call(alice, 'createRule', rule);
    const { matching, traffic, live, dispatcher } = test.service.context;
    const told: unknown[] = [];
    vi.spyOn(matching.rules.x.live, 'reanchorSome').mockImplementation(() => void told.push(['reanchor']));
    vi.spyOn(traffic, 'count').mockImplementation((...given) => void told.push(['count', ...given]));
    vi.spyOn(live, 'committed').mockImplementation((...given) => void told.push(['live', ...given]));
    vi.spyOn(dispatcher, 'owed').mockImplementation((...given) => void told.push(['owed', ...given]));
    const pushed = test.post(alice, 'a storm', 'calm');
    await clock.pass(25);
    await pushed;
    expect(told).toEqual([
      ['reanchor'],
      ['count', 'x', 2, 1],
      ['live', [alice.account.id]],
      ['owed', alice.account.id],
    ]);
  });
});

describe('what a service does with a gap', () => {
  it('counts it when it begins, and tells streams and agents of its beginning and its end', async () => {
    const clock = fakeClock();
    const x = scriptedPlatform('x', () => clock.now());
    const counted: string[] = [];
    const metrics = { ...noMetrics, gap: (platform: string) => void counted.push(platform) };
    await using test = await openService({ clock, metrics, platforms: { x, firehose: localPlatform('firehose') } });
    const { live, noticeEvents } = test.service.context;
    const announced = vi.spyOn(live, 'announce');
    const looked = vi.spyOn(noticeEvents, 'look');
    const caller = await test.caller('default', { xRules: 10 });
    const create = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };
    const created = test.call(caller, 'createRule', create);
    await clock.pass(1_000);
    await created;
    await clock.pass(60_000);
    await x.unregister([x.idOf('storm')]);
    await clock.pass(60_000);
    expect(announced.mock.calls.map(([{ to }]) => to !== undefined)).toEqual([false, true]);
    expect([counted, looked.mock.calls.length]).toEqual([['x'], 2]);
  });
});

describe('a stored rule that can no longer be read', () => {
  it('is failed and logged, and the others are matched', async () => {
    const clock = fakeClock();
    const first = await openService({ clock });
    const alice = await first.caller('alice');
    const rule = (text: string) => ({ name: text, intent: '', platforms: ['x'], overrides: { x: text } });
    const { rule_id } = await first.call(alice, 'createRule', rule('storm'));
    await first.call(alice, 'createRule', rule('rain'));
    await first.service.close();
    const { languages } = first.service.context;
    const { x } = languages;
    const stricter = {
      ...x,
      parse: (text: string, ...rest: never[]) => (text === 'storm' ? x.parse('(', ...rest) : x.parse(text, ...rest)),
      queryOf: (text: string) => (text === 'storm' ? undefined : x.queryOf(text)),
    };
    await using test = await openService({ clock, store: first.store, languages: { ...languages, x: stricter } });
    await clock.pass(0);
    const { platforms } = await test.call(alice, 'getRule', { rule_id });
    expect(platforms.x).toMatchObject({
      status: 'failed',
      error: 'This text is no longer valid. Validate Rule says why; change it with Update Rule.',
    });
    expect(test.logged).toContain('error a stored rule is no longer valid and is not matched');
    expect(test.service.context.matching.size('x')).toBe(1);
  });
});
