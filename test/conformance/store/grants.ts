import { expect, it } from 'vitest';
import { newId } from '../../../src/base/ids.ts';
import type { Grant } from '../../../src/domain/account.ts';
import type { AccessToken, RegisteredClient, TokenPair } from '../../../src/store/store.ts';
import { at, DAY, MINUTE, type Open, range, removeAll, stage } from './stage.ts';

export const grantFor = (accountId: string, change: Partial<Grant> = {}): Grant => ({
  id: newId('grant', at(0)),
  accountId,
  clientId: 'https://client.example/id.json',
  clientName: 'Agent “one” \u0000',
  redirectUri: 'https://client.example/back',
  resource: 'https://sluice.example/mcp',
  scopes: ['read', 'events'],
  ruleIds: undefined,
  createdAt: at(0),
  lastUsedAt: undefined,
  endsAt: at(MINUTE),
  expiresAt: at(300 * DAY),
  ...change,
});

export const clientNamed = (id: string, change: Partial<RegisteredClient> = {}): RegisteredClient => ({
  id,
  name: 'Cursor',
  redirectUris: ['cursor://x/y', 'http://localhost/callback'],
  secretDigest: undefined,
  createdAt: at(0),
  endsAt: at(DAY),
  ...change,
});

export const tokenOf = (grantId: string, digest: string, endsAt = at(60 * MINUTE)): AccessToken => ({
  digest,
  grantId,
  scopes: ['read'],
  endsAt,
});

export const pairOf = (grantId: string, name: string): TokenPair => ({
  token: tokenOf(grantId, `token ${name}`),
  familyDigest: `family of ${grantId}`,
  refreshDigest: `refresh ${name}`,
  endsAt: at(30 * DAY),
});

