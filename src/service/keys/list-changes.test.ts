import { describe, expect, it } from 'vitest';
import { openService } from '../../../test/stages/service.ts';

const RULE = { name: 'Storms', intent: 'i', platforms: ['x'], overrides: { x: 'storm' } };
const SECRET_URL = 'https://hooks.slack.com/services/T0/B0/verysecret';

describe('list changes', () => {
  it('says who changed what, with the fields that differ and without a secret', async () => {
    await using test = await openService();
    const alice = await test.caller('alice');
    const { rule_id } = await test.call(alice, 'createRule', RULE);
    await test.call(alice, 'updateRule', { rule_id, paused: true });
    await test.call(alice, 'updateRule', { rule_id, overrides: { x: 'storm rain' } });
    const { webhook_id, secret } = await test.call(alice, 'createWebhook', { url: SECRET_URL, format: 'slack' });
    const rotated = await test.call(alice, 'updateWebhook', { webhook_id, rotate_secret: true });
    const { id: key_id, key } = await test.call(alice, 'createKey', { name: 'reader', scope: 'read' });
    await test.call({ ...alice, session: 'digest' }, 'revokeKey', { key_id });
    await test.call(alice, 'deleteWebhook', { webhook_id });
    await test.call(alice, 'deleteRule', { rule_id });
    const { changes } = await test.call(alice, 'listChanges');
    expect(changes.map(({ what, id, by }) => [what, id, by.kind])).toEqual([
      ['rule.deleted', rule_id, 'key'],
      ['webhook.deleted', webhook_id, 'key'],
      ['key.deleted', key_id, 'session'],
      ['key.created', key_id, 'key'],
      ['webhook.changed', webhook_id, 'key'],
      ['webhook.created', webhook_id, 'key'],
      ['rule.changed', rule_id, 'key'],
      ['rule.changed', rule_id, 'key'],
      ['rule.created', rule_id, 'key'],
      ['key.created', alice.key.id, 'system'],
    ]);
    expect(changes[0]).toMatchObject({ by: { key_id: alice.key.id, key_name: 'test' }, before: { name: 'Storms' } });
    expect(changes[0]).not.toHaveProperty('after');
    expect(changes[4]).toMatchObject({ before: { secret: null }, after: { secret: 'rotated' } });
    expect(changes[6]).toMatchObject({ before: { x: { value: 'storm' } }, after: { x: { value: 'storm rain' } } });
    expect(changes[7]).toMatchObject({ before: { paused: false }, after: { paused: true } });
    expect(Object.keys(changes[7]!.after!)).toEqual(['paused']);
    const all = JSON.stringify(changes);
    for (const hidden of [secret, rotated.secret!, key, 'verysecret']) expect(all).not.toContain(hidden);
    expect(changes[5]).toMatchObject({ after: { url: 'https://hooks.slack.com/***' } });
  });

  it('shows an account its own changes alone, to a full key, in pages', async () => {
    await using test = await openService();
    const [alice, bob] = [await test.caller('alice'), await test.caller('bob')];
    const reader = await test.caller('alice', { scope: 'read' });
    for (const name of ['one', 'two', 'three']) await test.call(alice, 'createRule', { ...RULE, name });
    await expect(test.call(reader, 'listChanges')).rejects.toMatchObject({ code: 'permission_denied' });
    expect((await test.call(bob, 'listChanges', { kind: 'rule' })).changes).toEqual([]);
    const first = await test.call(alice, 'listChanges', { kind: 'rule', limit: 2 });
    expect(first.changes.map(({ after }) => after?.['name'])).toEqual(['three', 'two']);
    const rest = await test.call(alice, 'listChanges', { kind: 'rule', cursor: first.next_cursor });
    expect(rest.changes.map(({ after }) => after?.['name'])).toEqual(['one']);
    await expect(test.call(bob, 'listChanges', { cursor: first.next_cursor })).rejects.toMatchObject({
      code: 'invalid_argument',
    });
  });
});
