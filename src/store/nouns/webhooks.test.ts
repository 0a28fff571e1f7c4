/** The rows of webhooks, and of what they are owed. */
import { describe, expect, it } from 'vitest';
import type { Webhook } from '../../domain/webhook.ts';
import { positionAt } from '../order.ts';
import { backlogOf, ruleToReplay } from './owed.ts';
import { heldOf, isWakeTurn } from './wakes.ts';
import { agendaOf, changedColumns, subscriptionOf, webhookOf } from './webhooks.ts';

const START = Date.UTC(2026, 10, 15);
const at = (milliseconds: number): Date => new Date(START + milliseconds);

describe('a webhook', () => {
  const row = {
    id: 'hook_1',
    account_id: 'acct_1',
    status: 'active' as const,
    created_at: START,
    url: '"u"',
    description: '""',
    format: 'json' as const,
    rule_ids: null,
    sources: null,
    platforms: null,
    every: null,
    events: null,
    reason: null,
    secret: 's',
    previous_secret: null,
    previous_until: null,
    last_failure_at: null,
    failing_since: null,
    subscription: null,
    owner: null,
    event: null,
    expires_at: null,
    brief: 0,
    terms: null,
    wake: null,
    wake_account: null,
    wake_turn: 0,
    template: null,
    notices: null,
    credential: null,
    confirmed_url: null,
  };
  const plain: Webhook = {
    id: 'hook_1',
    accountId: 'acct_1',
    url: 'u',
    description: '',
    ruleIds: undefined,
    platforms: undefined,
    format: 'json',
    events: ['match'],
    every: undefined,
    status: 'active',
    reason: undefined,
    createdAt: at(0),
    secrets: { current: 's', previous: undefined, previousUntil: undefined },
    health: { lastFailureAt: undefined, failingSince: undefined },
  };

  it('has nothing that its row does not have; one from before there were other events is told of matches', () => {
    const { subscription, ...read } = webhookOf(row);
    expect([read, subscription]).toStrictEqual([plain, undefined]);
  });

  it('has all that its row has', () => {
    const full = webhookOf({
      ...row,
      rule_ids: '["r"]',
      platforms: '["x"]',
      every: 5,
      events: '[]',
      reason: '"why"',
      previous_secret: 'p',
      previous_until: START + 1,
      last_failure_at: START + 2,
      failing_since: START + 3,
      wake: '{"per":"match"}',
      wake_account: `[${START},1,2,3]`,
      wake_turn: 4,
      template: '"{{ text }}"',
      notices: '{"kinds":["limit"]}',
      credential: 'c',
      confirmed_url: '"v"',
    });
    expect(full).toMatchObject({
      ruleIds: ['r'],
      platforms: ['x'],
      every: 5,
      events: [],
      reason: 'why',
      secrets: { current: 's', previous: 'p', previousUntil: at(1) },
      health: { lastFailureAt: at(2), failingSince: at(3) },
      wake: { per: 'match' },
      wakeAccount: { windowFrom: at(0), wakes: 1, held: 2, stories: 3 },
      wakeTurn: 4,
      template: '{{ text }}',
      notices: { kinds: ['limit'] },
      credential: 'c',
      confirmedUrl: 'v',
    });
    expect(webhookOf({ ...row, wake: '{"per":"match"}' }).wakeAccount).toBeUndefined();
  });

  it('keeps its reason and record through a change, starts clean when made active, and voids its turn with its contract', () => {
    const failing: Webhook = {
      ...plain,
      reason: 'why',
      status: 'disabled',
      wakeTurn: 4,
      health: { lastFailureAt: at(2), failingSince: at(3) },
    };
    expect(changedColumns(failing, { description: 'd' })).toMatchObject({
      description: '"d"',
      status: 'disabled',
      reason: '"why"',
      wakeTurn: 4,
      lastFailureAt: START + 2,
      failingSince: START + 3,
    });
    expect(changedColumns(failing, { reason: 'new' }).reason).toBe('"new"');
    expect(changedColumns(failing, { status: 'active' })).toMatchObject({
      status: 'active',
      reason: null,
      lastFailureAt: null,
      failingSince: null,
    });
    expect(changedColumns(failing, { wake: null })).toMatchObject({ wake: null, wakeTurn: 5 });
    expect(changedColumns(plain, { wake: { per: 'match' } })).toMatchObject({ wake: '{"per":"match"}', wakeTurn: 1 });
  });

  it('is on the agenda with what waits, or without', () => {
    const idle = { ...row, oldest: null, owed: 0, pending: 2, next_at: null, acknowledge_by: null };
    expect(agendaOf(idle)).toMatchObject({ owedSince: undefined, owed: 0, pending: 2, nextAt: undefined });
    const waiting = { ...idle, oldest: positionAt(START), owed: 1, next_at: START + 9, acknowledge_by: START + 10 };
    expect(agendaOf(waiting)).toMatchObject({ owedSince: at(0), owed: 1, nextAt: at(9), acknowledgeBy: at(10) });
  });

  it('is an agent’s subscription only with all that one has', () => {
    const terms = JSON.stringify({ arguments: '{}', start: 3, verifiedAt: START + 1, refreshedAt: START + 2 });
    const whole = { subscription: 'sub_1', owner: 'key_1', event: 'match.created' as const, expires_at: START, terms };
    expect(subscriptionOf({ ...row, ...whole, brief: 1 })).toEqual({
      id: 'sub_1',
      ownerId: 'key_1',
      event: 'match.created',
      arguments: '{}',
      start: 3,
      isBrief: true,
      expiresAt: at(0),
      verifiedAt: at(1),
      refreshedAt: at(2),
    });
    for (const name of Object.keys(whole))
      expect(subscriptionOf({ ...row, ...whole, [name]: null }), name).toBeUndefined();
  });
});

