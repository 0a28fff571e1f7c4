/** Platforms that fail, and stops between two steps. The faults are injected, and each test shows that its fault fired. */
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../test/fake-clock.ts';
import { openService } from '../../test/service.ts';
import { PLATFORMS } from '../domain/platform.ts';
import { localPlatform } from '../platforms/local/local.ts';
import { type LivePlatform, PlatformError, type PlatformFault } from '../platforms/platform.ts';
import { openSqlite } from '../store/sqlite.ts';
import type { Store } from '../store/store.ts';

const both = {
  name: 'Storms',
  intent: '',
  platforms: ['x', 'firehose'],
  overrides: { x: 'storm', firehose: 'title:storm' },
};

/** A platform that remembers what it holds and fails when told to. */
function doubtful(name: 'x' | 'firehose') {
  const local = localPlatform(name);
  const held = new Set<string>();
  const faults = {
    register: undefined as PlatformFault | undefined,
    unregister: undefined as PlatformFault | undefined,
    fired: 0,
  };
  const check = (fault: PlatformFault | undefined) => {
    if (fault === undefined) return;
    faults.fired++;
    throw new PlatformError(fault, `${name} says no`, { retryAfter: 7 });
  };
  const platform: LivePlatform = {
    ...local,
    shape: 'upstream',
    async register(wanted) {
      check(faults.register);
      const registered = await local.register(wanted);
      for (const one of registered) if ('id' in one) held.add(one.id);
      return registered;
    },
    async unregister(ids) {
      check(faults.unregister);
      for (const id of ids) held.delete(id);
    },
  };
  return { platform, held, faults };
}

async function stage(store?: Store) {
  const clock = fakeClock();
  const [x, firehose] = [doubtful('x'), doubtful('firehose')];
  const test = await openService({
    clock,
    platforms: { x: x.platform, firehose: firehose.platform },
    ...(store ? { store } : {}),
  });
  return Object.assign(test, { clock, x, firehose, alice: await test.caller('alice') });
}

describe('all or nothing', () => {
  it.each([
    ['refused', 'invalid_argument'],
    ['limit', 'resource_exhausted'],
    ['unreachable', 'unavailable'],
    ['timeout', 'deadline_exceeded'],
  ] as const)('undoes the first platform when the second answers %s', async (fault, code) => {
    await using test = await stage();
    test.firehose.faults.register = fault;
    await expect(test.call(test.alice, 'createRule', both)).rejects.toMatchObject({
      code,
      message: 'firehose says no',
    });
    expect(test.firehose.faults.fired).toBe(1);
    expect([...test.x.held, ...test.firehose.held]).toEqual([]);
    expect((await test.call(test.alice, 'listRules')).rules).toEqual([]);
    expect(test.service.context.matching.size('x')).toBe(0);

    test.firehose.faults.register = undefined;
    await test.call(test.alice, 'createRule', both);
    expect([test.x.held.size, test.firehose.held.size]).toEqual([1, 1]);
  });

  it('leaves the copy that another rule needs', async () => {
    await using test = await stage();
    const first = await test.call(test.alice, 'createRule', { ...both, platforms: ['x'], overrides: { x: 'storm' } });
    test.firehose.faults.register = 'unreachable';
    await expect(test.call(test.alice, 'createRule', both)).rejects.toMatchObject({ code: 'unavailable' });
    expect([...test.x.held]).toEqual([first.platforms.x?.platform_rule_id]);
    await test.call(test.alice, 'deleteRule', { rule_id: first.rule_id });
    expect([...test.x.held]).toEqual([]);
  });

  it('changes no platform when one refuses the change', async () => {
    await using test = await stage();
    const { rule_id } = await test.call(test.alice, 'createRule', both);
    const before = [[...test.x.held], [...test.firehose.held]];
    test.firehose.faults.register = 'refused';
    const change = { rule_id, name: 'Other', overrides: { x: 'rain', firehose: 'title:rain' } };
    await expect(test.call(test.alice, 'updateRule', change)).rejects.toMatchObject({ code: 'invalid_argument' });
    expect([[...test.x.held], [...test.firehose.held]]).toEqual(before);
    expect(await test.call(test.alice, 'getRule', { rule_id })).toMatchObject({ name: 'Storms', version: 1 });
  });

  it('swaps the copies when a text changes', async () => {
    await using test = await stage();
    const { rule_id, platforms } = await test.call(test.alice, 'createRule', both);
    const changed = await test.call(test.alice, 'updateRule', { rule_id, overrides: { x: 'rain' } });
    expect([...test.x.held]).toEqual([changed.platforms.x?.platform_rule_id]);
    expect([...test.firehose.held]).toEqual([platforms.firehose?.platform_rule_id]);
  });
});

