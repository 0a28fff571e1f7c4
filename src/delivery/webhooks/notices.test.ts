import { describe, expect, it } from 'vitest';
import type { Notice, Webhook } from '../../domain/webhook.ts';
import { alertDeliveries, noticeDeliveries, noticeOfAttempt } from './notices.ts';

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
    const nameless = noticeOfAttempt(webhookOf('bad'), CALM, { health: FAILING, disable: undefined }, NOW);
    expect(nameless?.message).toMatch(/^The webhook bad \(https:\/\/bad\.example\/\*\*\*\) is failing\./);
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

  it('go to those alone that want their kind, and silences to those that name them', () => {
    const webhooks = [
      webhookOf('all'),
      webhookOf('sources', { notices: { kinds: ['source'] } }),
      webhookOf('limits', { notices: { kinds: ['limit', 'silence'] } }),
      webhookOf('alerts', { events: ['alert'] }),
      webhookOf('matches', { events: ['match'], notices: { kinds: ['limit', 'silence'] } }),
    ];
    const told = (type: Notice['type']) =>
      noticeDeliveries(webhooks, { ...notice, type, subject: { limit: 'l' } }, NOW).map(({ webhookId }) => webhookId);
    expect(told('source_recovered')).toEqual(['all', 'sources']);
    expect(told('limit_near')).toEqual(['all', 'limits']);
    expect(told('budget_restored')).toEqual(['all', 'limits']);
    const alert = { id: 'alert_1', accountId: 'acct_1', ruleId: 'rule_1', ruleName: 'R', platform: 'x' } as const;
    const alerted = (kind: 'silence' | 'surge', of = webhooks) =>
      alertDeliveries(of, { ...alert, kind, from: NOW, to: undefined, rate: 0, usualRate: 1 }, NOW).map(
        ({ webhookId }) => webhookId,
      );
    expect(alerted('silence')).toEqual(['limits', 'alerts']);
    expect(alerted('surge')).toEqual(['alerts']);
    expect(alerted('silence', [webhookOf('other', { ruleIds: ['rule_2'], notices: { kinds: ['silence'] } })])).toEqual(
      [],
    );
  });

  it('wait for the end of the quiet hours of notices, and for no other', () => {
    const quiet = { from: '22:00', to: '07:00', zone: 'Europe/Berlin' };
    const webhooks = [webhookOf('quiet', { notices: { quiet } }), webhookOf('wake', { wake: { per: 'match', quiet } })];
    const night = new Date('2026-11-15T23:00:00Z');
    const due = (now: Date) => noticeDeliveries(webhooks, notice, now).map(({ at, dueAt }) => [at, dueAt]);
    expect(due(night)).toEqual([
      [night, new Date('2026-11-16T06:00:00Z')],
      [night, undefined],
    ]);
    expect(due(NOW)[0]).toEqual([NOW, NOW]);
  });

  it('have an id that follows from what happened, so that two processes make one delivery', () => {
    const ids = (told: Notice) => noticeDeliveries([webhookOf('a'), webhookOf('b')], told, NOW).map(({ id }) => id);
    expect(ids(notice)).toEqual(ids({ ...notice, message: 'In other words.' }));
    expect(new Set([...ids(notice), ...ids({ ...notice, at: new Date(0) })]).size).toBe(4);
    expect(ids({ ...notice, at: new Date(0), began: NOW })).toEqual(ids(notice));
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
