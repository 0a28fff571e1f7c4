import { expect, it } from 'vitest';
import { newId } from '../../../src/base/ids.ts';
import type { MatchView } from '../../../src/domain/views.ts';
import { addOther, at, type Open, stage } from './stage.ts';

const viewOf = (accountId: string, name: string): MatchView => ({
  id: newId('view', at(0)),
  accountId,
  name,
  query: 'text=\ud800&a=b',
  createdAt: at(0),
});

export function viewCases(open: Open): void {
  it('keeps the views of an account, oldest first, up to a limit', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const views = ['one', 'two'].map((name) => viewOf(account.id, name));
    for (const view of views) expect(await store.addView(view, 2)).toBe(true);
    expect(await store.addView(viewOf(account.id, 'three'), 2)).toBe(false);
    expect(await store.views(account.id)).toEqual(views);
    expect(await store.deleteView(account.id, views[0]!.id)).toBe(true);
    expect(await store.deleteView(account.id, views[0]!.id)).toBe(false);
    expect(await store.views(account.id)).toEqual([views[1]]);
  });

  it('keeps the views of an account from others', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const { account: other } = await addOther(store);
    const view = viewOf(account.id, 'mine');
    await store.addView(view, 10);
    expect(await store.views(other.id)).toEqual([]);
    expect(await store.deleteView(other.id, view.id)).toBe(false);
    expect(await store.views(account.id)).toEqual([view]);
  });
}
