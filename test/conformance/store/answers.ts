import { expect, it } from 'vitest';
import { addOther, DAY, type Open, range, removeAll, stage, testClock } from './stage.ts';

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

  it('lets one of many claim a key, and tells the others what it stored', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const { account: other } = await addOther(store);
    const claims = await Promise.all(
      range(20).map((rule) =>
        store.claimAnswer({
          accountId: account.id,
          idempotencyKey: 'k',
          bodyDigest: 'digest',
          answer: { begun: `rule ${rule}` },
        }),
      ),
    );
    const winner = claims.indexOf('claimed');
    const stored = { bodyDigest: 'digest', answer: { begun: `rule ${winner}` } };
    expect(claims.filter((claim) => claim === 'claimed')).toHaveLength(1);
    expect(claims.filter((claim) => claim !== 'claimed')).toEqual(range(19).map(() => stored));
    expect(await store.remembered(account.id, 'k')).toEqual(stored);
    const elsewhere = { accountId: other.id, idempotencyKey: 'k', bodyDigest: 'd', answer: {} };
    expect(await store.claimAnswer(elsewhere)).toBe('claimed');
  });

  it('lets one of many claim a key anew, if it still has the answer that they know', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const claim = (answer: unknown, instead?: unknown) =>
      store.claimAnswer({ accountId: account.id, idempotencyKey: 'k', bodyDigest: 'd', answer, instead });
    expect(await claim({ begun: 'first' })).toBe('claimed');
    const again = await Promise.all(range(10).map((rule) => claim({ begun: `${rule}` }, { begun: 'first' })));
    expect(again.filter((one) => one === 'claimed')).toHaveLength(1);
    expect(await claim({ begun: 'late' }, { begun: 'first' })).toMatchObject({ bodyDigest: 'd' });
  });

  it('lets a key be claimed again when its day is over', async () => {
    const clock = testClock();
    await using stand = await stage(open, { clock });
    const { store, account } = stand;
    const claim = (answer: unknown) =>
      store.claimAnswer({ accountId: account.id, idempotencyKey: 'k', bodyDigest: 'd', answer });
    expect(await claim(1)).toBe('claimed');
    clock.at += DAY - 1;
    expect(await claim(2)).toEqual({ bodyDigest: 'd', answer: 1 });
    clock.at += 1;
    expect(await claim(3)).toBe('claimed');
    expect(await store.remembered(account.id, 'k')).toEqual({ bodyDigest: 'd', answer: 3 });
  });
}
