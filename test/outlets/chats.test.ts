/** Chats through the whole service, against stand-ins that hold to the documented limits. */
import { describe, expect, it } from 'vitest';
import { alertDeliveries, noticeDeliveries } from '../../src/delivery/webhooks/notices.ts';
import { outletStage } from './stage.ts';
import { matrix } from './stand-ins/matrix.ts';
import { ntfy } from './stand-ins/ntfy.ts';
import { serve } from './stand-ins/stand-in.ts';
import { teams } from './stand-ins/teams.ts';
import { telegram } from './stand-ins/telegram.ts';

const TOKEN = '123456:AAH-secret_of_the_bot';
const SIGNATURE = 'abc%2Fdef_signature';
const ROOM = '!room:example.org';

/** Each chat with its stand-in: where it is, what it shows, and the secret that must not show anywhere. */
const CHATS = {
  telegram(now: () => number) {
    const standIn = telegram({ token: TOKEN, now });
    const path = `/bot${TOKEN}/sendMessage?chat_id=-100200`;
    return { standIn, path, secret: TOKEN, shown: () => standIn.shown, credential: undefined };
  },
  ntfy(now: () => number) {
    const standIn = ntfy({ token: 'tk_secret', now });
    const shown = () => standIn.published.map(({ title, message }) => `${title}\n${message}`);
    return { standIn, path: '/storms', secret: 'tk_secret', shown, credential: 'tk_secret' };
  },
  teams(now: () => number) {
    const standIn = teams({ signature: decodeURIComponent(SIGNATURE), now });
    const path = `/workflows/1/triggers/manual/paths/invoke?api-version=2016-06-01&sig=${SIGNATURE}`;
    return { standIn, path, secret: SIGNATURE, shown: () => standIn.shown, credential: undefined };
  },
  matrix(now: () => number) {
    const standIn = matrix({ roomId: ROOM, token: 'syt_secret', now });
    const path = `/_matrix/client/v3/rooms/${encodeURIComponent(ROOM)}/send/m.room.message`;
    return {
      standIn,
      path,
      secret: 'syt_secret',
      shown: () => standIn.room.map(({ body }) => body),
      credential: 'syt_secret',
    };
  },
};

