import { describe, expect, it } from 'vitest';
import type { Notice, Webhook } from '../../domain/webhook.ts';
import { noticeDeliveries, noticeOfAttempt } from './notices.ts';

const NOW = new Date('2026-11-15T08:00:00Z');
const CALM = { lastFailureAt: undefined, failingSince: undefined };
const FAILING = { lastFailureAt: NOW, failingSince: new Date('2026-11-15T07:00:00Z') };

const webhookOf = (id: string, change: Partial<Webhook> = {}): Webhook => ({
  id,
  accountId: 'acct_1',
  url: `https://${id}.example/secret-path`,
  description: '',
  ruleIds: undefined,
  platforms: undefined,
  events: ['operational'],
  format: 'json',
  every: undefined,
  status: 'active',
  reason: undefined,
  createdAt: NOW,
  secrets: { current: 's', previous: undefined, previousUntil: undefined },
  health: CALM,
  ...change,
});

const notice: Notice = { type: 'webhook_failing', at: NOW, message: 'It fails.', subject: { webhookId: 'bad' } };

describe('a notice of an attempt', () => {
  const webhook = webhookOf('bad', { description: 'Newsroom' });

  it('says that a webhook fails when it begins to, and not again', () => {
    expect(noticeOfAttempt(webhook, CALM, { health: FAILING, disable: undefined }, NOW)).toEqual({
      type: 'webhook_failing',
      at: FAILING.failingSince,
      subject: { webhookId: 'bad' },
      message:
        'The webhook bad (Newsroom, https://bad.example/***) is failing. Deliveries are retried; List Deliveries has the errors.',
    });
    expect(noticeOfAttempt(webhook, FAILING, { health: FAILING, disable: undefined }, NOW)).toBeUndefined();
    expect(noticeOfAttempt(webhook, FAILING, { health: CALM, disable: undefined }, NOW)).toBeUndefined();
    const once = { lastFailureAt: NOW, failingSince: undefined };
    expect(noticeOfAttempt(webhook, CALM, { health: once, disable: undefined }, NOW)).toBeUndefined();
  });

  it('says that it was disabled, and why', () => {
    const disable = 'The receiver answered 410: it wants no more deliveries.';
    const told = noticeOfAttempt(webhook, FAILING, { health: FAILING, disable }, NOW);
    expect(told).toMatchObject({ type: 'webhook_disabled', message: expect.stringContaining(disable) });
    expect(told?.message).not.toContain('secret-path');
  });
});

describe('the deliveries of a notice', () => {
  it('go to webhooks that want operational events, but not to the one it is about', () => {
    const webhooks = [
      webhookOf('bad'),
      webhookOf('matches', { events: ['match'] }),
      webhookOf('off', { status: 'disabled' }),
      webhookOf('paused', { status: 'paused' }),
      webhookOf('both', { events: ['match', 'operational'] }),
    ];
    expect(noticeDeliveries(webhooks, notice, NOW).map(({ webhookId }) => webhookId)).toEqual(['paused', 'both']);
  });

  it('have an id that follows from what happened, so that two processes make one delivery', () => {
    const ids = (told: Notice) => noticeDeliveries([webhookOf('a'), webhookOf('b')], told, NOW).map(({ id }) => id);
    expect(ids(notice)).toEqual(ids({ ...notice, message: 'In other words.' }));
    expect(new Set([...ids(notice), ...ids({ ...notice, at: new Date(0) })]).size).toBe(4);
  });

  it('are JSON of their own type, or a message for a chat in which no text is markup', () => {
    const told = { ...notice, message: '<!channel> [bank](https://evil.example)' };
    const [json, slack, discord] = noticeDeliveries(
      [webhookOf('j'), webhookOf('s', { format: 'slack' }), webhookOf('d', { format: 'discord' })],
      told,
      NOW,
    ).map(({ body }) => JSON.parse(body) as Record<string, unknown>);
    expect(json).toEqual({
      type: 'operational',
      webhook_id: 'j',
      matches: [],
      event: { type: 'webhook_failing', at: NOW.toISOString(), message: told.message, about: { webhook_id: 'bad' } },
    });
    expect(slack!['text']).toBe('&lt;!channel&gt; [bank](https://evil.example)');
    expect(discord!['content']).toContain('\\[bank\\]\\(');
  });
});
