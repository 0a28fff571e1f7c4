/** Webhooks through the whole service: real store, real HTTP, time as the test wants it. */
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { RETRY_AFTER } from '../src/delivery/webhooks/outcome.ts';
import type { Caller } from '../src/service/access/caller.ts';
import type { Holder } from '../src/store/lease.ts';
import { type FakeClock, fakeClock } from './stages/fake-clock.ts';
import { openReceiver, type Receiver, until } from './stages/receiver.ts';
import { openService, type TestService } from './stages/service.ts';

interface Stage extends AsyncDisposable {
  readonly clock: FakeClock;
  readonly test: TestService;
  readonly caller: Caller;
  readonly ruleId: string;
  /** Stores posts; each matches the rule. */
  store(...texts: string[]): Promise<void>;
  /** Lets time pass, and then every attempt that became due end. */
  pass(milliseconds: number): Promise<void>;
  webhook(receiver: Receiver, change?: object): Promise<{ webhook_id: string; secret: string }>;
}

const HOUR = 3_600_000;

async function stage(holder?: Holder): Promise<Stage> {
  const clock = fakeClock();
  const delivery = { allowPrivate: true, random: () => 0.5 };
  const test = await openService({ clock, delivery, ...(holder && { holder }) });
  const caller = await test.caller('one');
  const { rule_id: ruleId } = await test.call(caller, 'createRule', {
    name: 'Storms',
    intent: '',
    platforms: ['x'],
    overrides: { x: 'storm' },
  });
  const idle = () => until(() => test.service.context.dispatcher.inFlight === 0);
  return {
    clock,
    test,
    caller,
    ruleId,
    async store(...texts) {
      const pushed = test.post(caller, ...texts.map((text) => `storm ${text}`));
      await clock.pass(20);
      await pushed;
    },
    async pass(milliseconds) {
      await clock.pass(milliseconds);
      await idle();
      await clock.pass(0);
    },
    webhook: (receiver, change = {}) => test.call(caller, 'createWebhook', { url: receiver.url, ...change }),
    [Symbol.asyncDispose]: () => test.service.close(),
  };
}

const matchesIn = (body: string) =>
  (JSON.parse(body) as { matches: { platform_post_id: string; payload: { data: { text: string } } }[] }).matches;

