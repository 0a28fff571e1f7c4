import { expect, it } from 'vitest';
import type { AccountUse } from '../../../src/store/store.ts';
import {
  accountNamed,
  addOther,
  at,
  collect,
  DAY,
  eventOf,
  listed,
  MINUTE,
  type Open,
  range,
  removeAll,
  ruleOf,
  stage,
} from './stage.ts';
import { webhookOf } from './webhooks.ts';

const HOUR = 60 * MINUTE;

const used = (accountId: string, change: Partial<AccountUse> = {}): AccountUse => ({
  accountId,
  cpu_ms: 0,
  bytes_in: 0,
  events: 0,
  matches: 0,
  requests: 0,
  turns: 0,
  ...change,
});

export function restrictedCases(open: Open): void {
  it('sets limits of one account, lifts them one by one, and touches no other', async () => {
    await using store = await open();
    const [one, other] = [accountNamed('one'), accountNamed('other')];
    await store.addAccount(one);
    await store.addAccount(other);
    expect(await store.changeLimits(one.id, { streams: 5, stored_bytes: null })).toBe(true);
    expect(await store.changeLimits(one.id, { waits: 7 })).toBe(true);
    expect((await store.account('one'))?.limits).toEqual({ streams: 5, stored_bytes: null, waits: 7 });
    expect(await store.account('other')).toEqual(other);
    expect((await store.restrictedAccounts()).map(({ name }) => name)).toEqual(['one']);
    await store.changeLimits(one.id, { streams: 'usual', stored_bytes: 'usual', waits: 'usual' });
    expect(await store.account('one')).toEqual(one);
    expect(await store.restrictedAccounts()).toEqual([]);
    expect(await store.changeLimits('acct_none', { streams: 5 })).toBe(false);
  });

  it('loses no limit when two are set at once', async () => {
    await using store = await open();
    const one = accountNamed('one');
    await store.addAccount(one);
    await Promise.all([store.changeLimits(one.id, { streams: 5 }), store.changeLimits(one.id, { waits: 7 })]);
    expect((await store.account('one'))?.limits).toEqual({ streams: 5, waits: 7 });
  });

  it('suspends an account once, however often it is asked at the same time, and notes the gap with it', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const suspension = { at: at(5), reason: 'too much “noise”' };
    const note = { at: at(5), by: { kind: 'operator' as const }, what: 'account.changed' as const, id: account.id };
    const told = await Promise.all(range(4).map(() => store.suspendAccount(account.id, suspension, note)));
    expect(told.filter(Boolean)).toHaveLength(1);
    expect((await store.account('one'))?.suspended).toEqual(suspension);
    expect((await store.changes({ accountId: account.id, limit: 10 })).changes).toHaveLength(1);
    for (const platform of ['x', 'firehose'] as const)
      expect(await store.gaps({ platform, accountId: account.id, limit: 10 })).toMatchObject([
        { from: at(5), to: undefined, cause: 'account_suspended', accountId: account.id },
      ]);
    const resumed = await Promise.all(range(4).map(() => store.resumeAccount(account.id, note)));
    expect(resumed.filter(Boolean)).toHaveLength(1);
    expect(await store.account('one')).toEqual(account);
    expect(await store.suspendAccount('acct_none', suspension)).toBe(false);
  });

  it('stores nothing for a suspended account, holds none of its rules, and delivers nothing; all of it is there afterwards', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const other = await addOther(store);
    await store.addWebhook(webhookOf(account), 100);
    await commit(eventOf('1', [rule, other.rule]));
    const owed = await store.agenda({ accountId: account.id });
    expect(owed).toMatchObject([{ owed: 1 }]);
    await store.suspendAccount(account.id, { at: at(5), reason: '' });
    expect(await commit(eventOf('2', [rule, other.rule]))).toMatchObject({
      accountIds: [other.account.id],
      addedByAccount: [1],
    });
    expect(await store.agenda({ accountId: account.id })).toEqual([]);
    expect(await store.countHolders('x', 'storm', {})).toBe(1);
    expect((await store.rulesWith('x', 'storm', {})).map(({ accountId }) => accountId)).toEqual([other.account.id]);
    await store.resumeAccount(account.id);
    expect(await store.agenda({ accountId: account.id })).toMatchObject([{ owed: 1 }]);
    expect(await store.countHolders('x', 'storm', {})).toBe(2);
    await commit(eventOf('3', [rule]));
    expect(await listed(store, { accountId: account.id })).toEqual(['3', '1']);
  });
}

