import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { openService } from '../../../test/stages/service.ts';

const HOUR = 60 * 60 * 1_000;
const storm = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };

/** An account with a match, and a webhook that wants another rule's matches alone. */
async function stage(more: object = {}, answer: () => number = () => 200) {
  const clock = fakeClock();
  const sent: { url: string; body: string }[] = [];
  const test = await openService({
    clock,
    delivery: {
      send: async ({ url, body }) => {
        sent.push({ url, body });
        const statusCode = answer();
        const error = statusCode === 200 ? undefined : `It answered ${statusCode}.`;
        return { statusCode, error, response: '', overloaded: false, retryAfter: undefined };
      },
    },
  });
  const alice = await test.caller('alice');
  await test.call(alice, 'createRule', storm);
  const { rule_id: other } = await test.call(alice, 'createRule', { ...storm, overrides: { x: 'calm' } });
  const pushed = test.post(alice, 'a storm');
  await clock.pass(25);
  await pushed;
  const [match] = (await test.call(alice, 'listMatches')).matches;
  const { webhook_id } = await test.call(alice, 'createWebhook', {
    url: 'https://receiver.example/',
    rule_ids: [other],
    ...more,
  });
  return Object.assign(test, { clock, alice, match_id: match!.id, webhook_id, sent });
}

