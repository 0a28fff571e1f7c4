/** Operational events, from what happens to the request that a receiver gets. */
import { describe, expect, it } from 'vitest';
import type { Send } from '../src/delivery/webhooks/transport.ts';
import { fakeClock } from './stages/fake-clock.ts';
import { openService } from './stages/service.ts';
import { upstreamStage } from './stages/upstream-stage.ts';

interface Received {
  readonly host: string;
  readonly body: { readonly type: string; readonly webhook_id: string; readonly event?: Record<string, unknown> };
  readonly headers: Record<string, string>;
}

/** Receivers by their host; those in `failing` answer with a status. */
function receivers() {
  const received: Received[] = [];
  const failing = new Map<string, number>();
  const send: Send = async ({ url, body, headers }) => {
    const { host } = new URL(url);
    received.push({ host, body: JSON.parse(body) as Received['body'], headers });
    const statusCode = failing.get(host) ?? 200;
    return { statusCode, error: statusCode === 200 ? undefined : `status ${statusCode}`, response: '' } as never;
  };
  const events = (host: string) => received.filter((one) => one.host === host && one.body.type === 'operational');
  return { received, failing, send, events };
}

const rule = { name: 'r', intent: 'i', platforms: ['x'], overrides: { x: 'lava' } };

async function stage() {
  const clock = fakeClock();
  const { send, ...rest } = receivers();
  const test = await openService({
    clock,
    delivery: { send, allowPrivate: true, schedule: [5, 5, 5], random: () => 0.5 },
  });
  const alice = await test.caller('alice');
  await test.call(alice, 'createRule', rule);
  const hook = (name: string, events: string[]) =>
    test.call(alice, 'createWebhook', { url: `https://${name}.example/`, events });
  const post = async (text: string) => {
    const posted = test.post(alice, text);
    await clock.pass(20);
    await posted;
  };
  return { ...rest, test, clock, alice, hook, post };
}

