/** Random accounts, sources and rules: an account sees, matches and counts what its own sources bring, all of it and nothing else. */
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { collect } from '../../../test/conformance/store/stage.ts';
import { until } from '../../../test/stages/receiver.ts';
import { openVisiting } from '../../../test/stages/visiting.ts';
import { openWeb, rss } from '../../../test/stages/web.ts';
import type { Caller } from '../access/caller.ts';

const ACCOUNTS = ['alice', 'bob', 'carol'];
const HOSTS = ['one.example', 'two.example'];
const HOUR = 3_600_000;

const step = fc.oneof(
  fc.record({
    do: fc.constant('add' as const),
    by: fc.nat(2),
    host: fc.nat(1),
    every: fc.constantFrom(60, 120),
    isSecret: fc.boolean(),
  }),
  fc.record({
    do: fc.constantFrom('delete' as const, 'pause' as const, 'resume' as const),
    by: fc.nat(2),
    pick: fc.nat(20),
  }),
  fc.record({ do: fc.constant('publish' as const), host: fc.nat(1) }),
  fc.record({ do: fc.constant('limit' as const), by: fc.nat(2), pick: fc.nat(20) }),
  fc.record({ do: fc.constant('pass' as const) }),
);

interface Owned {
  readonly id: string;
  readonly host: string;
  isPaused: boolean;
}

it('keeps what the sources of accounts bring apart', { timeout: 120_000 }, async () => {
  const property = fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 25 }), async (steps) => {
    const published = new Map(HOSTS.map((host) => [host, [`lava ${host} 0`]]));
    await using web = await openWeb(({ host }) => rss(published.get(host)!.toReversed()));
    await using test = await openVisiting(web);
    const callers: Caller[] = [];
    for (const name of ACCOUNTS) callers.push(await test.caller(name));
    const rules: string[] = [];
    for (const caller of callers) rules.push(await test.rule(caller, 'lava'));
    const limited = new Map<string, string>();
    const owned: Owned[][] = ACCOUNTS.map(() => []);
    const ever = new Map<string, { by: number; host: string }>();
    const chosen = (by: number, pick: number): Owned | undefined => owned[by]![pick % owned[by]!.length];

    for (const one of steps) {
      if (one.do === 'add') {
        const host = HOSTS[one.host]!;
        const secret = one.isSecret ? { secret: `of-${ACCOUNTS[one.by]}` } : {};
        const id = await test.add(callers[one.by]!, web.url(host), { every: one.every, ...secret });
        owned[one.by]!.push({ id, host, isPaused: false });
        ever.set(id, { by: one.by, host });
      } else if (one.do === 'publish') {
        const list = published.get(HOSTS[one.host]!)!;
        list.push(`lava ${HOSTS[one.host]} ${list.length}`);
      } else if (one.do === 'pass') await test.after(HOUR);
      else {
        const source = chosen(one.by, one.pick);
        if (source === undefined) continue;
        const [caller, source_id] = [callers[one.by]!, source.id];
        if (one.do === 'limit') limited.set(await test.rule(caller, 'lava', [source_id]), source_id);
        else if (one.do === 'delete') {
          await test.call(caller, 'deleteSource', { source_id });
          owned[one.by] = owned[one.by]!.filter(({ id }) => id !== source_id);
        } else {
          source.isPaused = one.do === 'pause';
          await test.call(caller, 'updateSource', { source_id, paused: source.isPaused });
        }
      }
    }
    // A source that is being visited was asked for before the last entries were published.
    await test.after(0);
    await test.after(24 * HOUR);

    for (const [by, caller] of callers.entries()) {
      const matches = await test.everyMatch(caller);
      for (const { source, payload, rule_id } of matches) {
        expect(ever.get(source!)).toEqual({ by, host: String(payload['title']).split(' ')[1] });
        expect(source).toBe(limited.get(rule_id) ?? source);
      }
      const titles = matches.filter(({ rule_id }) => rule_id === rules[by]).map(({ payload }) => payload['title']);
      const due = owned[by]!.filter(({ isPaused }) => !isPaused).flatMap(({ host }) => published.get(host)!);
      expect(titles).toEqual(expect.arrayContaining(due));
      expect((await test.call(caller, 'listSources')).sources.map(({ id }) => id)).toEqual(
        owned[by]!.map(({ id }) => id),
      );
      const { coverage } = await test.call(caller, 'listMatches');
      expect(coverage.gaps).toEqual([]);
    }
    for (const host of HOSTS) {
      const before = web.asked(host, '/');
      await test.after(24 * HOUR);
      const isWanted = owned.some((all) => all.some((source) => source.host === host && !source.isPaused));
      expect(web.asked(host, '/') > before).toBe(isWanted);
    }
    const secrets = web.requests.flatMap(({ headers }) => headers.authorization ?? []);
    expect(ACCOUNTS.map((name) => `Bearer of-${name}`)).toEqual(expect.arrayContaining(secrets));
  });
  await fc.assert(property, { numRuns: 10, endOnFailure: true });
});

it('goes on after a restart without a match twice or missing', async () => {
  const list = ['lava 0'];
  await using web = await openWeb(() => rss(list.toReversed()));
  const first = await openVisiting(web);
  const alice = await first.caller('alice');
  await first.rule(alice, 'lava');
  await first.add(alice, web.url('news.example'));
  await first.after(0);
  await first.service.close();
  list.push('lava 1', 'lava 2');
  const { store } = first;
  await using second = await openVisiting(web, { store });
  await second.after(HOUR);
  await second.after(HOUR);
  const again = await second.caller('alice');
  const titles = (await second.everyMatch(again)).map(({ payload }) => payload['title']).toReversed();
  expect(titles).toEqual(['lava 0', 'lava 1', 'lava 2']);
  expect(await collect(store.accountSources(again.account.id))).toMatchObject([{ events: 3 }]);
});

it('visits the sources of one account while all those of another hang', async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const hanging = new Set<string>();
  await using web = await openWeb(async ({ host }) => {
    if (host.startsWith('slow')) {
      hanging.add(host);
      await released;
    }
    return rss([`lava ${host}`]);
  });
  await using test = await openVisiting(web);
  const [alice, bob] = [await test.caller('alice'), await test.caller('bob')];
  await test.rule(bob, 'lava');
  for (let at = 0; at < 70; at++) await test.add(alice, web.url(`slow${at}.example`));
  const half = 32;
  await until(() => hanging.size >= half);
  // A source that it adds now waits behind its others, which are not gone through again for each.
  const looks = vi.spyOn(test.store, 'nextFetches');
  for (let at = 70; at < 110; at++) await test.add(alice, web.url(`slow${at}.example`));
  expect(looks.mock.calls.length).toBeLessThan(10);
  for (let at = 0; at < 20; at++) await test.add(bob, web.url(`fast${at}.example`));
  // One that both have does not wait for the slow ones.
  for (const caller of [alice, bob]) await test.add(caller, web.url('both.example'));
  await until(async () => (await test.everyMatch(bob)).length === 21);
  expect(hanging.size).toBe(half);
  release();
  await test.after(0);
  expect(hanging.size).toBe(110);
});
