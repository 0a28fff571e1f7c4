/** Names with characters that cannot be seen are refused; those that were stored before are shown with them written out. */
import { describe, expect, it } from 'vitest';
import { webhookOf } from '../../test/conformance/store/webhooks.ts';
import { openService } from '../../test/stages/service.ts';
import { newId } from '../base/ids.ts';
import type { OperationName } from './operations.ts';

const HIDDEN = ['a\u202eb', 'a\u200bb', 'a\u001b[2J', 'a\r\nb', 'a\u2066b', '\ufeffa'];
const RULE = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };

describe('a name', () => {
  const INPUTS: [OperationName, string, (name: string) => object][] = [
    ['createRule', 'name', (name) => ({ ...RULE, name })],
    ['createWebhook', 'description', (description) => ({ url: 'https://a.example/in', description })],
    ['createKey', 'name', (name) => ({ name })],
    ['createView', 'name', (name) => ({ name, query: '' })],
    ['createFeed', 'name', (name) => ({ name })],
  ];

  it.each(INPUTS)('of %s is refused with the place of what cannot be seen', async (name, path, inputOf) => {
    await using test = await openService();
    const alice = await test.caller('alice');
    for (const text of HIDDEN) {
      const place = text.startsWith('a') ? 2 : 1;
      const message = expect.stringMatching(new RegExp(`Character ${place} is U\\+[0-9A-F]{4}, which cannot be seen`));
      await expect(test.call(alice, name, inputOf(text))).rejects.toMatchObject({
        code: 'invalid_argument',
        details: { issues: [{ path, message }] },
      });
    }
    await test.call(alice, name, inputOf('می\u200cخواهم 👩\u200d💻'));
  });

  it('is refused in a change, too', async () => {
    await using test = await openService();
    const alice = await test.caller('alice');
    const { rule_id } = await test.call(alice, 'createRule', RULE);
    const { webhook_id } = await test.call(alice, 'createWebhook', { url: 'https://a.example/in' });
    await expect(test.call(alice, 'updateRule', { rule_id, name: 'a\u202eb' })).rejects.toMatchObject({
      code: 'invalid_argument',
    });
    await expect(test.call(alice, 'updateWebhook', { webhook_id, description: 'a\u202eb' })).rejects.toMatchObject({
      code: 'invalid_argument',
    });
  });

  it('that was stored before is shown with it written out', async () => {
    await using test = await openService();
    const alice = await test.caller('alice');
    const { store } = test;
    const name = 'gpj.\u202eexe\u200b';
    const { rule_id } = await test.call(alice, 'createRule', RULE);
    await store.changeRule(alice.account.id, rule_id, { name });
    await test.post(alice, 'a storm');
    const createdAt = new Date();
    const { id: accountId } = alice.account;
    await store.addView({ id: newId('view', createdAt), accountId, name, query: '', createdAt }, 9);
    await store.addWebhook(webhookOf(alice.account, { description: name }), 9);
    const shown = await Promise.all(
      (['listRules', 'listMatches', 'listViews', 'listWebhooks', 'listStories'] as const).map((one) =>
        test.call(alice, one),
      ),
    );
    for (const answer of shown) {
      expect(JSON.stringify(answer)).toContain('gpj.<U+202E>exe<U+200B>');
      expect(JSON.stringify(answer)).not.toMatch(/[\u202e\u200b]/);
    }
  });
});
