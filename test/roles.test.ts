/** Processes of different roles on one PostgreSQL: each does its own work, and hears of what the others left to it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runExclusively } from '../src/app/run-exclusively.ts';
import { systemClock } from '../src/base/clock.ts';
import type { Role } from '../src/domain/role.ts';
import { openPostgres } from '../src/store/postgres.ts';
import { openSqlite } from '../src/store/sqlite.ts';
import { fakeClock } from './stages/fake-clock.ts';
import { startPostgresWithTables, type TestPostgres } from './stages/postgres.ts';
import { openReceiver, until } from './stages/receiver.ts';
import { openService, type TestService } from './stages/service.ts';

let server: TestPostgres | undefined;
beforeAll(async () => {
  server = await startPostgresWithTables();
});
afterAll(() => server?.[Symbol.asyncDispose]());

interface Node extends AsyncDisposable {
  readonly test: TestService;
}

const noLog = { info: () => {}, warn: () => {}, error: () => {} };

/** All nodes seal with one key, as `SLUICE_SEALING_KEY` has it. */
const sealingKey = Buffer.alloc(32, 7);

async function openNode(url: string, roles: readonly Role[]): Promise<Node> {
  const store = await openPostgres(url);
  const holder = { id: roles.join(), isGone: () => false };
  const delivery = { allowPrivate: true, sealingKey };
  const test = await openService({ store, holder, roles, clock: systemClock, delivery });
  return {
    test,
    async [Symbol.asyncDispose]() {
      await test[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

const rule = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };

describe('roles', () => {
  it('leave deliveries to those who deliver, and tell them of what is asked for elsewhere', async () => {
    const url = await server!.newDatabase();
    await using receiver = await openReceiver();
    await using api = await openNode(url, ['api', 'connector', 'matcher']);
    const { test } = api;
    const alice = await test.caller('alice');
    await test.call(alice, 'createRule', rule);
    const { webhook_id } = await test.call(alice, 'createWebhook', { url: receiver.url });
    await test.post(alice, 'a storm');
    expect(test.service.context.dispatcher.inFlight).toBe(0);
    await using other = await openNode(url, ['delivery']);
    await until(() => receiver.received.length === 1);

    await test.post(alice, 'another storm');
    await until(() => receiver.received.length === 2);

    await test.call(alice, 'updateWebhook', { webhook_id, paused: true });
    await test.post(alice, 'a third storm');
    await test.call(alice, 'updateWebhook', { webhook_id, paused: false });
    await until(() => receiver.received.length === 3);

    await until(async () => {
      const { deliveries } = await test.call(alice, 'listDeliveries', { webhook_id, status: 'delivered' });
      return deliveries.length === 3;
    });
    const { deliveries } = await test.call(alice, 'listDeliveries', { webhook_id });
    await test.call(alice, 'redeliverWebhook', { webhook_id, delivery_id: deliveries[0]!.id });
    await until(() => receiver.received.length === 4);

    // Nodes that deliver hold no rules: neither those that there were, nor new ones.
    await test.call(alice, 'createRule', { ...rule, name: 'Hail', overrides: { x: 'hail' } });
    expect(test.service.context.matching.size('x')).toBe(2);
    expect(other.test.service.context.matching.size('x')).toBe(0);
    expect(other.test.service.context.readiness.notReady()).toEqual([]);
  });

  it('give work that only one may do to another when the first ends', async () => {
    const url = await server!.newDatabase();
    await using one = await openPostgres(url);
    await using two = await openPostgres(url);
    const working: string[] = [];
    const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const worker = (store: typeof one, id: string, index: number, signal: AbortSignal) =>
      runExclusively(
        { store, clock: systemClock, holder: { id, isGone: () => false }, log: noLog },
        'work',
        signal,
        async (given) => {
          working.push(id);
          begun[index]!.resolve();
          await new Promise((resolve) => {
            given.addEventListener('abort', resolve);
          });
        },
      );
    const first = new AbortController();
    const second = new AbortController();
    const firstDone = worker(one, 'first', 0, first.signal);
    await begun[0]!.promise;
    const secondDone = worker(two, 'second', 1, second.signal);
    first.abort();
    await firstDone;
    await begun[1]!.promise;
    expect(working).toEqual(['first', 'second']);
    second.abort();
    await secondDone;
  });

  it.each([true, false])('begin work that failed again, with all of it ended before: shared %s', async (isShared) => {
    await using file = await openSqlite(':memory:');
    const store = { ...file, isShared };
    const clock = fakeClock();
    const logged: string[] = [];
    const signals: AbortSignal[] = [];
    const log = { ...noLog, error: (_: object, message: string) => void logged.push(message) };
    const stopping = new AbortController();
    const holder = { id: 'one', isGone: () => false };
    const done = runExclusively({ store, clock, holder, log }, 'work', stopping.signal, async (signal) => {
      signals.push(signal);
      if (signals.length === 1) throw new Error('The store is away.');
    });
    await clock.pass(1_999);
    const free = await store.takeLease({ name: 'work', holder: 'two', now: clock.now(), milliseconds: 1 });
    expect([signals.map(({ aborted }) => aborted), logged.length, 'heldBy' in free]).toEqual([[true], 1, false]);
    await clock.pass(3_000);
    expect(signals).toHaveLength(2);
    stopping.abort();
    await done;
    expect(logged).toHaveLength(1);
  });
});
