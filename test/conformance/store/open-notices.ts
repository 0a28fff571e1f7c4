import { expect, it } from 'vitest';
import { addOther, at, type Open, stage } from './stage.ts';

export function openNoticeCases(open: Open): void {
  it('keeps when something began until it ends, for each account and cause', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const { account: other } = await addOther(store);
    expect(await store.openNotices()).toEqual([]);
    expect(await store.beginNotice(account.id, 'limit_near:stored_bytes', at(1))).toEqual(at(1));
    expect(await store.beginNotice(account.id, 'limit_near:stored_bytes', at(2))).toEqual(at(1));
    expect(await store.beginNotice(other.id, 'limit_near:stored_bytes', at(3))).toEqual(at(3));
    expect(await store.beginNotice('acct_none', 'limit_near:stored_bytes', at(3))).toBeUndefined();
    const of = (accountId: string, since: Date) => ({ accountId, cause: 'limit_near:stored_bytes', since });
    const rows = await store.openNotices();
    expect(rows).toHaveLength(2);
    expect(rows).toEqual(expect.arrayContaining([of(account.id, at(1)), of(other.id, at(3))]));
    await store.endNotice(account.id, 'limit_near:other');
    expect(await store.openNotices()).toHaveLength(2);
    await store.endNotice(account.id, 'limit_near:stored_bytes');
    expect(await store.openNotices()).toEqual([of(other.id, at(3))]);
    expect(await store.beginNotice(account.id, 'limit_near:stored_bytes', at(4))).toEqual(at(4));
  });
}
