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

  it('lets one of several claims win, and answers the others with what it stored', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const { account: other } = await addOther(store);
    const claim = (answer: unknown, earlier?: unknown, accountId = account.id) =>
      store.claimAnswer({ accountId, idempotencyKey: 'k', bodyDigest: 'digest', answer, earlier });
    const answers = await Promise.all([1, 2, 3, 4, 5].map((number) => claim({ number })));
    expect(answers.filter((answer) => answer === undefined)).toHaveLength(1);
    const kept = await store.remembered(account.id, 'k');
    for (const answer of answers) if (answer !== undefined) expect(answer).toEqual(kept);
    expect(await claim({ number: 6 }, { number: 7 })).toEqual(kept);
    const replaced = await Promise.all([claim({ number: 8 }, kept!.answer), claim({ number: 9 }, kept!.answer)]);
    expect(replaced.filter((answer) => answer === undefined)).toHaveLength(1);
    expect(await claim({ number: 1 }, undefined, other.id)).toBeUndefined();
  });

  it('lets a claim replace an answer that is a day old', async () => {
    const clock = testClock();
    await using stand = await stage(open, { clock });
    const { store, account } = stand;
    const claim = { accountId: account.id, idempotencyKey: 'k', bodyDigest: 'two', answer: { begun: 'b' } };
    await store.remember(account.id, 'k', 'one', { done: true });
    clock.at += DAY - 1;
    expect(await store.claimAnswer(claim)).toEqual({ bodyDigest: 'one', answer: { done: true } });
    clock.at += 1;
    expect(await store.claimAnswer(claim)).toBeUndefined();
    expect(await store.remembered(account.id, 'k')).toEqual({ bodyDigest: 'two', answer: { begun: 'b' } });
  });
}