describe('what is owed', () => {
  it('is replayed for the one rule of a subscription to matches', () => {
    const wanting = { number: 1, rule_ids: '["r","s"]', platforms: null, events: null };
    expect(ruleToReplay(wanting)).toBe('r');
    expect(ruleToReplay({ ...wanting, events: '["match"]' })).toBe('r');
    expect(ruleToReplay({ ...wanting, events: '["alert"]' })).toBeUndefined();
    expect(ruleToReplay({ ...wanting, rule_ids: null })).toBeUndefined();
  });

  it('is batched on purpose or not, and held with its story or without', () => {
    const row = { account_id: 'a', webhook_id: 'w', status: 'active' as const, matches: 2, oldest: positionAt(START) };
    expect(backlogOf({ ...row, every: null })).toMatchObject({ isBatched: false, since: at(0) });
    expect(backlogOf({ ...row, every: 60 }).isBatched).toBe(true);
    const held = { position: positionAt(START), tail: '0'.repeat(16), silence: null };
    expect(heldOf({ ...held, story: null })).toMatchObject({ at: at(0), story: undefined });
    expect(heldOf({ ...held, story: 'st' }).story).toBe('st');
    expect(heldOf({ ...held, story: null, silence: 'silence_1' }).silence).toBe('silence_1');
  });

  it('is decided by the present contract in its present turn, or by none where there is none', () => {
    const row = { number: 1, account: 1, wake_turn: 3 };
    const turn = { turn: 3 } as Parameters<typeof isWakeTurn>[1];
    expect(isWakeTurn({ ...row, waking: 1 }, turn)).toBe(true);
    expect(isWakeTurn({ ...row, waking: true, wake_turn: 4 }, turn)).toBe(false);
    // A silence holds matches of a webhook without a contract.
    expect(isWakeTurn({ ...row, waking: 0 }, turn)).toBe(true);
    expect(isWakeTurn({ ...row, waking: 0, wake_turn: 4 }, turn)).toBe(false);
    expect(isWakeTurn({ ...row, waking: false }, undefined)).toBe(true);
    expect(isWakeTurn({ ...row, waking: 1 }, undefined)).toBe(false);
  });
});