export function grantCases(open: Open): void {
  it('keeps as many grants as the limit says, however many are asked for at once, codes not yet redeemed among them', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const add = (name: string, change: Partial<Grant> = {}) =>
      store.addGrant(grantFor(account.id, change), { digest: name, challenge: 'c' }, undefined, 3);
    await add('over', { endsAt: at(0) });
    const first = grantFor(account.id);
    await store.addGrant(first, { digest: 'first', challenge: 'c' }, undefined, 3);
    await store.redeemCode('first', pairOf(first.id, 'a'), at(0));
    const added = await Promise.all(range(5).map((index) => add(`code ${index}`)));
    expect(added.filter(Boolean)).toHaveLength(2);
    await store.revokeGrant(account.id, first.id);
    expect([await add('next'), await add('last')]).toEqual([true, false]);
  });

  it('keeps a grant with all it has, and lists it once its code was used', async () => {
    await using store = await open();
    const grant = grantFor('acct_1', { ruleIds: ['rule_1', 'rule_2'] });
    await store.addGrant(grant, { digest: 'code', challenge: 'c' });
    expect(await store.grantByCode('code')).toEqual({
      ...grant,
      challenge: 'c',
      codeUsedAt: undefined,
      refreshDigest: undefined,
      previousDigest: undefined,
      rotatedAt: undefined,
    });
    expect(await store.grants('acct_1', at(0))).toEqual([]);
    expect(await store.redeemCode('code', pairOf(grant.id, 'a'), at(1))).toBe(true);
    const used = { ...grant, lastUsedAt: at(1), endsAt: at(30 * DAY) };
    expect(await store.grants('acct_1', at(1))).toEqual([used]);
    expect(await store.grants('acct_2', at(1))).toEqual([]);
    expect(await store.grants('acct_1', at(30 * DAY))).toEqual([]);
    await store.touchGrant(grant.id, at(9));
    expect(await store.grants('acct_1', at(1))).toEqual([{ ...used, lastUsedAt: at(9) }]);
  });

  it('tells by the number of access that a grant or a token has ended', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const grant = grantFor(account.id);
    await store.addGrant(grant, { digest: 'code', challenge: 'c' });
    await store.redeemCode('code', pairOf(grant.id, 'a'), at(1));
    const seen = [await store.accessVersion()];
    for (const change of [
      () => store.touchGrant(grant.id, at(2)),
      () => store.endAccessToken('token a'),
      () => store.revokeGrant(account.id, grant.id),
    ]) {
      await change();
      const now = await store.accessVersion();
      expect(seen).not.toContain(now);
      seen.push(now);
    }
  });

  it('redeems a code once, of many callers for one, and never a late one', async () => {
    await using store = await open();
    const [grant, late] = [grantFor('acct_1'), grantFor('acct_1')];
    await store.addGrant(grant, { digest: 'code', challenge: 'c' });
    await store.addGrant(late, { digest: 'late', challenge: 'c' });
    const tries = range(5).map((n) => store.redeemCode('code', pairOf(grant.id, `${n}`), at(1)));
    expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1);
    expect((await store.grantByCode('code'))?.codeUsedAt).toEqual(at(1));
    expect(await store.redeemCode('late', pairOf(late.id, 'l'), at(MINUTE))).toBe(false);
    expect(await store.accessToken('token l', at(1))).toBeUndefined();
  });

  it('replaces a refresh token once, of many callers for one, and knows the one before', async () => {
    await using store = await open();
    const grant = grantFor('acct_1');
    await store.addGrant(grant, { digest: 'code', challenge: 'c' });
    await store.redeemCode('code', pairOf(grant.id, 'a'), at(1));
    const tries = range(5).map((n) => store.rotateRefresh(grant.id, 'refresh a', pairOf(grant.id, `b${n}`), at(2)));
    expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1);
    const found = await store.grantByFamily(`family of ${grant.id}`);
    expect(found).toMatchObject({ previousDigest: 'refresh a', rotatedAt: at(2) });
    expect(found?.refreshDigest).toMatch(/^refresh b\d$/);
    const tokens = await Promise.all(range(5).map((n) => store.accessToken(`token b${n}`, at(2))));
    expect(tokens.flatMap((one) => one?.token.digest ?? [])).toEqual([
      found!.refreshDigest!.replace('refresh', 'token'),
    ]);
    expect(await store.rotateRefresh(grant.id, found!.refreshDigest!, pairOf(grant.id, 'c'), at(30 * DAY))).toBe(false);
  });

  it('finds a grant by its access token until the token, the grant or the person ends it', async () => {
    await using store = await open();
    const grant = grantFor('acct_1');
    await store.addGrant(grant, { digest: 'code', challenge: 'c' });
    await store.redeemCode('code', pairOf(grant.id, 'a'), at(1));
    await store.addAccessToken(tokenOf(grant.id, 'second'));
    expect(await store.accessToken('token a', at(1))).toEqual({
      grant: { ...grant, lastUsedAt: at(1), endsAt: at(30 * DAY) },
      token: tokenOf(grant.id, 'token a'),
    });
    expect(await store.accessToken('token a', at(60 * MINUTE))).toBeUndefined();
    await store.endAccessToken('token a');
    expect(await store.accessToken('token a', at(1))).toBeUndefined();
    expect(await store.accessToken('second', at(1))).toBeDefined();
    expect(await store.revokeGrant('acct_2', grant.id)).toBe(false);
    expect(await store.accessToken('second', at(1))).toBeDefined();
    expect(await store.revokeGrant('acct_1', grant.id)).toBe(true);
    expect(await store.revokeGrant('acct_1', grant.id)).toBe(false);
    expect(await store.accessToken('second', at(1))).toBeUndefined();
    expect(await store.grantByFamily(`family of ${grant.id}`)).toBeUndefined();
  });

  it('keeps the newest hundred access tokens of a grant', async () => {
    await using store = await open();
    const grant = grantFor('acct_1');
    await store.addGrant(grant, { digest: 'code', challenge: 'c' });
    for (const n of range(102)) await store.addAccessToken(tokenOf(grant.id, `t${n}`, at(MINUTE + n)));
    const works = await Promise.all(
      range(102).map(async (n) => (await store.accessToken(`t${n}`, at(0))) !== undefined),
    );
    expect(works.indexOf(true)).toBe(2);
    expect(works.filter(Boolean)).toHaveLength(100);
  });

  it('keeps clients, makes room among unused ones alone, and refuses when all are new', async () => {
    await using store = await open();
    const limit = { most: 3, olderThan: at(10) };
    const first = clientNamed('c1', { secretDigest: 'd' });
    expect(await store.addClient(first, limit)).toBe(true);
    expect(await store.client('c1', at(0))).toEqual(first);
    const publicOne = clientNamed('c0', { createdAt: at(-1) });
    await store.addClient(publicOne, limit);
    expect(await store.client('c0', at(0))).toEqual(publicOne);
    expect([await store.client('c0', at(DAY - 1)), await store.client('c0', at(DAY))]).toEqual([publicOne, undefined]);
    await store.keepClient('c0', at(1));
    expect((await store.client('c0', at(0)))?.endsAt).toEqual(at(DAY));
    await store.keepClient('c1', at(31 * DAY));
    expect((await store.client('c1', at(30 * DAY)))?.endsAt).toEqual(at(31 * DAY));
    for (const id of ['c2', 'c3']) await store.addClient(clientNamed(id, { createdAt: at(5) }), limit);
    expect(await store.addClient(clientNamed('c4', { createdAt: at(20) }), limit)).toBe(true);
    expect(await store.addClient(clientNamed('c5', { createdAt: at(20) }), limit)).toBe(true);
    const left = await Promise.all(['c1', 'c2', 'c3', 'c4', 'c5'].map((id) => store.client(id, at(0))));
    expect(left.map((one) => one !== undefined)).toEqual([true, false, true, true, true]);
    await store.addClient(clientNamed('c6', { createdAt: at(20) }), limit);
    expect(await store.addClient(clientNamed('c7', { createdAt: at(20) }), limit)).toBe(false);
  });

  it('removes what is over, and nothing else', async () => {
    await using store = await open();
    const [kept, over] = [grantFor('acct_1', { endsAt: at(9 * DAY) }), grantFor('acct_1')];
    await store.addGrant(kept, { digest: 'kept', challenge: 'c' });
    await store.addGrant(over, { digest: 'over', challenge: 'c' });
    await store.addAccessToken(tokenOf(kept.id, 'old', at(1)));
    await store.addClient(clientNamed('c1'), { most: 3, olderThan: at(0) });
    await store.addClient(clientNamed('c2', { endsAt: at(9 * DAY) }), { most: 3, olderThan: at(0) });
    await removeAll(store, at(2 * DAY));
    expect(await store.grantByCode('kept')).toBeDefined();
    expect(await store.grantByCode('over')).toBeUndefined();
    expect(await store.accessToken('old', at(0))).toBeUndefined();
    expect([await store.client('c1', at(0)), (await store.client('c2', at(0)))?.id]).toEqual([undefined, 'c2']);
  });
}
