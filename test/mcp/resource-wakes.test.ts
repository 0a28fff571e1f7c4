/** A subscription to the matches of a rule is on the record of wakes: one notification for each, over connections and restarts. */
import { expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { ensureFirstKey } from '../../src/service/access/keys.ts';
import type { OperationName } from '../../src/service/operations.ts';
import { openSqlite } from '../../src/store/sqlite.ts';
import { type App, type HeldClock, OPERATOR_KEY, startApp } from '../stages/http-app.ts';
import { type Agent, answered, overHttp } from './clients.ts';

const RULE = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };
const DAY = 24 * 60 * 60 * 1_000;

/** Time that goes on by itself, and is moved. */
function movedClock(): HeldClock {
  let ahead = 0;
  return {
    ...systemClock,
    now: () => new Date(systemClock.now().getTime() + ahead),
    forward(milliseconds) {
      ahead += milliseconds;
    },
  };
}

interface Told {
  readonly uri: string;
  readonly wakeId: string;
  readonly matches: number;
}

/** A client that notes what it is told. */
async function listener(agent: Agent, ...uris: string[]) {
  const { client } = agent;
  if (!('listen' in client)) throw new Error('the newest client can listen');
  const told: Told[] = [];
  client.setNotificationHandler('notifications/resources/updated', ({ params: { uri: of, _meta } }) => {
    const meta = _meta as Record<string, unknown>;
    told.push({ uri: of, wakeId: String(meta['sluice/wake_id']), matches: Number(meta['sluice/matches']) });
  });
  const subscription = await client.listen({ resourceSubscriptions: uris });
  return {
    told,
    until: async (count: number) => {
      await expect.poll(() => told.length).toBe(count);
      return told.at(-1)!;
    },
    /** Reads the resource; answers the wake that this acknowledged. */
    read: async () => {
      const { _meta: meta } = await client.readResource({ uri: uris[0]! });
      return meta?.['sluice/wake_id'];
    },
    close: () => subscription.close(),
    closed: subscription.closed,
  };
}

async function stage(app: App) {
  const url = await app.http.listen({ host: '127.0.0.1', port: 0 });
  const agent = await overHttp(url, undefined, OPERATOR_KEY);
  const call = async (operation: OperationName, input: object = {}) => {
    const path = `/api.${operation.charAt(0).toUpperCase()}${operation.slice(1)}`;
    const headers = { authorization: `Bearer ${OPERATOR_KEY}` };
    return (await app.http.inject({ method: 'POST', url: path, headers, payload: input })).json();
  };
  const push = (id: string) =>
    app.http.inject({
      method: 'POST',
      url: '/events?platform=x',
      headers: { authorization: `Bearer ${OPERATOR_KEY}`, 'content-type': 'application/x-ndjson' },
      payload: JSON.stringify({ data: { id, text: `storm ${id}` } }),
    });
  const states = async (): Promise<string[]> =>
    (await call('listWakes', { limit: 50 })).wakes.map(({ state }: { state: string }) => state);
  return {
    agent,
    call,
    push,
    states,
    async [Symbol.asyncDispose]() {
      await agent[Symbol.asyncDispose]();
      app.http.server.closeAllConnections();
    },
  };
}

const ruleOf = async ({ agent }: { agent: Agent }) =>
  answered<{ rule_id: string }>(await agent.call('create_rule', RULE)).rule_id;

it('tells of a wake once, and of the next when the first was acknowledged by reading', async () => {
  await using app = await startApp({ clock: movedClock() });
  await using test = await stage(app);
  const client = await listener(test.agent, `sluice://rules/${await ruleOf(test)}/matches`);
  await test.push('1');
  const first = await client.until(1);
  expect(first).toMatchObject({ matches: 1 });
  await test.push('2');
  await test.push('3');
  expect(await test.states()).toEqual(['offered']);
  expect(client.told).toHaveLength(1);
  expect(await client.read()).toBe(first.wakeId);
  const second = await client.until(2);
  expect(second).toMatchObject({ matches: 2 });
  expect(await test.states()).toEqual(['offered', 'acknowledged']);
  expect(await test.call('acknowledgeWake', { wake_id: second.wakeId })).toEqual({ first: true });
  expect(await client.read()).toBeUndefined();
  expect(client.told).toHaveLength(2);
  await client.close();
});

it('reads a resource by the address that it was subscribed to by, whatever letters the name of its rule has', async () => {
  await using app = await startApp({ clock: movedClock() });
  await using test = await stage(app);
  await test.call('createRule', { ...RULE, name: 'Stürme im März' });
  const one = await listener(test.agent, `sluice://rules/${encodeURIComponent('Stürme im März')}/matches`);
  await test.push('1');
  const { wakeId } = await one.until(1);
  expect(await one.read()).toBe(wakeId);
});

