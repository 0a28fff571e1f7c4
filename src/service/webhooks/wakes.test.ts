import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { heldClock } from '../../../test/stages/http-app.ts';
import { openService, type TestService } from '../../../test/stages/service.ts';
import { systemClock } from '../../base/clock.ts';
import type { WebhookRequest } from '../../delivery/webhooks/transport.ts';
import { WAKE_TTL_MS } from '../../wakes/wake-state.ts';
import type { Caller } from '../access/caller.ts';

const clock = heldClock();
let test: TestService;
let alice: Caller;
const requests: WebhookRequest[] = [];
let answer = 200;

beforeEach(async () => {
  requests.length = 0;
  answer = 200;
  test = await openService({
    clock,
    delivery: {
      publicUrl: 'https://sluice.example',
      schedule: [1],
      allowPrivate: true,
      async send(request) {
        requests.push(request);
        const error = answer < 300 ? undefined : 'It failed.';
        return { statusCode: answer, error, response: '', overloaded: false, retryAfter: undefined };
      },
    },
  });
  alice = await test.caller('alice');
  await test.call(alice, 'createRule', { name: 'lava', intent: '', platforms: ['x'], overrides: { x: 'lava' } });
});
afterEach(() => test[Symbol.asyncDispose]());

const wakeOf = async (agent = 'ada') => (await test.call(alice, 'nextWake', { agent })).wake;
const acknowledge = (wake_id: string, who = alice) => test.call(who, 'acknowledgeWake', { wake_id });
const states = async () => (await test.call(alice, 'listWakes')).wakes.map(({ state }) => state);
const webhook = (url: string, more: object = {}) => test.call(alice, 'createWebhook', { url, format: 'wake', ...more });

/** Until the service has sent so many. */
async function sent(count: number): Promise<WebhookRequest[]> {
  for (; requests.length < count; await setImmediate()) clock.forward(50);
  return requests;
}

