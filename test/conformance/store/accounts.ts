import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { newId } from '../../../src/base/ids.ts';
import type { Account, Key } from '../../../src/domain/account.ts';
import { accountNamed, at, DAY, type Open } from './stage.ts';

export function accountCases(open: Open): void {
  it('finds an account by id and by name', async () => {
    await using store = await open();
    const account = accountNamed('one');
    await store.addAccount(account);
    expect(await store.account(account.id)).toEqual(account);
    expect(await store.account('one')).toEqual(account);
    expect(await store.account('two')).toBeUndefined();
    expect(await store.accounts()).toEqual([account]);
  });

  it('lists the oldest accounts first, and no more than asked for', async () => {
    await using store = await open();
    const [one, two, three] = ['one', 'two', 'three'].map(accountNamed);
    for (const account of [one!, two!, three!]) await store.addAccount(account);
    expect(await store.accounts()).toEqual([one, two, three]);
    expect(await store.accounts(2)).toEqual([one, two]);
  });

  it('refuses a second account of the same name', async () => {
    await using store = await open();
    await store.addAccount(accountNamed('one'));
    await expect(store.addAccount(accountNamed('one'))).rejects.toMatchObject({
      name: 'StoreError',
      reason: 'exists',
      retryable: false,
    });
    expect(await store.accounts()).toHaveLength(1);
  });

  it('changes what is given and nothing else', async () => {
    await using store = await open();
    const account = accountNamed('one');
    await store.addAccount(account);
    expect(await store.changeAccount(account.id, { xRules: 100 })).toBe(true);
    expect(await store.account('one')).toEqual({ ...account, xRules: 100 });
    expect(await store.changeAccount(account.id, { plan: 'free' })).toBe(true);
    expect(await store.account('one')).toEqual({ ...account, xRules: 100, plan: 'free' });
    expect(await store.changeAccount('acct_none', { plan: 'free' })).toBe(false);
  });

  const digest = (secret: string): Uint8Array => createHash('sha256').update(secret).digest();
  const keyOf = (account: Account, change: Partial<Key> = {}): Key => ({
    id: newId('key', at(0)),
    accountId: account.id,
    name: 'laptop',
    scope: 'full',
    lastFour: 'abcd',
    createdAt: at(0),
    lastUsedAt: undefined,
    expiresAt: undefined,
    ...change,
  });

  it('finds a key by its digest until it is revoked', async () => {
    await using store = await open();
    const account = accountNamed('one');
    await store.addAccount(account);
    const key = keyOf(account, { expiresAt: at(DAY), scope: 'read' });
    await store.addKey(key, digest('secret'));
    expect(await store.keyByDigest(digest('secret'))).toEqual(key);
    expect(await store.keyByDigest(digest('Secret'))).toBeUndefined();
    await store.touchKey(key.id, at(5));
    expect(await store.keys(account.id)).toEqual([{ ...key, lastUsedAt: at(5) }]);
    expect(await store.revokeKey(account.id, key.id)).toBe(true);
    expect(await store.keyByDigest(digest('secret'))).toBeUndefined();
    expect(await store.revokeKey(account.id, key.id)).toBe(false);
    expect(await store.keys(account.id)).toEqual([]);
  });

  it('tells by a number that an account or a key has changed, and by no other change', async () => {
    await using store = await open();
    const account = accountNamed('one');
    await store.addAccount(account);
    const key = keyOf(account);
    await store.addKey(key, digest('secret'));
    const seen = [await store.accessVersion()];
    await store.check();
    await store.addKey(keyOf(account), digest('another'));
    expect(await store.accessVersion()).toBe(seen[0]);
    for (const change of [
      () => store.touchKey(key.id, at(5)),
      () => store.changeAccount(account.id, { plan: 'free' }),
      () => store.changeLimits(account.id, { streams: 5 }),
      () => store.suspendAccount(account.id, { at: at(6), reason: 'spam' }),
      () => store.resumeAccount(account.id),
      () => store.revokeKey(account.id, key.id),
    ]) {
      await change();
      const now = await store.accessVersion();
      expect(seen).not.toContain(now);
      seen.push(now);
    }
  });

  it('adds as many keys as the limit says, however many are added at once', async () => {
    await using store = await open();
    const account = accountNamed('one');
    await store.addAccount(account);
    const added = await Promise.all(
      Array.from({ length: 6 }, (_, n) => store.addKey(keyOf(account), digest(`secret ${n}`), undefined, 2)),
    );
    expect(added.filter(Boolean)).toHaveLength(2);
    expect(await store.keys(account.id)).toHaveLength(2);
  });

  it("neither lists nor revokes another account's keys", async () => {
    await using store = await open();
    const [one, other] = [accountNamed('one'), accountNamed('other')];
    await store.addAccount(one);
    await store.addAccount(other);
    const key = keyOf(one);
    await store.addKey(key, digest('secret'));
    expect(await store.keys(other.id)).toEqual([]);
    expect(await store.revokeKey(other.id, key.id)).toBe(false);
    expect(await store.keyByDigest(digest('secret'))).toEqual(key);
  });
}