it('tells a client that comes back of the same wake until it is acknowledged, and of all that matched while it was away', async () => {
  await using app = await startApp({ clock: movedClock() });
  await using test = await stage(app);
  const uri = `sluice://rules/${await ruleOf(test)}/matches`;
  const client = await listener(test.agent, uri);
  await test.push('1');
  const { wakeId } = await client.until(1);
  await client.close();
  await test.push('2');
  await test.push('3');
  const back = await listener(test.agent, uri);
  expect((await back.until(1)).wakeId).toBe(wakeId);
  answered(await test.agent.call('wait_for_matches', { acknowledge_wake: wakeId, wait_seconds: 0 }));
  expect(await back.until(2)).toMatchObject({ matches: 2 });
  await back.read();
  await back.close();
  const again = await listener(test.agent, uri);
  await test.push('4');
  expect(await again.until(1)).toMatchObject({ matches: 1 });
  await again.close();
});

it('looks at the resource whose rule matched, and at no other that the client listens to', async () => {
  await using app = await startApp({ clock: movedClock() });
  await using test = await stage(app);
  const ids = await Promise.all(
    Array.from({ length: 20 }, async (_, at) => {
      const rule = { ...RULE, name: `rule ${at}`, overrides: { x: at === 7 ? 'storm' : `calm${at}` } };
      return answered<{ rule_id: string }>(await test.agent.call('create_rule', rule)).rule_id;
    }),
  );
  const { store } = app.context;
  const reads = { subscriptions: 0, subscription: 0, webhook: 0, pendingDeliveries: 0 };
  for (const name of ['subscriptions', 'subscription', 'webhook', 'pendingDeliveries'] as const) {
    const read = store[name].bind(store) as (...asked: unknown[]) => unknown;
    const counted = (...asked: unknown[]): unknown => {
      reads[name]++;
      return read(...asked);
    };
    Object.assign(store, { [name]: counted });
  }
  const client = await listener(test.agent, ...ids.map((id) => `sluice://rules/${id}/matches`));
  await expect.poll(() => reads.webhook).toBe(ids.length);
  await expect.poll(() => reads.pendingDeliveries).toBeGreaterThanOrEqual(ids.length);
  expect(reads.subscriptions).toBe(0);
  Object.assign(reads, { subscription: 0, webhook: 0, pendingDeliveries: 0 });
  await test.push('1');
  const { wakeId } = await client.until(1);
  // The record is made, and refreshed, once a day.
  expect(reads.subscription).toBe(0);
  expect(reads.webhook).toBeLessThan(5);
  expect(reads.pendingDeliveries).toBeLessThan(10);
  Object.assign(reads, { webhook: 0, pendingDeliveries: 0 });
  await test.call('acknowledgeWake', { wake_id: wakeId });
  await test.push('2');
  await client.until(2);
  expect(reads.webhook).toBeLessThan(8);
  expect(reads.pendingDeliveries).toBeLessThan(10);
  await client.close();
});

it('goes on after a restart of the server, and a week without a client ends it', async () => {
  const clock = movedClock();
  await using store = await openSqlite(':memory:', { clock });
  await ensureFirstKey(store, clock.now(), OPERATOR_KEY);
  const start = () => startApp({ clock, store: () => store });
  let [uri, wakeId] = ['', ''];
  {
    await using app = await start();
    await using test = await stage(app);
    uri = `sluice://rules/${await ruleOf(test)}/matches`;
    const client = await listener(test.agent, uri);
    await test.push('1');
    ({ wakeId } = await client.until(1));
  }
  await using app = await start();
  await using test = await stage(app);
  const client = await listener(test.agent, uri);
  expect((await client.until(1)).wakeId).toBe(wakeId);
  await client.read();
  await client.close();
  clock.forward(8 * DAY);
  await test.push('2');
  const late = await listener(test.agent, uri);
  await test.push('3');
  expect(await late.until(1)).toMatchObject({ matches: 1 });
  await late.close();
});

it('lasts for as long as a client is there and something matches', async () => {
  const clock = movedClock();
  await using app = await startApp({ clock });
  await using test = await stage(app);
  const client = await listener(test.agent, `sluice://rules/${await ruleOf(test)}/matches`);
  for (const time of [1, 2, 3]) {
    clock.forward(3 * DAY);
    await test.push(`${time}`);
    await client.until(time);
    await client.read();
  }
  expect((await test.call('listSubscriptions')).subscriptions).toMatchObject([{ status: 'active' }]);
  await client.close();
});

it('has at most 100 resources', async () => {
  await using app = await startApp();
  const url = await app.http.listen({ host: '127.0.0.1', port: 0 });
  await using agent = await overHttp(url, undefined, OPERATOR_KEY);
  const { client } = agent;
  if (!('listen' in client)) throw new Error('the newest client can listen');
  const many = Array.from({ length: 101 }, (_, index) => `sluice://rules/${index}/matches`);
  await expect(client.listen({ resourceSubscriptions: many })).rejects.toThrow('at most 100 resources');
});