describe('operational webhooks', () => {
  it('are told once, and signed, that another endpoint fails; that endpoint itself is not, and others hear nothing', async () => {
    const { test, clock, hook, post, failing, events, received } = await stage();
    const bad = await hook('bad', ['match', 'operational']);
    await hook('good', ['operational']);
    await hook('plain', ['match']);
    failing.set('bad.example', 500);
    await post('lava 1');
    await clock.pass(60_000);
    const [told, ...more] = events('good.example');
    expect([told?.body, more]).toEqual([
      {
        type: 'operational',
        webhook_id: expect.stringMatching(/^hook_/),
        matches: [],
        event: {
          type: 'webhook_failing',
          at: expect.any(String),
          message: expect.stringContaining(bad.webhook_id),
          about: { webhook_id: bad.webhook_id },
        },
      },
      [],
    ]);
    expect(told!.headers['webhook-signature']).toMatch(/^v1,/);
    expect([events('bad.example'), events('plain.example')]).toEqual([[], []]);
    // An endpoint that wants operational events alone gets no matches.
    expect(received.filter(({ host, body }) => host === 'good.example' && body.type === 'matches')).toEqual([]);
    await test[Symbol.asyncDispose]();
  });

  it('are told that an endpoint was disabled, and are tried again until they take it', async () => {
    const { test, clock, alice, hook, post, failing, events } = await stage();
    const bad = await hook('bad', ['match']);
    const good = await hook('good', ['operational']);
    failing.set('bad.example', 410);
    failing.set('good.example', 503);
    await post('lava 1');
    await clock.pass(3_000);
    expect(events('good.example')).toHaveLength(1);
    failing.delete('good.example');
    await clock.pass(60_000);
    const [first, second] = events('good.example');
    expect(second!.body).toEqual(first!.body);
    expect(second!.body.event).toMatchObject({ type: 'webhook_disabled', about: { webhook_id: bad.webhook_id } });
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    const { deliveries } = await test.call(alice, 'listDeliveries', { webhook_id: good.webhook_id });
    expect(deliveries).toMatchObject([{ status: 'delivered', matches: 0, attempts: [{}, {}] }]);
    await test[Symbol.asyncDispose]();
  });

  it('are left alone in the quiet hours of their notices: what is told in them comes when they are over, once', async () => {
    const { test, clock, alice, events } = await stage();
    const at = clock.now().toISOString().slice(11, 13);
    const quiet = { from: `${at}:00`, to: '00:00', zone: 'UTC' };
    const input = { url: 'https://quiet.example/', events: ['operational'], notices: { kinds: ['rules'], quiet } };
    const { webhook_id, notices } = await test.call(alice, 'createWebhook', input);
    expect(notices).toEqual({ kinds: ['rules'], quiet });
    const { rule_id } = await test.call(alice, 'createRule', { ...rule, name: 'gone' });
    await test.call(alice, 'createFeed', { name: 'News', rule_id });
    await test.call(alice, 'deleteRule', { rule_id });
    await test.call(alice, 'restoreRule', { rule_id });
    await clock.pass(3_600_000);
    expect(events('quiet.example')).toEqual([]);
    const midnight = `${new Date(clock.now().getTime() + 86_400_000).toISOString().slice(0, 10)}T00:00:00.000Z`;
    const { deliveries } = await test.call(alice, 'listDeliveries', { webhook_id });
    expect(deliveries.map(({ next_attempt_at }) => next_attempt_at)).toEqual([midnight, midnight]);
    for (let hour = 0; hour < 24; hour++) await clock.pass(3_600_000);
    expect(events('quiet.example').map(({ body }) => body.event?.['type'])).toEqual(['rules_gone', 'rules_back']);
    await test.call(alice, 'updateWebhook', { webhook_id, notices: null });
    expect((await test.call(alice, 'listWebhooks')).webhooks[0]).not.toHaveProperty('notices');
    await test[Symbol.asyncDispose]();
  });

  it('are told once in a month that the budget is spent, however often it is looked at', async () => {
    const { x, clock, store, test, caller, rule: create } = await upstreamStage({ prices: { x: 0.5, firehose: 0 } });
    const hook = await test.call(caller, 'createWebhook', { url: 'https://a.example/', events: ['operational'] });
    await store.changeAccount(caller.account.id, { xBudget: 1 });
    await create('storm');
    await clock.pass(60_000);
    for (const post of ['1', '2']) x.arrive(post, 'storm', [x.idOf('storm')]);
    await clock.pass(10 * 60_000);
    // Raised and spent again: the owner knows that this month's budget needs a look.
    await store.changeAccount(caller.account.id, { xBudget: 1.5 });
    await clock.pass(60_000);
    x.arrive('3', 'storm', [x.idOf('storm')]);
    await clock.pass(10 * 60_000);
    const { deliveries } = await store.deliveries({ accountId: caller.account.id, limit: 10 });
    expect(deliveries).toMatchObject([
      { webhookId: hook.webhook_id, matches: 0 },
      { webhookId: hook.webhook_id, matches: 0 },
    ]);
    const [raised, spent] = await Promise.all(
      deliveries.map(async ({ id }) => JSON.parse((await store.pendingBody(id))!) as unknown),
    );
    expect(spent).toMatchObject({ type: 'operational', event: { type: 'budget_spent', about: { platform: 'x' } } });
    expect(raised).toMatchObject({ event: { type: 'budget_restored', about: { platform: 'x' } } });
  });

  it('are told once that the budget is near, and once that there is room again', async () => {
    const { x, clock, store, test, caller, rule: create } = await upstreamStage({ prices: { x: 0.5, firehose: 0 } });
    await test.call(caller, 'createWebhook', { url: 'https://a.example/', events: ['operational'] });
    await store.changeAccount(caller.account.id, { xBudget: 2.5 });
    await create('storm');
    await clock.pass(60_000);
    for (const post of ['1', '2', '3', '4']) x.arrive(post, 'storm', [x.idOf('storm')]);
    await clock.pass(10 * 60_000);
    await store.changeAccount(caller.account.id, { xBudget: 5 });
    await clock.pass(10 * 60_000);
    const { deliveries } = await store.deliveries({ accountId: caller.account.id, limit: 10 });
    const bodies = await Promise.all(deliveries.map(async ({ id }) => (await store.pendingBody(id))!));
    expect(bodies.map((body) => (JSON.parse(body) as { event: { type: string } }).event.type)).toEqual([
      'budget_restored',
      'budget_near',
    ]);
    expect(bodies[1]).toContain('spent 80 % of its budget of 2.50 on x');
  });

  it("are told that an upstream refuses the token, when they are the operator's", async () => {
    const { x, clock, store, test, caller: operator, rule: create } = await upstreamStage();
    const alice = await test.caller('alice');
    const hook = await test.call(operator, 'createWebhook', { url: 'https://o.example/', events: ['operational'] });
    await test.call(alice, 'createWebhook', { url: 'https://a.example/', events: ['operational'] });
    await create('storm');
    await clock.pass(1_000);
    for (const reason of ['network', 'auth', 'network', 'auth']) x.push({ kind: 'state', state: 'degraded', reason });
    await clock.pass(1_000);
    const { deliveries } = await store.deliveries({ accountId: operator.account.id, limit: 10 });
    expect(deliveries).toMatchObject([{ webhookId: hook.webhook_id }]);
    expect(JSON.parse((await store.pendingBody(deliveries[0]!.id))!)).toMatchObject({
      event: { type: 'token_refused', about: { platform: 'x' }, message: expect.stringContaining('refuses the token') },
    });
    expect((await store.deliveries({ accountId: alice.account.id, limit: 10 })).deliveries).toEqual([]);
  });
});