describe('an agent that asks', () => {
  it('has one wake until it is acknowledged, and the next for all that came meanwhile', async () => {
    await webhook('wake:ada');
    expect(await wakeOf()).toBeNull();
    await test.post(alice, 'lava one');
    const { waiting } = await test.call(alice, 'listWakes');
    expect(waiting).toMatchObject([{ agent: 'ada', matches: 1 }]);
    const first = (await wakeOf())!;
    await test.post(alice, 'lava two', 'lava three');
    expect(await wakeOf()).toEqual(first);
    expect(await states()).toEqual(['offered']);
    expect(await acknowledge(first.id)).toEqual({ first: true });
    expect(await acknowledge(first.id)).toEqual({ first: false });
    const second = (await wakeOf())!;
    expect(second.id).not.toBe(first.id);
    expect(JSON.parse(second.text)).toMatchObject({
      wake_id: second.id,
      matches: 2,
      acknowledge: 'https://sluice.example/api.AcknowledgeWake',
    });
    await acknowledge(second.id);
    expect(await wakeOf()).toBeNull();
    expect(await states()).toEqual(['acknowledged', 'acknowledged']);
    expect(requests).toEqual([]);
  });

  it('has its wake again after a day without an acknowledgement, as an expired one and what came since', async () => {
    await webhook('wake:ada');
    await test.post(alice, 'lava one');
    const lost = (await wakeOf())!;
    await test.post(alice, 'lava two');
    clock.forward(WAKE_TTL_MS);
    expect(await states()).toEqual(['expired']);
    const next = (await wakeOf())!;
    expect(next.id).not.toBe(lost.id);
    expect((await test.call(alice, 'listWakes')).wakes).toMatchObject([
      { id: next.id, state: 'offered' },
      { id: lost.id, state: 'expired', reason: 'Nobody acknowledged it within 24 hours.' },
    ]);
  });

  it('tells the owner of a wake that has expired, once, though the agent never asks again', async () => {
    await webhook('wake:ada');
    await test.call(alice, 'createWebhook', { url: 'https://owner.example/', events: ['operational'] });
    await test.post(alice, 'lava one');
    const { id } = (await wakeOf())!;
    for (let hour = 0; hour < 50; hour++) {
      clock.forward(WAKE_TTL_MS / 24);
      for (let turn = 0; turn < 20; turn++) await setImmediate();
    }
    const told = (await sent(1)).map(({ body }) => JSON.parse(body).event as { type: string; message: string });
    expect(told).toMatchObject([{ type: 'wake_expired', message: expect.stringContaining(`${id} of hook_`) }]);
    expect(await wakeOf()).toBeNull();
    expect((await test.call(alice, 'listWakes')).wakes).toMatchObject([{ id, state: 'expired' }]);
    expect(requests).toHaveLength(1);
  });

  it.each([
    ['wake', ['wake_expired']],
    ['a2a', ['wake_expired']],
    ['json', []],
  ] as const)('in the format %s was taken and never acknowledged: the owner is told %j', async (format, types) => {
    await webhook('https://agent.example/', { format, ...(format === 'a2a' && { credential: 'token' }) });
    await test.call(alice, 'createWebhook', { url: 'https://owner.example/', events: ['operational'] });
    const hours = async (count: number) => {
      for (let hour = 0; hour < count; hour++) {
        clock.forward(WAKE_TTL_MS / 24);
        for (let turn = 0; turn < 20; turn++) await setImmediate();
      }
    };
    await test.post(alice, 'lava one');
    await hours(1);
    await test.post(alice, 'lava two');
    await hours(1);
    const [second, first] = (await test.call(alice, 'listWakes')).wakes;
    expect([first, second]).toMatchObject([{ state: 'offered' }, { state: 'offered' }]);
    await acknowledge(second!.id);
    await hours(60);
    const told = requests.filter(({ url }) => url.startsWith('https://owner'));
    expect(told.map(({ body }) => (JSON.parse(body) as { event: { type: string } }).event.type)).toEqual(types);
    const { wakes } = await test.call(alice, 'listWakes');
    const isAsked = types.length > 0;
    expect(wakes).toMatchObject([
      { id: second!.id, state: 'acknowledged', reason: null },
      { id: first!.id, state: isAsked ? 'expired' : 'offered' },
    ]);
    // It may be late, and is still the first.
    expect(await test.call(alice, 'acknowledgeWake', { wake_id: first!.id })).toEqual({ first: true });
    expect(await states()).toEqual(['acknowledged', 'acknowledged']);
  });

  it('waits for a match and is told at once', async () => {
    await webhook('wake:ada');
    const asked = test.call(alice, 'nextWake', { agent: 'ada', wait_seconds: 50 });
    await test.post(alice, 'lava now');
    expect((await asked).wake).not.toBeNull();
  });

  it('is looked for once, however many requests wait for it', async () => {
    await using waiting = await openService({ clock: systemClock });
    const bob = await waiting.caller('bob');
    const rule = { name: 'calm', intent: '', platforms: ['x' as const], overrides: { x: 'calm' } };
    const { rule_id } = await waiting.call(bob, 'createRule', rule);
    for (const agent of ['ada', 'eve'])
      await waiting.call(bob, 'createWebhook', { url: `wake:${agent}`, format: 'wake', rule_ids: [rule_id] });
    await waiting.call(bob, 'createRule', { ...rule, name: 'storm', overrides: { x: 'storm' } });
    const { store, matchSignals } = waiting.service.context;
    const reads = { webhooks: 0, pendingDeliveries: 0 };
    const { webhooks, pendingDeliveries } = store;
    Object.assign(store, {
      webhooks(account: string) {
        reads.webhooks++;
        return webhooks(account);
      },
      pendingDeliveries(...asked: Parameters<typeof pendingDeliveries>) {
        reads.pendingDeliveries++;
        return pendingDeliveries(...asked);
      },
    });
    const asked = Array.from({ length: 40 }, (_, at) =>
      waiting.call(bob, 'nextWake', { agent: at % 2 === 0 ? 'ada' : 'eve', wait_seconds: 50 }),
    );
    await expect.poll(() => matchSignals.countOf(bob.account.id)).toBe(40);
    Object.assign(reads, { webhooks: 0, pendingDeliveries: 0 });
    await waiting.post(bob, 'a storm');
    await expect.poll(() => reads.webhooks).toBeGreaterThan(0);
    expect(reads.webhooks).toBeLessThan(10);
    expect(reads.pendingDeliveries).toBeLessThan(20);
    await waiting.post(bob, 'it is calm');
    const texts = new Set((await Promise.all(asked)).map(({ wake }) => wake?.id));
    expect(texts.size).toBe(2);
  });

  it('is found although others began to look before it was there', async () => {
    const { store } = test.service.context;
    const { webhooks } = store;
    const slow = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    Object.assign(store, {
      async webhooks(account: string) {
        const all = await webhooks(account);
        begun.resolve();
        await slow.promise;
        return all;
      },
    });
    const early = wakeOf('eve').catch((error: Error) => error.message);
    await begun.promise;
    Object.assign(store, { webhooks });
    await webhook('wake:ada');
    const late = wakeOf();
    slow.resolve();
    expect([await late, await early]).toEqual([null, expect.stringContaining('No agent has this name.')]);
  });

  it('keeps to its wake contract: what is held is a wake when the hour is over', async () => {
    await webhook('wake:ada', { wake: { per: 'match', at_most: '1/hour' } });
    await test.post(alice, 'lava one', 'lava two', 'lava three');
    const first = (await wakeOf())!;
    expect(JSON.parse(first.text)).toMatchObject({ matches: 1 });
    await acknowledge(first.id);
    expect(await wakeOf()).toBeNull();
    clock.forward(3_600_000);
    const digest = (await wakeOf())!;
    expect(JSON.parse(digest.text)).toMatchObject({ wake_id: digest.id, matches: 2 });
    await acknowledge(digest.id);
    expect(await wakeOf()).toBeNull();
  });

  it('has a wake at once, however many matches before it a silence holds', async () => {
    await webhook('wake:ada');
    const until = new Date(clock.now().getTime() + 3_600_000).toISOString();
    await test.call(alice, 'createSilence', { text: 'noise', until, reason: 'Tests.' });
    await test.post(alice, ...Array.from({ length: 350 }, (_, at) => `lava noise ${at}`), 'lava flows');
    const wake = (await wakeOf())!;
    expect(JSON.parse(wake.text)).toMatchObject({ wake_id: wake.id, matches: 1 });
    await acknowledge(wake.id);
    expect(await wakeOf()).toBeNull();
  });

  it('is not known to others, and what is wrong with it is said', async () => {
    await webhook('wake:ada');
    await test.post(alice, 'lava one');
    const { id } = (await wakeOf())!;
    const bob = await test.caller('bob');
    await expect(test.call(bob, 'nextWake', { agent: 'ada' })).rejects.toThrow('No agent has this name');
    await expect(acknowledge(id, bob)).rejects.toThrow('There is no such wake');
    await expect(webhook('wake:Ada Lovelace')).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(webhook('wake:eve', { format: 'json' })).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(webhook('wake:eve', { events: ['alert'] })).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});

describe('an agent that is sent to', () => {
  it('gets a wake as JSON with its id and where to reply, and is sent no more once it has', async () => {
    answer = 503;
    await webhook('https://agent.example/wake');
    await test.post(alice, 'lava one');
    const [request] = await sent(1);
    const { wake_id, acknowledge: reply } = JSON.parse(request!.body) as { wake_id: string; acknowledge: string };
    expect(reply).toBe('https://sluice.example/api.AcknowledgeWake');
    expect(request!.headers['webhook-id']).toBe(wake_id);
    expect(await acknowledge(wake_id)).toEqual({ first: true });
    const before = requests.length;
    clock.forward(600_000);
    await test.post(alice, 'another lava');
    const later = await sent(before + 1);
    expect(later.slice(before).map(({ headers }) => headers['webhook-id'])).not.toContain(wake_id);
  });

  it('gets an update of a task in the words of A2A, with its token', async () => {
    await webhook('https://agent.example/a2a', { format: 'a2a', credential: 'secret-token' });
    await test.post(alice, 'lava one');
    const [request] = await sent(1);
    expect(request!.headers).toMatchObject({
      'content-type': 'application/a2a+json',
      'x-a2a-notification-token': 'secret-token',
    });
    const { statusUpdate } = JSON.parse(request!.body);
    const id = request!.headers['webhook-id'];
    expect(statusUpdate.status.message).toMatchObject({
      messageId: id,
      role: 'ROLE_AGENT',
      parts: [{ data: { wake_id: id, matches: 1 } }],
    });
    for (; (await states())[0] !== 'offered'; await setImmediate());
    expect(await acknowledge(id!)).toEqual({ first: true });
    expect(await states()).toEqual(['acknowledged']);
  });
});