describe('deliveries', () => {
  it('carry matches as they are listed, batched within a second, signed', async () => {
    await using stand = await stage();
    const { test, caller, store, pass } = stand;
    await using receiver = await openReceiver();
    const { webhook_id, secret } = await stand.webhook(receiver);
    await store('a', 'b');
    await pass(500);
    await store('c');
    expect(receiver.received).toEqual([]);
    await pass(700);
    expect(receiver.received).toHaveLength(1);
    const { body, headers } = receiver.received[0]!;
    const { matches } = await test.call(caller, 'listMatches');
    const sent = JSON.parse(body) as { matches: { id: string }[] };
    expect(sent).toEqual({ type: 'matches', webhook_id, matches: matches.toReversed() });
    const seconds = Math.floor(stand.clock.now().getTime() / 1_000);
    expect(Math.abs(Number(headers['webhook-timestamp']) - seconds)).toBeLessThan(5);
    const { deliveries } = await test.call(caller, 'listDeliveries', { webhook_id });
    expect(deliveries).toMatchObject([{ id: headers['webhook-id'], status: 'delivered', matches: 3, webhook_id }]);
    expect(secret).toMatch(/^whsec_/);
    expect(JSON.stringify(await test.call(caller, 'listWebhooks'))).not.toContain('whsec_');
  });

  it('go out full at once, a hundred at a time', async () => {
    await using stand = await stage();
    await using receiver = await openReceiver();
    await stand.webhook(receiver);
    await stand.store(...Array.from({ length: 250 }, (_, index) => `${index}`));
    await stand.pass(100);
    await until(() => receiver.received.length >= 2);
    await stand.pass(1_000);
    await until(() => receiver.received.length === 3);
    expect(receiver.received.map(({ body }) => matchesIn(body).length)).toEqual([100, 100, 50]);
  });

  it('are tried again with the same id and the same bytes until one succeeds', async () => {
    await using stand = await stage();
    let failures = 3;
    await using receiver = await openReceiver((response) => response.writeHead(failures-- > 0 ? 500 : 204).end());
    const { webhook_id } = await stand.webhook(receiver);
    await stand.store('a');
    await stand.pass(1_000);
    for (const seconds of RETRY_AFTER.slice(0, 3)) await stand.pass(seconds * 1_000);
    expect(receiver.received).toHaveLength(4);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(4);
    const { deliveries } = await stand.test.call(stand.caller, 'listDeliveries', { webhook_id });
    expect(deliveries[0]).toMatchObject({ status: 'delivered', next_attempt_at: null });
    expect(deliveries[0]!.attempts.map(({ status_code }) => status_code)).toEqual([500, 500, 500, 204]);
  });

  it('are written anew for a receiver of another kind, whether they wait or are asked for again', async () => {
    await using stand = await stage();
    let isDown = true;
    await using receiver = await openReceiver((response) => response.writeHead(isDown ? 500 : 204).end());
    const { webhook_id } = await stand.webhook(receiver);
    await stand.store('a');
    await stand.pass(1_000);
    expect(receiver.received.map(({ body }) => matchesIn(body).length)).toEqual([1]);
    isDown = false;
    const taking = (format: string) => stand.test.call(stand.caller, 'updateWebhook', { webhook_id, format });
    await taking('cloudevents-binary');
    await stand.pass(RETRY_AFTER[0]! * 1_000);
    await stand.pass(1_000);
    expect(receiver.received).toHaveLength(2);
    expect(receiver.received[1]!.headers['ce-type']).toBe('sluice.match.created');
    const list = async () => (await stand.test.call(stand.caller, 'listDeliveries')).deliveries;
    const [delivered] = await list();
    expect(delivered).toMatchObject({ status: 'delivered', matches: 1 });
    await taking('json');
    await stand.test.call(stand.caller, 'redeliverWebhook', { webhook_id, delivery_id: delivered!.id });
    await stand.pass(0);
    await stand.pass(1_000);
    expect(matchesIn(receiver.received[2]!.body)).toHaveLength(1);
    expect((await list()).map(({ status }) => status)).toEqual(['delivered']);
  });

  it('become the wake of an agent that asks, where their webhook is one from now on', async () => {
    await using stand = await stage();
    await using receiver = await openReceiver((response) => response.writeHead(500).end());
    const { webhook_id } = await stand.webhook(receiver);
    await stand.store('a');
    await stand.pass(1_000);
    expect(receiver.received).toHaveLength(1);
    await stand.test.call(stand.caller, 'updateWebhook', { webhook_id, url: 'wake:bot', format: 'wake' });
    const { wake } = await stand.test.call(stand.caller, 'nextWake', { agent: 'bot' });
    expect(JSON.parse(wake!.text)).toMatchObject({ type: 'wake', matches: 1, newest: { platform: 'x' } });
  });

  it('whose bytes nobody noted the kind of have failed where they are nothing for their receiver', async () => {
    await using stand = await stage();
    await using receiver = await openReceiver((response) => response.writeHead(500).end());
    const { webhook_id } = await stand.webhook(receiver);
    await stand.store('a');
    await stand.pass(100);
    const { store } = stand.test;
    const notice = { webhookId: webhook_id, subject: 'budget_near' as const, at: stand.clock.now() };
    await store.addNotices([{ ...notice, id: 'dlv_plain', body: '{}' }]);
    await stand.test.call(stand.caller, 'updateWebhook', { webhook_id, format: 'cloudevents-binary' });
    await stand.pass(1_000);
    expect(await store.delivery(stand.caller.account.id, 'dlv_plain')).toMatchObject({
      status: 'failed',
      attempts: [{ error: expect.stringContaining('cannot be sent as it is written') }],
    });
  });

  it('fail with a reason when the schedule ends, and go out again when a caller asks', async () => {
    await using stand = await stage();
    let isDown = true;
    await using receiver = await openReceiver((response) => response.writeHead(isDown ? 503 : 200).end());
    const { webhook_id } = await stand.webhook(receiver);
    await stand.store('a');
    await stand.pass(1_000);
    for (const seconds of RETRY_AFTER) await stand.pass(seconds * 1_000);
    const [failed] = (await stand.test.call(stand.caller, 'listDeliveries', { status: 'failed' })).deliveries;
    expect(failed!.reason).toBe('All 10 attempts failed. Last error: The receiver answered 503.');
    isDown = false;
    await stand.test.call(stand.caller, 'redeliverWebhook', { webhook_id, delivery_id: failed!.id });
    await stand.pass(0);
    expect(receiver.received).toHaveLength(11);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    expect((await stand.test.call(stand.caller, 'listDeliveries')).deliveries[0]).toMatchObject({
      status: 'delivered',
    });
  });

  it('leave out the matches of a rule that was deleted, but only before they are frozen', async () => {
    await using stand = await stage();
    let isDown = true;
    await using receiver = await openReceiver((response) => response.writeHead(isDown ? 500 : 200).end());
    await stand.webhook(receiver);
    await stand.store('frozen');
    await stand.pass(1_000);
    await stand.store('waiting');
    await stand.test.call(stand.caller, 'deleteRule', { rule_id: stand.ruleId });
    isDown = false;
    await stand.pass(10_000);
    expect(receiver.received.map(({ body }) => matchesIn(body).map(({ payload }) => payload.data.text))).toEqual([
      ['storm frozen'],
      ['storm frozen'],
    ]);
  });

  it('wait while a webhook is paused, and lose nothing', async () => {
    await using stand = await stage();
    await using receiver = await openReceiver();
    const { webhook_id } = await stand.webhook(receiver);
    await stand.test.call(stand.caller, 'updateWebhook', { webhook_id, paused: true });
    await stand.store('a');
    await stand.pass(HOUR);
    expect(receiver.received).toEqual([]);
    await stand.test.call(stand.caller, 'updateWebhook', { webhook_id, paused: false });
    await stand.pass(0);
    await until(() => receiver.received.length === 1);
  });

  it('become digests on the quarter hour, in as many parts as it takes', async () => {
    await using stand = await stage();
    await using receiver = await openReceiver();
    await stand.webhook(receiver, { batch: { every: '15m' } });
    const texts = Array.from({ length: 130 }, (_, index) => `${index}`);
    await stand.store(...texts.slice(0, 120));
    await stand.pass(5 * 60_000);
    await stand.store(...texts.slice(120));
    await stand.pass(9 * 60_000);
    expect(receiver.received).toEqual([]);
    await stand.pass(60_000);
    await until(() => receiver.received.length === 2);
    expect(receiver.received.flatMap(({ body }) => matchesIn(body))).toHaveLength(130);
    await stand.pass(HOUR);
    expect(receiver.received).toHaveLength(2);
  });

  it('say what came of a test, in every format', async () => {
    await using stand = await stage();
    await using receiver = await openReceiver();
    for (const format of ['json', 'slack', 'discord']) {
      const { webhook_id, secret } = await stand.webhook(receiver, { format });
      const tried = await stand.test.call(stand.caller, 'testWebhook', { webhook_id });
      expect(tried).toMatchObject({ delivered: true, status_code: 200, response: 'ok' });
      const { headers, body } = receiver.received.at(-1)!;
      expect(headers['webhook-signature']).toBe(
        new StandardWebhook(secret).sign(headers['webhook-id'] as string, stand.clock.now(), body),
      );
    }
    expect((await stand.test.call(stand.caller, 'listDeliveries')).deliveries).toEqual([]);
  });
});

