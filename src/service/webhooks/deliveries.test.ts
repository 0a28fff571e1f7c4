import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { openService } from '../../../test/stages/service.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const RULE = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };

async function stage() {
  const clock = fakeClock();
  const sent: { url: string; body: string }[] = [];
  const answer = { status: 200 };
  const test = await openService({
    clock,
    delivery: {
      random: () => 0.5,
      send: async ({ url, body }) => {
        sent.push({ url, body });
        const error = answer.status === 200 ? undefined : `It answered ${answer.status}.`;
        return { statusCode: answer.status, error, response: 'ok', overloaded: false, retryAfter: undefined };
      },
    },
  });
  const alice = await test.caller('alice');
  await test.call(alice, 'createRule', RULE);
  const hook = async (more: object = {}) =>
    (await test.call(alice, 'createWebhook', { url: 'https://a.test/', ...more })).webhook_id;
  const webhook_id = await hook();
  const push = async (...texts: string[]) => {
    const pushed = test.post(alice, ...texts);
    await clock.pass(25);
    await pushed;
    await clock.pass(1_500);
  };
  const list = (input: object = {}) => test.call(alice, 'listDeliveries', input);
  return Object.assign(test, { clock, alice, sent, answer, hook, webhook_id, push, list });
}

describe('list deliveries', () => {
  it('has each with its attempts, newest first, in pages', async () => {
    await using test = await stage();
    for (let at = 0; at < 3; at++) await test.push('a storm');
    const { deliveries, next_cursor } = await test.list();
    expect(next_cursor).toBeUndefined();
    expect(deliveries).toHaveLength(3);
    expect(deliveries[0]).toEqual({
      id: expect.stringMatching(/^dlv_/),
      webhook_id: test.webhook_id,
      created_at: expect.any(String),
      status: 'delivered',
      reason: null,
      matches: 1,
      first_match: { id: expect.stringMatching(/^match_/), rule_id: expect.any(String), rule_name: 'Storms' },
      next_attempt_at: null,
      attempts: [{ at: expect.any(String), milliseconds: 0, status_code: 200, error: null, response: 'ok' }],
    });
    expect(deliveries.map(({ created_at }) => created_at)).toEqual(
      deliveries.map(({ created_at }) => created_at).toSorted((one, other) => (one < other ? 1 : -1)),
    );
    const first = await test.list({ limit: '2' });
    const second = await test.list({ limit: 2, cursor: first.next_cursor });
    expect([...first.deliveries, ...second.deliveries]).toEqual(deliveries);
    expect(second.next_cursor).toBeUndefined();
  });

  it('has those of one webhook, and of one status', async () => {
    await using test = await stage();
    const other = await test.hook({ url: 'https://b.test/' });
    await test.push('a storm');
    test.answer.status = 500;
    await test.push('a storm');
    expect((await test.list()).deliveries).toHaveLength(4);
    const { deliveries } = await test.list({ webhook_id: other, status: 'pending' });
    expect(deliveries).toMatchObject([
      { webhook_id: other, attempts: [{ status_code: 500, error: 'It answered 500.' }] },
    ]);
    expect(deliveries[0]!.next_attempt_at).not.toBeNull();
    expect((await test.list({ status: 'failed' })).deliveries).toEqual([]);
  });

  it('is refused for what is not the caller’s, and beyond two hundred', async () => {
    await using test = await stage();
    const bob = await test.caller('bob');
    const theirs = test.call(bob, 'listDeliveries', { webhook_id: test.webhook_id });
    await expect(theirs).rejects.toMatchObject({ code: 'not_found' });
    for (const limit of [0, 201, '0', '201', 'x'])
      await expect(test.list({ limit })).rejects.toMatchObject({ code: 'invalid_argument' });
    expect((await test.list({ limit: '200' })).deliveries).toEqual([]);
  });
});

describe('redeliver', () => {
  it('sends one delivery again, with its id and its content', async () => {
    await using test = await stage();
    await test.push('a storm');
    const [delivery] = (await test.list()).deliveries;
    const { webhook_id } = test;
    const answer = await test.call(test.alice, 'redeliverWebhook', { webhook_id, delivery_id: delivery!.id });
    expect(answer).toEqual({ deliveries: 1, matches: 0 });
    await test.clock.pass(1_500);
    expect(test.sent).toHaveLength(2);
    expect(test.sent[1]!.body).toBe(test.sent[0]!.body);
  });

  it('sends everything since a time', async () => {
    await using test = await stage();
    await test.push('a storm');
    await test.clock.pass(MINUTE);
    const since = test.clock.now().toISOString();
    await test.push('a storm');
    const { webhook_id } = test;
    const answer = await test.call(test.alice, 'redeliverWebhook', { webhook_id, since });
    expect(answer).toEqual({ deliveries: 1, matches: 0 });
    await test.clock.pass(1_500);
    expect(test.sent).toHaveLength(3);
  });

  it('wants one of both, an enabled webhook, and a delivery of it that has its content', async () => {
    await using test = await stage();
    await test.push('a storm');
    const [delivery] = (await test.list()).deliveries;
    const redeliver = (input: object) => test.call(test.alice, 'redeliverWebhook', input);
    const { webhook_id } = test;
    const both = { webhook_id, delivery_id: delivery!.id, since: '2026-11-15T08:00:00Z' };
    for (const input of [{ webhook_id }, both])
      await expect(redeliver(input)).rejects.toMatchObject({ details: { issues: [{ path: 'delivery_id' }] } });
    const other = await test.hook({ url: 'https://b.test/' });
    const gone = { code: 'not_found', message: 'There is no such delivery.' };
    await expect(redeliver({ webhook_id: other, delivery_id: delivery!.id })).rejects.toMatchObject(gone);
    await expect(redeliver({ webhook_id, delivery_id: 'dlv_unknown' })).rejects.toMatchObject(gone);
    Object.assign(test.store, { redeliver: async () => false });
    await expect(redeliver({ webhook_id, delivery_id: delivery!.id })).rejects.toMatchObject({
      code: 'failed_precondition',
      details: { reason: 'delivery_erased' },
    });
    test.answer.status = 410;
    await test.push('a storm');
    await expect(redeliver({ webhook_id, delivery_id: delivery!.id })).rejects.toMatchObject({
      code: 'failed_precondition',
      message: expect.stringContaining('410'),
      details: { reason: 'webhook_disabled' },
    });
  });
});

