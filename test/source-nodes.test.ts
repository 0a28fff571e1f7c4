/** Several nodes on one PostgreSQL share the sources of accounts: each host is visited by one of them, and by another when that one is frozen. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Clock } from '../src/base/clock.ts';
import { systemClock } from '../src/base/clock.ts';
import { openPostgres } from '../src/store/postgres.ts';
import { startPostgresWithTables, type TestPostgres } from './stages/postgres.ts';
import { until } from './stages/receiver.ts';
import { openService, type TestService } from './stages/service.ts';
import { openWeb, rss, type Web } from './stages/web.ts';

let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgresWithTables();
});
afterAll(() => server[Symbol.asyncDispose]());

interface Node extends AsyncDisposable {
  readonly test: TestService;
  /** From now on it does nothing: no time passes for it, and what it asks the store for is not answered until it thaws. */
  freeze(): void;
  thaw(): void;
}

async function startNode(url: string, web: Web, name: string, now: () => Date): Promise<Node> {
  const store = await openPostgres(url);
  let frozen: Promise<void> | undefined;
  let thaw = () => {};
  const clock: Clock = {
    now,
    elapsed: () => systemClock.elapsed(),
    sleep: (milliseconds, signal) => systemClock.sleep(milliseconds, signal).then(() => frozen),
  };
  const held = new Proxy(store, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        const call = () => Reflect.apply(value, target, args) as unknown;
        return frozen === undefined ? call() : frozen.then(call);
      };
    },
  });
  const holder = { id: name, isGone: () => false };
  const visits = { ...web.visits, random: () => 0.5 };
  const test = await openService({ store: held, holder, clock, visits });
  return {
    test,
    freeze() {
      frozen = new Promise((resolve) => {
        thaw = resolve;
      });
    },
    thaw() {
      frozen = undefined;
      thaw();
    },
    async [Symbol.asyncDispose]() {
      await test[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

it('visits each source on one node, and on another when that one is frozen, without a match twice or missing', {
  timeout: 120_000,
}, async () => {
  const hosts = Array.from({ length: 24 }, (_, at) => `host${at}.example`);
  let round = 1;
  const inFlight = new Map<string, number>();
  let together = 0;
  await using web = await openWeb(async ({ host }) => {
    const now = (inFlight.get(host) ?? 0) + 1;
    inFlight.set(host, now);
    together = Math.max(together, now);
    await new Promise((resolve) => setImmediate(resolve));
    inFlight.set(host, now - 1);
    return rss(Array.from({ length: round }, (_, at) => `lava ${host} ${at}`).toReversed());
  });
  const url = await server.newDatabase();
  let ahead = 0;
  const now = () => new Date(Date.now() + ahead);
  await using one = await startNode(url, web, 'node-1', now);
  await using two = await startNode(url, web, 'node-2', now);
  const alice = await one.test.caller('alice');
  const rule = { name: 'Lava', intent: '', platforms: ['firehose'], overrides: { firehose: 'title:lava' } };
  await one.test.call(alice, 'createRule', rule);
  for (const host of hosts)
    await one.test.call(alice, 'createSource', {
      kind: 'feeds',
      name: host,
      options: { urls: [web.url(host)], every: 60 },
    });
  const titles = async () =>
    (await two.test.everyMatch(alice)).map(({ payload }) => String(payload['title'])).toSorted();
  const expected = () =>
    hosts.flatMap((host) => Array.from({ length: round }, (_, at) => `lava ${host} ${at}`)).toSorted();
  await until(async () => (await titles()).length >= expected().length);
  expect(await titles()).toEqual(expected());
  one.freeze();
  round = 2;
  ahead += 10 * 60_000;
  await until(async () => (await titles()).length >= expected().length);
  expect(await titles()).toEqual(expected());
  one.thaw();
  round = 3;
  ahead += 10 * 60_000;
  await until(async () => (await titles()).length >= expected().length);
  expect(await titles()).toEqual(expected());
  expect(together, 'requests to one host at the same time').toBe(1);
});
