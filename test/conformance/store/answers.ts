import { expect, it } from 'vitest';
import { addOther, DAY, type Open, removeAll, stage, testClock } from './stage.ts';

export function answerCases(open: Open): void {
  it('remembers an answer for a day, for its account alone', async () => {
    const clock = testClock();
    await using stand = await stage(open, { clock });
    const { store, account } = stand;
    const { account: other } = await addOther(store);
    await store.remember(account.id, 'k', 'digest', { rule_id: 'r', list: [1, null] });
    const kept = { bodyDigest: 'digest', answer: { rule_id: 'r', list: [1, null] } };
    expect(await store.remembered(account.id, 'k')).toEqual(kept);
    expect(await store.remembered(account.id, 'K')).toBeUndefined();
    expect(await store.remembered(other.id, 'k')).toBeUndefined();
    clock.at += DAY - 1;
    await removeAll(store, clock.now());
    expect(await store.remembered(account.id, 'k')).toEqual(kept);
    clock.at += 1;
    expect(await store.remembered(account.id, 'k')).toBeUndefined();
    await removeAll(store, clock.now());
    clock.at -= 1;
    expect(await store.remembered(account.id, 'k')).toBeUndefined();
  });

  it('lets a later answer take the place of an earlier one', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    await store.remember(account.id, 'k', 'one', { begun: true });
    await store.remember(account.id, 'k', 'two', { done: true });
    expect(await store.remembered(account.id, 'k')).toEqual({ bodyDigest: 'two', answer: { done: true } });
  });
}
