import { describe, expect, it } from 'vitest';
import {
  accountFields,
  byCaller,
  changeNote,
  grantFields,
  keyFields,
  ruleFields,
  SYSTEM,
  webhookFields,
} from './change-notes.ts';

const AT = new Date('2026-11-15T08:30:00.000Z');

describe('a note of a change', () => {
  const key = { id: 'k', name: 'key', scope: 'full' } as never;

  it('says who made it', () => {
    expect(byCaller({ key })).toEqual({ kind: 'key', keyId: 'k', keyName: 'key' });
    expect(byCaller({ key, session: 's' }).kind).toBe('session');
    expect(byCaller({ key, session: 's', grant: {} }).kind).toBe('grant');
  });

  it('has the fields that differ, and all of what comes or goes', () => {
    const note = changeNote(AT, SYSTEM, 'rule.changed', 'r', {
      before: { same: [1], old: 1, other: 'a' },
      after: { same: [1], new: 2, other: 'b' },
    });
    expect(note).toEqual({
      at: AT,
      by: { kind: 'system' },
      what: 'rule.changed',
      id: 'r',
      before: { old: 1, other: 'a', new: null },
      after: { old: null, other: 'b', new: 2 },
    });
    expect(changeNote(AT, SYSTEM, 'rule.created', 'r', { after: { a: 1 } })).toMatchObject({
      before: undefined,
      after: { a: 1 },
    });
  });

  it('names the fields of rules, keys, grants and accounts', () => {
    const texts = { x: { value: 'v', flags: { nsfw: true }, status: 'active' } };
    expect(ruleFields({ name: 'n', intent: 'i', platforms: texts })).toEqual({
      name: 'n',
      intent: 'i',
      paused: false,
      alerts: { surge: false, silence: false },
      x: { value: 'v', options: { nsfw: true } },
    });
    expect(keyFields({ name: 'n', scope: 'read', expiresAt: undefined })).toEqual({
      name: 'n',
      scope: 'read',
      expires_at: null,
    });
    const grant = { clientId: 'c', clientName: 'C', scopes: ['read'], ruleIds: undefined, expiresAt: AT };
    expect(grantFields(grant as never)).toEqual({
      client_id: 'c',
      client_name: 'C',
      scopes: ['read'],
      rule_ids: null,
      expires_at: AT.toISOString(),
    });
    expect(accountFields({ name: 'n', plan: 'paid', xRules: 1 })).toEqual({
      name: 'n',
      plan: 'paid',
      x_rules: 1,
      x_budget: null,
      x_budget_spent_in: null,
      limits: {},
      suspended: null,
    });
  });

  it.each([
    ['mailto:ada@example.com', 'mailto:a***@example.com'],
    ['https://a.test/', 'https://a.test/'],
    ['https://a.test/secret', 'https://a.test/***'],
    ['https://a.test/?secret', 'https://a.test/***'],
  ])('shows %s as %s', (url, shown) => {
    const webhook = { url, description: 'd', format: 'json', status: 'active', ruleIds: null, platforms: undefined };
    expect(webhookFields({ ...webhook, every: undefined } as never)).toEqual({
      url: shown,
      description: 'd',
      rule_ids: null,
      sources: null,
      platforms: null,
      format: 'json',
      batch_ms: null,
      wake: null,
      status: 'active',
    });
  });
});