describe('test webhook', () => {
  it('sends an invented match once, and says what came of it', async () => {
    await using test = await stage();
    const { webhook_id } = test;
    const good = await test.call(test.alice, 'testWebhook', { webhook_id });
    expect(good).toMatchObject({ delivered: true, status_code: 200, error: null });
    expect(JSON.parse(test.sent[0]!.body)).toMatchObject({ type: 'test' });
    test.answer.status = 500;
    const bad = await test.call(test.alice, 'testWebhook', { webhook_id });
    expect(bad).toMatchObject({ delivered: false, status_code: 500, error: 'It answered 500.' });
    await test.clock.pass(HOUR);
    expect([test.sent.length, (await test.list()).deliveries]).toEqual([2, []]);
  });
});

describe('webhook stats', () => {
  const at = (minutes: number) => new Date(Date.parse('2026-11-15T08:00:00Z') + minutes * MINUTE);

  it.each([
    [2 * HOUR, 60],
    [2 * HOUR + 1, 300],
    [10 * HOUR, 300],
    [10 * HOUR + 1, 900],
    [DAY, 900],
    [30 * HOUR + 1, 3_600],
    [5 * DAY + 1, 21_600],
    [30 * DAY + 1, 86_400],
    [120 * DAY, 86_400],
  ])('over %s ms are in buckets of %s s', async (milliseconds, seconds) => {
    await using test = await stage();
    const to = new Date('2026-11-15T00:00:00Z');
    const from = new Date(to.getTime() - milliseconds);
    const stats = await test.call(test.alice, 'webhookStats', {
      webhook_id: test.webhook_id,
      from: from.toISOString(),
      to: to.toISOString(),
    });
    expect(stats.bucket_seconds).toBe(seconds);
    expect(stats.buckets).toHaveLength(Math.ceil(milliseconds / 1_000 / seconds));
    expect(stats.buckets.at(-1)!.start).toBe(new Date(to.getTime() - seconds * 1_000).toISOString());
  });

  it('are refused for no time, and for more than 120 days', async () => {
    await using test = await stage();
    const { webhook_id } = test;
    const to = at(0).toISOString();
    for (const from of [to, new Date(at(0).getTime() - 120 * DAY - 1).toISOString()])
      await expect(test.call(test.alice, 'webhookStats', { webhook_id, from, to })).rejects.toMatchObject({
        details: { issues: [{ path: 'from' }] },
      });
  });

  it('have the figures of each bucket, page after page', async () => {
    await using test = await stage();
    const attempt = (minutes: number, milliseconds: number, isDelivered = true) => ({
      at: at(minutes),
      milliseconds,
      isDelivered,
    });
    const pages = [
      { attempts: [attempt(1.5, 40), attempt(1.2, 10, false)], next: { at: 1, number: 1 } },
      { attempts: [attempt(1, 30), attempt(1, 20), attempt(0, 5)], next: undefined },
    ];
    const asked: unknown[] = [];
    Object.assign(test.store, {
      attemptsOf: async (query: object) => {
        asked.push(query);
        return pages[asked.length - 1];
      },
    });
    const stats = await test.call(test.alice, 'webhookStats', {
      webhook_id: test.webhook_id,
      from: at(0).toISOString(),
      to: at(3).toISOString(),
    });
    expect(stats).toEqual({
      bucket_seconds: 60,
      buckets: [
        { start: at(0).toISOString(), delivered: 1, failed: 0, attempts: 1, p50_ms: 5, p95_ms: 5 },
        { start: at(1).toISOString(), delivered: 3, failed: 1, attempts: 4, p50_ms: 20, p95_ms: 40 },
        { start: at(2).toISOString(), delivered: 0, failed: 0, attempts: 0, p50_ms: null, p95_ms: null },
      ],
      complete: true,
      counted_from: null,
    });
    const query = {
      accountId: test.alice.account.id,
      webhookId: test.webhook_id,
      from: at(0),
      to: at(3),
      limit: 2_000,
    };
    expect(asked).toEqual([query, { ...query, before: { at: 1, number: 1 } }]);
  });
});