describe('an upstream that cannot be reached', () => {
  it('does not keep a rule from being deleted, and hears of it later', async () => {
    await using test = await stage();
    const { rule_id } = await test.call(test.alice, 'createRule', both);
    test.x.faults.unregister = 'unreachable';
    await test.call(test.alice, 'deleteRule', { rule_id });
    expect((await test.call(test.alice, 'listRules')).rules).toEqual([]);
    expect([test.x.held.size, test.firehose.held.size]).toEqual([1, 0]);
    await test.clock.pass(6_000);
    expect(test.x.faults.fired).toBe(3);
    test.x.faults.unregister = undefined;
    await test.clock.pass(60_000);
    expect(test.x.held.size).toBe(0);
  });

  it('keeps the copy when a new rule needs it meanwhile', async () => {
    await using test = await stage();
    const { rule_id } = await test.call(test.alice, 'createRule', both);
    test.x.faults.unregister = 'unreachable';
    await test.call(test.alice, 'deleteRule', { rule_id });
    await test.call(test.alice, 'createRule', both);
    test.x.faults.unregister = undefined;
    await test.clock.pass(60_000);
    expect(test.x.held.size).toBe(1);
  });
});

describe('a stop between two steps', () => {
  /** A store whose writes stop for good after so many, as if the process had ended there. */
  function stopping(store: Store, writes: number): Store {
    const counted = ['addRule', 'setRuleStatus', 'changeRule', 'deleteRule', 'remember'];
    let left = writes;
    return new Proxy(store, {
      get(target, name: keyof Store) {
        const member = target[name];
        if (!counted.includes(String(name))) return member;
        return (...args: never[]) =>
          left-- > 0 ? (member as (...args: never[]) => unknown)(...args) : new Promise(() => {});
      },
    });
  }

  const steps = [0, 1, 2, 3, 4, 5];

  it.each(steps)('after %i writes of a creation leaves a whole rule or none', async (writes) => {
    const store = await openSqlite(':memory:');
    const before = await stage(stopping(store, writes));
    const key = { idempotencyKey: 'once' };
    const answered = await Promise.race([
      before.call(before.alice, 'createRule', both, key),
      before.clock.pass(1_000).then(() => undefined),
    ]);
    expect(answered === undefined).toBe(writes < 5);

    await using after = await stage(store);
    const { rules } = await after.call(after.alice, 'listRules');
    for (const rule of rules) for (const name of PLATFORMS) expect(rule.platforms[name]?.status).toBe('active');
    expect(rules.length).toBe(writes < 4 ? 0 : 1);
    // The client that got no answer asks again, and there is one rule.
    const again = await after.call(after.alice, 'createRule', both, key);
    expect((await after.call(after.alice, 'listRules')).rules.map(({ id }) => id)).toEqual([again.rule_id]);
    expect(again).toEqual(answered ?? again);
    expect([after.service.context.matching.size('x'), after.service.context.matching.size('firehose')]).toEqual([1, 1]);
  });

  it.each([0, 1, 2])('after %i writes of a change leaves the old texts or the new ones', async (writes) => {
    const store = await openSqlite(':memory:');
    const first = await stage(store);
    const { rule_id } = await first.call(first.alice, 'createRule', both);
    const before = await stage(stopping(store, writes));
    const change = { rule_id, overrides: { x: 'rain', firehose: 'title:rain' } };
    await Promise.race([before.call(before.alice, 'updateRule', change), before.clock.pass(1_000)]);

    await using after = await stage(store);
    const rule = await after.call(after.alice, 'getRule', { rule_id });
    const wanted = writes === 0 ? both.overrides : change.overrides;
    for (const name of PLATFORMS) {
      const value = wanted[name];
      const [held] = await localPlatform(name).register([{ value, flags: {}, tag: 'any' }]);
      const id = held !== undefined && 'id' in held ? held.id : undefined;
      expect(rule.platforms[name]).toMatchObject({ status: 'active', translated_value: value, platform_rule_id: id });
    }
    expect(rule.version).toBe(writes === 0 ? 1 : 2);
  });
});