describe('webhooks', () => {
  it('sign with both secrets for a day after a rotation', async () => {
    await using stand = await stage();
    await using receiver = await openReceiver();
    const { webhook_id, secret } = await stand.webhook(receiver);
    const rotated = await stand.test.call(stand.caller, 'updateWebhook', { webhook_id, rotate_secret: true });
    expect(rotated.secret).toMatch(/^whsec_/);
    const signaturesNow = async () => {
      await stand.store(`${receiver.received.length}`);
      await stand.pass(1_000);
      await until(() => receiver.received.length > 0);
      const { headers, body } = receiver.received.at(-1)!;
      const at = new Date(Number(headers['webhook-timestamp']) * 1_000);
      const by = (key: string) => new StandardWebhook(key).sign(headers['webhook-id'] as string, at, body);
      return { header: headers['webhook-signature'], old: by(secret), current: by(rotated.secret!) };
    };
    const overlap = await signaturesNow();
    expect(overlap.header).toBe(`${overlap.current} ${overlap.old}`);
    await stand.pass(24 * HOUR);
    const after = await signaturesNow();
    expect(after.header).toBe(after.current);
  });

  it('are disabled by a 410 with the reason, and enabled again', async () => {
    await using stand = await stage();
    let status = 410;
    await using receiver = await openReceiver((response) => response.writeHead(status).end());
    const { webhook_id } = await stand.webhook(receiver);
    await stand.store('a');
    await stand.pass(1_000);
    await stand.store('missed');
    const [disabled] = (await stand.test.call(stand.caller, 'listWebhooks')).webhooks;
    expect(disabled).toMatchObject({ status: 'disabled', reason: expect.stringContaining('410') });
    const { changes } = await stand.test.call(stand.caller, 'listChanges', { id: webhook_id });
    expect(changes[0]).toMatchObject({
      by: { kind: 'system' },
      what: 'webhook.changed',
      before: { status: 'active' },
      after: { status: 'disabled', reason: expect.stringContaining('410') },
    });
    const again = { webhook_id, since: '2026-11-15T00:00:00Z' };
    await expect(stand.test.call(stand.caller, 'redeliverWebhook', again)).rejects.toMatchObject({
      code: 'failed_precondition',
      details: { reason: 'webhook_disabled' },
    });
    status = 200;
    await stand.test.call(stand.caller, 'updateWebhook', { webhook_id, paused: false });
    expect(await stand.test.call(stand.caller, 'redeliverWebhook', again)).toEqual({ deliveries: 1, matches: 1 });
    await stand.pass(1_000);
    await until(() => receiver.received.length === 3);
    expect(
      receiver.received.slice(1).flatMap(({ body }) => matchesIn(body).map((one) => one.platform_post_id)),
    ).toEqual(expect.arrayContaining(['1', '2']));
  });

  it('are disabled after five days of failures', async () => {
    await using stand = await stage();
    await using receiver = await openReceiver((response) => response.writeHead(500).end());
    await stand.webhook(receiver);
    await stand.store('a');
    await stand.pass(1_000);
    for (const seconds of RETRY_AFTER) await stand.pass(seconds * 1_000);
    await stand.pass(48 * HOUR);
    expect((await stand.test.call(stand.caller, 'listWebhooks')).webhooks[0]).toMatchObject({ status: 'active' });
    await stand.store('b');
    await stand.pass(HOUR);
    const [webhook] = (await stand.test.call(stand.caller, 'listWebhooks')).webhooks;
    expect(webhook).toMatchObject({
      status: 'disabled',
      reason: expect.stringContaining('The receiver answered 500.'),
    });
  });

  it('claimed by a process that is gone are delivered to at once; those of a living one are left to it', async () => {
    await using stand = await stage({ id: 'ours', isGone: (id) => id === 'killed' });
    await using abandoned = await openReceiver();
    await using held = await openReceiver();
    const now = stand.clock.now();
    const claim = { now, until: new Date(now.getTime() + 40_000) };
    for (const [receiver, holder] of [
      [abandoned, 'killed'],
      [held, 'alive'],
    ] as const) {
      const { webhook_id } = await stand.webhook(receiver);
      expect(await stand.test.store.claimWebhook(webhook_id, { ...claim, holder })).toBe(holder);
    }
    await stand.store('a');
    await stand.pass(1_000);
    expect([abandoned.received.length, held.received.length]).toEqual([1, 0]);
    await stand.pass(38_000);
    expect([abandoned.received.length, held.received.length]).toEqual([1, 0]);
    // That claim was not renewed: a process that lives but renews nothing does not keep a webhook for ever.
    await stand.pass(42_000);
    expect([abandoned.received.length, held.received.length]).toEqual([1, 1]);
  });

  it('stay with the process whose attempt is still under way', async () => {
    await using stand = await stage({ id: 'ours', isGone: () => false });
    await using silent = await openReceiver(() => {});
    const { webhook_id } = await stand.webhook(silent);
    await stand.store('a');
    await stand.clock.pass(1_000);
    await until(() => silent.received.length === 1);
    for (let waited = 0; waited < 12_000; waited += 1_000) {
      await stand.clock.pass(1_000);
      const now = stand.clock.now();
      const wish = { holder: 'other', now, until: new Date(now.getTime() + 1_000) };
      expect(await stand.test.store.claimWebhook(webhook_id, wish)).toBe('ours');
    }
    await stand.clock.pass(20_000);
  });

  it('that never answer hold up no other', async () => {
    await using stand = await stage();
    await using silent = await openReceiver(() => {});
    await using healthy = await openReceiver();
    for (let count = 0; count < 20; count++) await stand.webhook(silent);
    await stand.webhook(healthy);
    await stand.store('a');
    await stand.clock.pass(1_000);
    await until(() => healthy.received.length === 1 && silent.received.length === 20);
    // The silent ones time out, fail, and share no more than their part of the room from then on.
    await stand.clock.pass(15_000);
    await stand.clock.pass(75_000);
    await until(() => silent.received.length === 40);
    const pushed = stand.test.post(stand.caller, 'storm b');
    await stand.clock.pass(1_020);
    await pushed;
    await until(() => healthy.received.length === 2);
    await stand.clock.pass(20_000);
  });

  it('refuse what they cannot be', async () => {
    await using stand = await stage();
    const wrong = [
      [{ url: 'no url' }, 'url'],
      [{ url: 'ftp://a.test/' }, 'url'],
      [{ url: 'https://a.test/', batch: { every: '15 minutes' } }, 'batch.every'],
      [{ url: 'https://a.test/', batch: { every: '8d' } }, 'batch.every'],
      [{ url: 'https://a.test/', format: 'telex' }, 'format'],
      [{ url: 'https://a.test/', colour: 'red' }, 'colour'],
    ] as const;
    for (const [input, path] of wrong) {
      await expect(stand.test.call(stand.caller, 'createWebhook', input)).rejects.toMatchObject({
        code: 'invalid_argument',
        details: { issues: [expect.objectContaining({ path })] },
      });
    }
    const rule_ids = ['rule_unknown'];
    await expect(
      stand.test.call(stand.caller, 'createWebhook', { url: 'https://a.test/', rule_ids }),
    ).rejects.toMatchObject({ code: 'not_found' });
  });
});
