import { expect, it } from 'vitest';
import { newId } from '../../../src/base/ids.ts';
import type { Silence } from '../../../src/domain/wake.ts';
import { addOther, at, type Open, stage } from './stage.ts';

const DAY = 86_400_000;

const silenceOf = (accountId: string, change: Partial<Silence> = {}): Silence => ({
  id: newId('silence', at(0)),
  accountId,
  ruleIds: ['rule_1'],
  author: '@ada',
  text: 'storm \ud800',
  until: at(DAY),
  reason: 'Tests.',
  createdAt: at(0),
  by: { kind: 'key', keyId: 'key_1', keyName: 'first' },
  ...change,
});

export function silenceCases(open: Open): void {
  it('keeps silences while they hold, up to a limit, and no two with the same end', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const [first, second] = [silenceOf(account.id), silenceOf(account.id, { ruleIds: undefined })];
    expect(await store.addSilence(first, 2)).toEqual(at(DAY));
    expect(await store.addSilence(second, 2)).toEqual(at(DAY + 1));
    expect(await store.addSilence(silenceOf(account.id), 2)).toBeUndefined();
    const byId = [first, { ...second, until: at(DAY + 1) }].toSorted((one, other) => (one.id < other.id ? -1 : 1));
    expect(await store.silences(account.id, at(0))).toEqual(byId);
    expect(await store.silences(account.id, at(DAY))).toMatchObject([{ id: second.id }]);
    expect(await store.silences(account.id, at(DAY + 1))).toEqual([]);
    // One that is over makes room.
    const later = silenceOf(account.id, { createdAt: at(DAY), until: at(2 * DAY) });
    expect(await store.addSilence(later, 2)).toEqual(at(2 * DAY));
  });

  it('ends a silence of its own account once', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const { account: other } = await addOther(store);
    const silence = silenceOf(account.id);
    await store.addSilence(silence, 9);
    expect(await store.silences(other.id, at(0))).toEqual([]);
    expect(await store.endSilence(other.id, silence.id, at(1))).toBe(false);
    expect(await store.endSilence(account.id, silence.id, at(1))).toBe(true);
    expect(await store.endSilence(account.id, silence.id, at(1))).toBe(false);
    expect(await store.silences(account.id, at(1))).toEqual([]);
  });
}