export function accountUseCases(open: Open): void {
  it('knows what is stored for an account after every way that matches come and go', async () => {
    await using stand = await stage(open, { retentionDays: 30 });
    const { store, account, rule, commit } = stand;
    const other = await addOther(store);
    const rows = async () => (await store.stored([account.id, other.account.id])).get(account.id)?.matches;
    expect(await rows()).toBeUndefined();
    await commit(...range(6).map((index) => eventOf(`${index}`, [rule, other.rule])));
    await commit(eventOf('0', [rule]));
    const bytes = Buffer.byteLength(JSON.stringify(eventOf('1', []).event.payload));
    expect((await store.stored([account.id])).get(account.id)).toMatchObject({ matches: 6, bytes: 6 * bytes });
    await store.deleteMatches(account.id, 'x', '1');
    expect(await rows()).toBe(5);
    await store.deleteRule(account.id, rule.id, undefined, { at: at(DAY), until: at(8 * DAY) });
    while (await store.moveMatches(rule.id));
    expect(await rows()).toBe(0);
    await store.restoreRule(account.id, rule.id, { now: at(2 * DAY), limits: {}, ids: { x: '77' }, gaps: [] });
    while (await store.moveMatches(rule.id));
    expect(await rows()).toBe(5);
    await removeAll(store, at(40 * DAY));
    expect((await store.stored([account.id, other.account.id])).get(account.id)).toMatchObject({
      matches: 0,
      bytes: 0,
    });
    expect((await store.stored([other.account.id])).get(other.account.id)?.matches).toBe(0);
  });

  it.each(['erased', 'deleted', 'deleted and restored'])(
    'takes what is past retention from what is stored once, although its posts or its rule are then %s',
    async (how) => {
      await using stand = await stage(open, { retentionDays: 2 });
      const { store, account, rule } = stand;
      const kept = ruleOf(account);
      await store.addRule(kept, {});
      const commitOn = (day: number, posts: readonly string[], of: typeof rule) =>
        store.commit({ platform: 'x', at: at(day * DAY), events: posts.map((post) => eventOf(post, [of])) });
      await commitOn(0, ['a', 'b'], rule);
      await commitOn(1, ['c', 'd', 'e'], kept);
      const before = await collect(store.rules(account.id));
      // The day of the first ones has not ended: PostgreSQL has their rows still.
      const now = at(2 * DAY + 2 * MINUTE);
      await removeAll(store, now);
      const until = at(9 * DAY);
      if (how === 'erased') for (const post of ['a', 'b']) await store.deleteMatches(account.id, 'x', post);
      else await store.deleteRule(account.id, rule.id, undefined, { at: now, until });
      while (await store.moveMatches(rule.id));
      if (how === 'deleted and restored')
        await store.restoreRule(account.id, rule.id, { now, limits: {}, ids: { x: '77' }, gaps: [] });
      while (await store.moveMatches(rule.id));
      expect(await collect(store.rules(account.id))).toHaveLength(how === 'deleted' ? 1 : before.length);
      for (const later of [now, at(2 * DAY + 20 * HOUR)]) {
        await removeAll(store, later);
        expect((await store.stored([account.id])).get(account.id)?.matches).toBe(3);
        expect(await listed(store, { accountId: account.id })).toEqual(['e', 'd', 'c']);
      }
    },
  );

  it('knows how many matches came on the last day, deleted ones too, and does not go back with the clock', async () => {
    await using stand = await stage(open);
    const { store, account, rule } = stand;
    const dayIs = async (day: number, cameOnDay: number) =>
      expect((await store.stored([account.id])).get(account.id)).toMatchObject({
        day: new Date(Math.floor(at(day * DAY).getTime() / DAY) * DAY),
        cameOnDay,
      });
    const commitOn = (day: number, ...ids: string[]) =>
      store.commit({ platform: 'x', at: at(day * DAY), events: ids.map((id) => eventOf(id, [rule])) });
    await commitOn(0, 'a', 'b');
    await commitOn(0, 'c', 'a');
    await store.deleteMatches(account.id, 'x', 'a');
    await dayIs(0, 3);
    await commitOn(1, 'd');
    await dayIs(1, 1);
    await commitOn(0, 'e');
    await dayIs(1, 2);
  });

  it('adds what processes counted in a minute, shows who used most, and forgets earlier hours', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const other = await addOther(store);
    const note = (time: number, ...uses: AccountUse[]) => store.noteUse(at(time), uses, at(time - HOUR));
    await note(0, used(account.id, { cpu_ms: 5, events: 1 }), used(other.account.id, { cpu_ms: 9, bytes_in: 3 }));
    await note(30_000, used(account.id, { cpu_ms: 20, turns: 2, requests: 4, matches: 6 }));
    await note(HOUR, used(account.id, { bytes_in: 70 }), used('acct_none', { bytes_in: 1_000 }));
    const top = (by: 'cpu_ms' | 'bytes_in', since: number, limit = 10) => store.topUse(at(since), by, limit);
    expect(await top('cpu_ms', 0)).toEqual([
      used(account.id, { cpu_ms: 25, events: 1, turns: 2, requests: 4, matches: 6, bytes_in: 70 }),
      used(other.account.id, { cpu_ms: 9, bytes_in: 3 }),
    ]);
    expect(await top('bytes_in', 0, 1)).toMatchObject([{ accountId: account.id, bytes_in: 70 }]);
    expect(await store.useByMinute(account.id, at(0))).toMatchObject([
      { at: at(0), cpu_ms: 25 },
      { at: at(HOUR), bytes_in: 70 },
    ]);
    await note(2 * HOUR, used(other.account.id, { requests: 1 }));
    expect(await top('cpu_ms', 0)).toHaveLength(2);
    await note(3 * HOUR, used(other.account.id, { requests: 1 }));
    expect(await top('cpu_ms', 0)).toEqual([used(other.account.id, { requests: 2 })]);
  });
}
