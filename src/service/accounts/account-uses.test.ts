import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { openService } from '../../../test/stages/service.ts';
import type { AccountUse } from '../../store/store.ts';
import { createAccountUses, topUses } from './account-uses.ts';

const none = { cpu_ms: 0, bytes_in: 0, events: 0, matches: 0, requests: 0, turns: 0 };

function stage() {
  const clock = fakeClock('2026-11-15T08:30:10.000Z');
  const noted: [string, AccountUse[]][] = [];
  const warned: string[] = [];
  const state = { isAway: false };
  const store = {
    async noteUse(at: Date, uses: readonly AccountUse[]) {
      if (state.isAway) throw new Error('away');
      noted.push([at.toISOString().slice(11, 16), [...uses]]);
    },
  };
  const log = { info: () => {}, warn: (_: object, message: string) => void warned.push(message), error: () => {} };
  return { clock, noted, warned, state, uses: createAccountUses({ store, clock, log }) };
}

describe('what accounts use', () => {
  it('is given to the store by the minute in which it was counted, once', async () => {
    const { clock, uses, noted } = stage();
    uses.add('a', { cpu_ms: 1.4, turns: 1 });
    uses.add('a', { cpu_ms: 1.3, bytes_in: 5 });
    clock.jump(55_000);
    uses.add('b', { requests: 1 });
    await uses.flush();
    await uses.flush();
    expect(noted).toEqual([
      ['08:30', [{ accountId: 'a', ...none, cpu_ms: 3, turns: 1, bytes_in: 5 }]],
      ['08:31', [{ accountId: 'b', ...none, requests: 1 }]],
    ]);
  });

  it('is shown of the last whole minute alone, so that memory is bounded by who was active', () => {
    const { clock, uses } = stage();
    uses.add('a', { matches: 3 });
    expect(uses.lastMinute()).toEqual([]);
    clock.jump(60_000);
    uses.add('b', { matches: 1 });
    expect(uses.lastMinute()).toEqual([{ accountId: 'a', ...none, matches: 3 }]);
    clock.jump(120_000);
    expect(uses.lastMinute()).toEqual([]);
  });

  it('that cannot be stored is logged, and the next is stored', async () => {
    const { uses, noted, warned, state } = stage();
    state.isAway = true;
    uses.add('a', { matches: 3 });
    await uses.flush();
    state.isAway = false;
    uses.add('a', { matches: 4 });
    await uses.flush();
    expect(noted).toMatchObject([['08:30', [{ matches: 4 }]]]);
    expect(warned).toHaveLength(1);
  });

  it('has the largest by name, and all others together', () => {
    const uses = Array.from({ length: 5 }, (_, at) => ({ accountId: `a${at}`, ...none, cpu_ms: at }));
    expect(topUses(uses, 'cpu_ms', 2)).toEqual([
      { account: 'a4', value: 4 },
      { account: 'a3', value: 3 },
      { account: 'other', value: 3 },
    ]);
    expect(topUses([], 'cpu_ms', 2)).toEqual([{ account: 'other', value: 0 }]);
  });
});

describe('list usage', () => {
  it('lists who used most, in the minutes asked for, and one account by the minute', async () => {
    await using test = await openService();
    const [operator, alice, bob] = [await test.caller('default'), await test.caller('alice'), await test.caller('bob')];
    await test.call(alice, 'createRule', { platforms: ['x'], overrides: { x: 'storm' }, name: 'n', intent: '' });
    await test.post(alice, 'storm', 'storm 2', 'calm');
    await test.post(bob, 'calm');
    test.service.context.accountUses.add(bob.account.id, { cpu_ms: 70_000, turns: 1 });
    const names = async (input: object) =>
      (await test.call(operator, 'listUsage', input)).accounts.map(({ name }) => name);
    expect(await names({ by: 'cpu_ms' })).toEqual(['bob', 'alice']);
    expect(await names({ by: 'events', limit: '1' })).toEqual(['alice']);
    const [one] = (await test.call(operator, 'listUsage', { account_id: 'alice' })).accounts;
    expect(one).toMatchObject({ name: 'alice', events: 3, matches: 2, stored_matches: 2, suspended: null });
    expect(one!.storage_bytes).toBeGreaterThan(50);
    expect(one!.minutes!.reduce((sum, { events }) => sum + events, 0)).toBe(3);
    await test.call(operator, 'suspendAccount', { account_id: 'alice', reason: 'noise' });
    expect(await names({ by: 'turns', limit: 1 })).toEqual(['bob', 'alice']);
    await expect(names({ account_id: 'nobody' })).rejects.toMatchObject({ code: 'not_found' });
  });
});