async function stand(format: keyof typeof CHATS, more: object = {}) {
  const stage = await outletStage();
  const chat = CHATS[format](stage.now);
  const server = await serve(chat.standIn);
  const { credential } = chat;
  const webhook = await stage.webhook({
    url: `${server.url}${chat.path}`,
    format,
    ...(credential !== undefined && { credential }),
    ...more,
  });
  return {
    ...stage,
    ...chat,
    server,
    webhook,
    async [Symbol.asyncDispose]() {
      await stage[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const surge = (ruleId: string, from: Date) =>
  ({
    id: 'alert_1',
    accountId: 'one',
    ruleId,
    ruleName: '<Storms>',
    platform: 'x',
    kind: 'surge',
    from,
    to: undefined,
    rate: 240,
    usualRate: 11.5,
  }) as const;

const FORMATS = Object.keys(CHATS) as (keyof typeof CHATS)[];

describe.each(FORMATS)('%s', (format) => {
  it('shows a match with its rule and its link, as it was written', async () => {
    await using chat = await stand(format);
    await chat.store('<b>warning</b> & *more* [link](https://evil.example) @channel');
    await chat.pass(10_000, 1_000);
    expect(chat.shown()).toHaveLength(1);
    const [shown] = chat.shown().map((text) => text.replaceAll('\u2060', ''));
    expect(shown).toContain('Storms & <b>floods</b>');
    expect(shown).toContain('storm <b>warning</b> & *more* [link](https://evil.example) @channel');
    expect(shown).toContain('https://x.com/i/status/');
  });

  it('loses nothing and goes beyond no limit when more comes than it takes', async () => {
    await using chat = await stand(format);
    const texts = Array.from({ length: 45 }, (_, index) => `number-${index}-end`);
    for (let from = 0; from < texts.length; from += 5) {
      await chat.store(...texts.slice(from, from + 5));
      await chat.pass(1_000);
    }
    await chat.pass(120_000, 1_000);
    const all = chat.shown().join('\n');
    for (const text of texts) expect(all.split(text)).toHaveLength(2);
    const attempts = await chat.attempts(chat.webhook.webhook_id);
    expect(attempts.filter(({ error }) => error !== null)).toEqual([]);
  });

  it('takes a test, a digest, a notice and an alert', async () => {
    await using chat = await stand(format, {
      events: ['match', 'operational', 'alert'],
      wake: { per: 'match', at_most: '1/hour' },
    });
    await expect(
      chat.test.call(chat.caller, 'testWebhook', { webhook_id: chat.webhook.webhook_id }),
    ).resolves.toMatchObject({
      delivered: true,
    });
    await chat.store('one', 'two', 'three');
    await chat.pass(3_700_000, 10_000);
    const at = chat.clock.now();
    const { store, dispatcher } = chat.test.service.context;
    const webhooks = await store.webhooks(chat.caller.account.id);
    const message = 'The budget is <spent> & gone.';
    const notice = { type: 'budget_spent', at, message, subject: { platform: 'x' } } as const;
    await store.addNotices([
      ...noticeDeliveries(webhooks, notice, at),
      ...alertDeliveries(webhooks, surge(chat.ruleId, at), at),
    ]);
    dispatcher.changed(chat.webhook.webhook_id);
    await chat.pass(10_000, 1_000);
    const all = chat.shown().join('\n');
    expect(all).toContain('This is a test from Sluice.');
    expect(all).toContain('Digest: 2 matches in 2 stories');
    expect(all).toContain('The budget is <spent> & gone.');
    expect(all).toContain('The rule "<Storms>" on x surges since');
  });

  it('shows its secret in no list, no log of changes and no error', async () => {
    await using chat = await stand(format);
    const { test, caller, server, webhook, secret } = chat;
    const [other] = format === 'telegram' ? ['/bot***/sendMessage?chat_id=7'] : [new URL(webhook.url).pathname];
    await test.call(caller, 'updateWebhook', { webhook_id: webhook.webhook_id, url: webhook.url, description: 'kept' });
    await chat.store('a');
    await chat.pass(10_000, 1_000);
    expect(chat.shown()).toHaveLength(1);
    const told = JSON.stringify([
      webhook,
      await test.call(caller, 'listWebhooks'),
      await test.call(caller, 'listChanges'),
      await test.call(caller, 'listDeliveries'),
    ]);
    expect(told).not.toContain(secret);
    // Another host would be given the secret, so it must be given anew with it.
    const moved = `${server.url.replace('127.0.0.1', 'localhost')}${other}`;
    if (format === 'teams') return;
    const after = await test
      .call(caller, 'updateWebhook', { webhook_id: webhook.webhook_id, url: moved })
      .catch((error: object) => error);
    expect(after).toMatchObject(format === 'ntfy' ? { has_credential: false } : { code: 'invalid_argument' });
  });
});

describe('a chat that asks for time', () => {
  it.each([
    ['telegram', { ok: false, error_code: 429, parameters: { retry_after: 90 } }, 90],
    ['matrix', { errcode: 'M_LIMIT_EXCEEDED', retry_after_ms: 100_500 }, 100.5],
  ] as const)('%s is left alone for that long', async (format, body, seconds) => {
    await using stage = await outletStage();
    let asked = 0;
    const { path, credential } = CHATS[format](stage.now);
    await using server = await serve({ answer: () => ({ status: asked++ === 0 ? 429 : 200, body }) });
    await stage.webhook({ url: `${server.url}${path}`, format, ...(credential !== undefined && { credential }) });
    await stage.store('a');
    await stage.pass(5_000, 1_000);
    expect(asked).toBe(1);
    const { deliveries } = await stage.test.call(stage.caller, 'listDeliveries');
    const { next_attempt_at, attempts } = deliveries[0]!;
    const waits = (Date.parse(next_attempt_at!) - Date.parse(attempts[0]!.at)) / 1_000;
    expect(waits).toBeCloseTo(seconds, 0);
    await stage.pass(seconds * 1_000 + 1_000, 1_000);
    expect(asked).toBe(2);
  });

  it('has one event of a Matrix delivery whose answer was lost', async () => {
    await using stage = await outletStage();
    const chat = CHATS.matrix(stage.now);
    let lost = 1;
    await using server = await serve({
      answer: (asked) => {
        const answer = chat.standIn.answer(asked);
        return lost-- > 0 ? { status: 502 } : answer;
      },
    });
    await stage.webhook({ url: `${server.url}${chat.path}`, format: 'matrix', credential: chat.credential });
    await stage.store('a');
    await stage.pass(30_000, 1_000);
    expect(server.received).toHaveLength(2);
    expect(chat.standIn.room).toHaveLength(1);
    expect(chat.standIn.room[0]).toMatchObject({ msgtype: 'm.text', 'm.mentions': {} });
  });

  it('is not sent a backlog faster than it takes it', async () => {
    await using stage = await outletStage();
    const { standIn, path } = CHATS.telegram(stage.now);
    await using server = await serve(standIn);
    const url = `${server.url}${path.replace('-100200', '77')}`;
    const { webhook_id } = await stage.webhook({ url, format: 'telegram' });
    await stage.store(...Array.from({ length: 40 }, (_, index) => `number-${index}-end`));
    await stage.pass(30_000, 500);
    expect(standIn.shown).toHaveLength(4);
    expect((await stage.attempts(webhook_id)).filter(({ error }) => error !== null)).toEqual([]);
  });

  it('hides a credential that a receiver repeats in its answer', async () => {
    await using stage = await outletStage();
    await using server = await serve({ answer: ({ headers }) => ({ status: 500, body: { headers } }) });
    const { webhook_id } = await stage.webhook({ url: `${server.url}/topic`, format: 'ntfy', credential: 'tk_echoed' });
    const tested = await stage.test.call(stage.caller, 'testWebhook', { webhook_id });
    expect(tested.response).toContain('Bearer ***');
    expect(tested.response).not.toContain('tk_echoed');
  });
});

describe('the address of a chat', () => {
  it.each([
    ['telegram', 'https://api.telegram.org/bot1:a/getMe?chat_id=1', 'url'],
    ['telegram', 'https://api.telegram.org/bot1:a/sendMessage', 'url'],
    ['telegram', 'https://api.telegram.org/bot***/sendMessage?chat_id=1', 'url'],
    ['ntfy', 'https://ntfy.sh/', 'url'],
    ['ntfy', 'https://ntfy.sh/topic?auth=secret', 'url'],
    ['matrix', 'https://matrix.org/rooms/1', 'url'],
    ['matrix', `https://matrix.org/_matrix/client/v3/rooms/${ROOM}/send/m.room.message`, 'credential'],
    ['teams', 'https://example.com/workflows?sig=***', 'url'],
  ])('of %s is refused when it is %s', async (format, url, path) => {
    await using stage = await outletStage({ allowPrivate: false });
    await expect(stage.webhook({ url, format })).rejects.toMatchObject({
      code: 'invalid_argument',
      details: { issues: [expect.objectContaining({ path })] },
    });
  });
});
