import { expect, it } from 'vitest';
import { newId } from '../../../src/base/ids.ts';
import type { Change } from '../../../src/domain/change.ts';
import { sourceOf } from './sources.ts';
import { addOther, at, DAY, type Open, range, removeAll, ruleOf, stage } from './stage.ts';
import { webhookOf } from './webhooks.ts';

const note = (what: Change['what'], id: string, change: Partial<Change> = {}): Change => ({
  at: at(0),
  by: { kind: 'key', keyId: 'key_1', keyName: 'a "name"\0' },
  what,
  id,
  ...change,
});

export function changeCases(open: Open): void {
  it('keeps a change with what it is about, or keeps neither', async () => {
    await using stand = await stage(open);
    const { store, account, rule } = stand;
    const webhook = webhookOf(account);
    const key = {
      id: newId('key', at(0)),
      accountId: account.id,
      name: 'k',
      scope: 'read' as const,
      lastFour: '1234',
      createdAt: at(0),
      lastUsedAt: undefined,
      expiresAt: undefined,
    };
    await store.addKey(key, new Uint8Array(32), note('key.created', key.id, { after: { name: 'k' } }));
    await store.addWebhook(webhook, 1, note('webhook.created', webhook.id));
    const paused = { before: { paused: false }, after: { paused: true } };
    await store.changeRule(account.id, rule.id, { paused: true }, note('rule.changed', rule.id, paused));
    await store.changeAccount(account.id, { plan: 'free' }, note('account.changed', account.id));
    const source = sourceOf(account.id);
    await store.addSource(source, 1, note('source.created', source.id));
    // A call that is refused, or that is about what is not there, leaves no trace.
    await store.addWebhook(webhookOf(account), 1, note('webhook.created', 'hook_refused'));
    await store.addRule(ruleOf(account), { x: 1 }, note('rule.created', 'rule_refused'));
    await store.addSource(sourceOf(account.id), 1, note('source.created', 'source_refused'));
    for (const wrong of ['changeRule', 'changeWebhook'] as const)
      expect(await store[wrong](account.id, 'unknown', {}, note('rule.changed', 'unknown'))).toBe(false);
    for (const wrong of ['deleteRule', 'deleteWebhook', 'revokeKey'] as const)
      expect(await store[wrong](account.id, 'unknown', note('rule.deleted', 'unknown'))).toBe(false);
    await expect(store.addKey(key, new Uint8Array(32), note('key.created', 'key_twice'))).rejects.toThrow(
      /unique|there already/i,
    );
    const { changes, next } = await store.changes({ accountId: account.id, limit: 10 });
    expect(next).toBeUndefined();
    expect(changes).toEqual([
      note('source.created', source.id),
      note('account.changed', account.id),
      note('rule.changed', rule.id, paused),
      note('webhook.created', webhook.id),
      note('key.created', key.id, { after: { name: 'k' } }),
    ]);
    await store.deleteRule(account.id, rule.id, note('rule.deleted', rule.id));
    await store.deleteWebhook(account.id, webhook.id, note('webhook.deleted', webhook.id));
    await store.revokeKey(account.id, key.id, note('key.deleted', key.id));
    await store.deleteSource(account.id, source.id, at(1), note('source.deleted', source.id));
    expect((await store.changes({ accountId: account.id, limit: 10 })).changes).toHaveLength(9);
  });

  it('lists changes of one account in pages, by kind, by thing and by time', async () => {
    await using stand = await stage(open, { retentionDays: 1 });
    const { store, account, rule } = stand;
    const { account: other } = await addOther(store);
    for (const index of range(5))
      await store.changeRule(
        account.id,
        rule.id,
        { name: `${index}` },
        note('rule.changed', rule.id, { at: at(index) }),
      );
    await store.changeAccount(account.id, {}, note('account.changed', account.id, { at: at(5) }));
    await store.changeAccount(other.id, {}, note('account.changed', other.id));
    const list = async (query: object) =>
      (await store.changes({ accountId: account.id, limit: 10, ...query })).changes.map((one) => one.at.getTime());
    const times = (...milliseconds: number[]) => milliseconds.map((one) => at(one).getTime());
    const { changes, next } = await store.changes({ accountId: account.id, limit: 4 });
    expect(changes.map((one) => one.at)).toEqual([at(5), at(4), at(3), at(2)]);
    expect(await list({ before: next })).toEqual(times(1, 0));
    expect(await list({ kind: 'account' })).toEqual(times(5));
    expect(await list({ id: rule.id, since: at(1), until: at(3) })).toEqual(times(2, 1));
    expect(await list({ id: rule.id, kind: 'account' })).toEqual([]);
    await store.changeAccount(other.id, {}, note('account.changed', other.id, { at: at(-3 * DAY) }));
    const ofOther = () => store.changes({ accountId: other.id, limit: 10 });
    expect((await ofOther()).changes).toHaveLength(2);
    await removeAll(store, at(0));
    expect((await ofOther()).changes).toHaveLength(1);
    expect(await list({})).toHaveLength(6);
  });
}