describe('send match', () => {
  it('sends one match at once, whatever the webhook wants, and lists it as a delivery', async () => {
    await using test = await stage({ batch: { every: '1h' } });
    const { alice, match_id, webhook_id, clock } = test;
    const delivery = await test.call(alice, 'sendMatch', { match_id, webhook_id });
    expect(delivery).toMatchObject({ webhook_id, status: 'pending', matches: 1, attempts: [] });
    await clock.pass(1_000);
    expect(test.sent).toHaveLength(1);
    expect(JSON.parse(test.sent[0]!.body)).toMatchObject({ type: 'matches', matches: [{ id: match_id }] });
    const { deliveries } = await test.call(alice, 'listDeliveries', { webhook_id });
    expect(deliveries).toMatchObject([{ id: delivery.id, status: 'delivered', attempts: [{ status_code: 200 }] }]);
  });

  it('writes it in the format of the webhook', async () => {
    await using test = await stage({ format: 'slack' });
    const { alice, match_id, webhook_id, clock } = test;
    await test.call(alice, 'sendMatch', { match_id, webhook_id });
    await clock.pass(1_000);
    expect(JSON.parse(test.sent[0]!.body)).toHaveProperty('text');
  });

  it('refuses a paused and a disabled webhook, and says what to do', async () => {
    await using test = await stage();
    const { alice, match_id, webhook_id } = test;
    await test.call(alice, 'updateWebhook', { webhook_id, paused: true });
    await expect(test.call(alice, 'sendMatch', { match_id, webhook_id })).rejects.toMatchObject({
      code: 'failed_precondition',
      details: { reason: 'webhook_paused' },
    });
    const webhook = (await test.store.webhook(alice.account.id, webhook_id))!;
    Object.assign(test.store, { webhook: async () => ({ ...webhook, status: 'disabled', reason: 'It failed.' }) });
    await expect(test.call(alice, 'sendMatch', { match_id, webhook_id })).rejects.toMatchObject({
      code: 'failed_precondition',
      details: { reason: 'webhook_disabled' },
    });
  });

  it('says what became of a webhook or a match that went while it was looked at', async () => {
    await using test = await stage();
    const { alice, match_id, webhook_id } = test;
    const send = () => test.call(alice, 'sendMatch', { match_id, webhook_id });
    const { sendMatch } = test.store;
    Object.assign(test.store, {
      sendMatch: async () => {
        await test.call(alice, 'updateWebhook', { webhook_id, paused: true });
        return false;
      },
    });
    await expect(send()).rejects.toMatchObject({ details: { reason: 'webhook_paused' } });
    await test.call(alice, 'updateWebhook', { webhook_id, paused: false });
    Object.assign(test.store, { sendMatch: async () => false });
    await expect(send()).rejects.toMatchObject({ code: 'not_found', message: expect.stringContaining('match') });
    Object.assign(test.store, { sendMatch });
    expect(await send()).toMatchObject({ webhook_id, matches: 1 });
  });

  it('knows only matches and webhooks of the caller', async () => {
    await using test = await stage();
    const { alice, match_id, webhook_id } = test;
    const bob = await test.caller('bob');
    const input = { match_id, webhook_id };
    await expect(test.call(bob, 'sendMatch', input)).rejects.toMatchObject({ code: 'not_found' });
    const unknown = { ...input, match_id: `match_${'0'.repeat(26)}` };
    await expect(test.call(alice, 'sendMatch', unknown)).rejects.toMatchObject({ code: 'not_found' });
    const { webhook_id: theirs } = await test.call(bob, 'createWebhook', { url: 'https://b.example/' });
    await expect(test.call(bob, 'sendMatch', { match_id, webhook_id: theirs })).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

describe('webhook stats', () => {
  it('count the attempts in each bucket, with the times that they took', async () => {
    let status = 500;
    await using test = await stage({}, () => status);
    const { alice, match_id, webhook_id, clock } = test;
    await test.call(alice, 'sendMatch', { match_id, webhook_id });
    await clock.pass(1_000);
    status = 200;
    await clock.pass(2 * HOUR);
    const { bucket_seconds, buckets, complete } = await test.call(alice, 'webhookStats', { webhook_id });
    expect([bucket_seconds, complete]).toEqual([900, true]);
    expect(buckets.length).toBeGreaterThanOrEqual(96);
    const sum = (name: 'delivered' | 'failed' | 'attempts') => buckets.reduce((all, one) => all + one[name], 0);
    const { attempts } = (await test.call(alice, 'listDeliveries', { webhook_id })).deliveries[0]!;
    expect([sum('attempts'), sum('delivered'), sum('failed')]).toEqual([attempts.length, 1, attempts.length - 1]);
    for (const { attempts: made, p50_ms, p95_ms } of buckets)
      expect([p50_ms === null, p95_ms === null]).toEqual([made === 0, made === 0]);
  });

  it('say how far they counted when there are too many attempts', async () => {
    await using test = await stage();
    const { alice, webhook_id, clock } = test;
    const now = clock.now().getTime();
    const attempts = Array.from({ length: 2_000 }, (_, at) => ({ at, milliseconds: at % 100, isDelivered: true }));
    let pages = 0;
    Object.assign(test.store, {
      attemptsOf: async () => ({
        attempts: attempts.map((one) => ({ ...one, at: new Date(now - pages * HOUR) })),
        next: { at: now - pages++ * HOUR, number: 1 },
      }),
    });
    const { buckets, complete, counted_from } = await test.call(alice, 'webhookStats', { webhook_id });
    expect([pages, complete, counted_from]).toEqual([25, false, new Date(now - 24 * HOUR).toISOString()]);
    expect(buckets.every(({ start }) => start > counted_from!)).toBe(true);
    expect(buckets.find((one) => one.attempts > 0)).toMatchObject({ attempts: 2_000, p50_ms: 49, p95_ms: 94 });
  });

  it('refuse a time that ends before it begins or is too long, and know only webhooks of the caller', async () => {
    await using test = await stage();
    const { alice, webhook_id } = test;
    for (const from of ['2030-01-01T00:00:00Z', '2020-01-01T00:00:00Z'])
      await expect(test.call(alice, 'webhookStats', { webhook_id, from })).rejects.toMatchObject({
        code: 'invalid_argument',
      });
    const bob = await test.caller('bob');
    await expect(test.call(bob, 'webhookStats', { webhook_id })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('saved views', () => {
  it('are created, listed and deleted, and are an account’s own', async () => {
    await using test = await stage();
    const { alice, clock } = test;
    const input = { name: 'Storms', query: 'text=storm&language=en' };
    const view = await test.call(alice, 'createView', input);
    expect(view).toEqual({ ...input, view_id: view.view_id, created_at: clock.now().toISOString() });
    expect((await test.call(alice, 'listViews')).views).toEqual([view]);
    const bob = await test.caller('bob');
    expect((await test.call(bob, 'listViews')).views).toEqual([]);
    const { view_id } = view;
    await expect(test.call(bob, 'deleteView', { view_id })).rejects.toMatchObject({ code: 'not_found' });
    expect(await test.call(alice, 'deleteView', { view_id })).toEqual({});
    expect((await test.call(alice, 'listViews')).views).toEqual([]);
  });

  it('are at most 200, of at most 2,000 characters, and the error says so', async () => {
    await using test = await stage();
    const { alice } = test;
    const long = { name: 'v', query: 'x'.repeat(2_001) };
    await expect(test.call(alice, 'createView', long)).rejects.toMatchObject({ code: 'invalid_argument' });
    for (let at = 0; at < 200; at++) await test.call(alice, 'createView', { name: `v${at}`, query: '' });
    await expect(test.call(alice, 'createView', { name: 'more', query: '' })).rejects.toMatchObject({
      code: 'resource_exhausted',
      details: { limit_code: 'views', limit: 200 },
    });
    expect((await test.call(alice, 'status')).limits).toContainEqual({ code: 'views', limit: 200, used: 200 });
  });
});
