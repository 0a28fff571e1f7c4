/** Platforms that fail, and stops between two steps. The faults are injected, and each test shows that its fault fired. */
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { type FakeUpstream, fakeUpstream } from '../../../test/stages/fake-upstream.ts';
import { openService } from '../../../test/stages/service.ts';
import { PLATFORMS } from '../../domain/platform.ts';
import { StoreError } from '../../store/error.ts';
import { openSqlite } from '../../store/sqlite.ts';
import type { Store } from '../../store/store.ts';

const both = {
  name: 'Storms',
  intent: '',
  platforms: ['x', 'firehose'],
  overrides: { x: 'storm', firehose: 'title:storm' },
};

interface Stage {
  readonly store?: Store;
  readonly x?: FakeUpstream;
  readonly firehose?: FakeUpstream;
}

async function stage({ store, x = fakeUpstream('x'), firehose = fakeUpstream('firehose') }: Stage = {}) {
  const clock = fakeClock();
  const platforms = { x: x.platform, firehose: firehose.platform };
  const test = await openService({ clock, platforms, ...(store ? { store } : {}) });
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
      message: expect.stringMatching(/^firehose says no/),
    });
    expect(test.firehose.fired).toBe(1);
    expect([...test.x.rules, ...test.firehose.rules]).toEqual([]);
    expect((await test.call(test.alice, 'listRules')).rules).toEqual([]);
    expect(test.service.context.matching.size('x')).toBe(0);

    delete test.firehose.faults.register;
    await test.call(test.alice, 'createRule', both);
    expect([test.x.rules.size, test.firehose.rules.size]).toEqual([1, 1]);
  });

  it('leaves the copy that another rule needs', async () => {
    await using test = await stage();
    const first = await test.call(test.alice, 'createRule', { ...both, platforms: ['x'], overrides: { x: 'storm' } });
    test.firehose.faults.register = 'unreachable';
    await expect(test.call(test.alice, 'createRule', both)).rejects.toMatchObject({ code: 'unavailable' });
    expect([...test.x.rules.keys()]).toEqual([first.platforms.x?.platform_rule_id]);
    await test.call(test.alice, 'deleteRule', { rule_id: first.rule_id });
    expect([...test.x.rules.keys()]).toEqual([]);
  });

  it('changes no platform when one refuses the change', async () => {
    await using test = await stage();
    const { rule_id } = await test.call(test.alice, 'createRule', both);
    const before = [[...test.x.rules.keys()], [...test.firehose.rules.keys()]];
    test.firehose.faults.register = 'refused';
    const change = { rule_id, name: 'Other', overrides: { x: 'rain', firehose: 'title:rain' } };
    await expect(test.call(test.alice, 'updateRule', change)).rejects.toMatchObject({ code: 'invalid_argument' });
    expect([[...test.x.rules.keys()], [...test.firehose.rules.keys()]]).toEqual(before);
    expect(await test.call(test.alice, 'getRule', { rule_id })).toMatchObject({ name: 'Storms', version: 1 });
  });

  it('swaps the copies when a text changes', async () => {
    await using test = await stage();
    const { rule_id, platforms } = await test.call(test.alice, 'createRule', both);
    const changed = await test.call(test.alice, 'updateRule', { rule_id, overrides: { x: 'rain' } });
    expect([...test.x.rules.keys()]).toEqual([changed.platforms.x?.platform_rule_id]);
    expect([...test.firehose.rules.keys()]).toEqual([platforms.firehose?.platform_rule_id]);
  });
});

describe('an upstream that cannot be reached', () => {
  it('does not keep a rule from being deleted, and hears of it later', async () => {
    await using test = await stage();
    const { rule_id } = await test.call(test.alice, 'createRule', both);
    test.x.faults.unregister = 'unreachable';
    await test.call(test.alice, 'deleteRule', { rule_id });
    expect((await test.call(test.alice, 'listRules')).rules).toEqual([]);
    expect([test.x.rules.size, test.firehose.rules.size]).toEqual([1, 0]);
    // It said when to ask again.
    await test.clock.pass(6_000);
    expect(test.x.fired).toBe(1);
    await test.clock.pass(2_000);
    expect(test.x.fired).toBe(2);
    delete test.x.faults.unregister;
    await test.clock.pass(60_000);
    expect(test.x.rules.size).toBe(0);
  });

  it('keeps the copy when a new rule needs it meanwhile', async () => {
    await using test = await stage();
    const { rule_id } = await test.call(test.alice, 'createRule', both);
    test.x.faults.unregister = 'unreachable';
    await test.call(test.alice, 'deleteRule', { rule_id });
    await test.call(test.alice, 'createRule', both);
    delete test.x.faults.unregister;
    await test.clock.pass(60_000);
    expect(test.x.rules.size).toBe(1);
  });
});

describe('an answer of the store that is lost', () => {
  it.each(['setRuleStatus', 'rule'] as const)(
    'leaves a rule that all platforms have taken, since a repeat may be answered with it (%s)',
    async (call) => {
      const store = await openSqlite(':memory:', { clock: fakeClock() });
      let isLost = false;
      const losing = new Proxy(store, {
        get(target, name: keyof Store) {
          const member = target[name] as (...args: unknown[]) => Promise<unknown>;
          if (name !== call) return member;
          return async (...args: unknown[]) => {
            const answer = await member(...args);
            const isLast = name === 'rule' || args[1] === 'firehose';
            if (!isLast || isLost) return answer;
            isLost = true;
            throw new StoreError('unwritable', 'The answer of the store is lost.');
          };
        },
      });
      await using test = await stage({ store: losing });
      const request = { idempotencyKey: 'one' };
      await expect(test.call(test.alice, 'createRule', both, request)).rejects.toMatchObject({ code: 'unavailable' });
      expect(isLost).toBe(true);
      const { rules } = await test.call(test.alice, 'listRules');
      expect(rules.map(({ platforms }) => platforms)).toMatchObject([
        { x: { status: 'active' }, firehose: { status: 'active' } },
      ]);
      expect(test.service.context.matching.size('x')).toBe(1);
      expect([test.x.rules.size, test.firehose.rules.size]).toEqual([1, 1]);
      expect(await test.call(test.alice, 'createRule', both, request)).toMatchObject({ rule_id: rules[0]!.id });
    },
  );
});

describe('a step of a change that fails', () => {
  /** A store that does what it is asked by this name, and then says that it has failed. */
  async function failing(call: keyof Store) {
    const state = { isFailing: false };
    const store = new Proxy(await openSqlite(':memory:'), {
      get(target, name: keyof Store) {
        const member = target[name] as (...args: unknown[]) => Promise<unknown>;
        if (name !== call) return member;
        return async (...args: unknown[]) => {
          const answer = await member(...args);
          if (state.isFailing) throw new StoreError('full', 'The disk is full.');
          return answer;
        };
      },
    });
    const test = await openService({ store });
    const alice = await test.caller('alice');
    const rule = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };
    const { rule_id } = await test.call(alice, 'createRule', rule);
    const fails = async (name: 'updateRule' | 'restoreRule', input: object) => {
      state.isFailing = true;
      await expect(test.call(alice, name, { rule_id, ...input })).rejects.toMatchObject({
        code: 'unavailable',
        // Health says this, too: a full disk is no store that is away.
        message: 'The disk of the store is full, so nothing can be stored. Try again later.',
      });
      state.isFailing = false;
    };
    return Object.assign(test, { alice, rule_id, fails });
  }

  it.each([
    ['changeRule', { overrides: { x: 'rain' } }],
    ['setRuleStatus', { overrides: { x: 'rain' }, paused: false }],
  ] as const)('leaves what is matched as it is stored (%s)', async (call, change) => {
    await using test = await failing(call);
    const { alice, rule_id } = test;
    if ('paused' in change) await test.call(alice, 'updateRule', { rule_id, paused: true });
    await test.fails('updateRule', change);
    expect(await test.call(alice, 'getRule', { rule_id })).toMatchObject({
      paused: false,
      version: 2,
      platforms: { x: { translated_value: 'rain' } },
    });
    expect((await test.post(alice, 'rain')).matches).toBe(1);
  });

  it('leaves a rule that was restored matched', async () => {
    await using test = await failing('restoreRule');
    const { alice, rule_id } = test;
    await test.call(alice, 'deleteRule', { rule_id });
    await test.fails('restoreRule', {});
    expect((await test.call(alice, 'listRules')).rules).toHaveLength(1);
    expect((await test.post(alice, 'storm')).matches).toBe(1);
  });
});

describe('a stop between two steps', () => {
  const WRITES = [
    'addRule',
    'setRuleStatus',
    'changeRule',
    'deleteRule',
    'restoreRule',
    'moveMatches',
    'undoRule',
    'claimAnswer',
    'changeRegistrations',
  ];

  /** A process that can be told how many steps it has left; the one after the last never ends, nor does any other. */
  async function doomed(store: Store, x: FakeUpstream, firehose: FakeUpstream) {
    const forever = new Promise<never>(() => {});
    let left = Number.POSITIVE_INFINITY;
    const step = () => (left-- > 0 ? undefined : forever);
    const stopping = new Proxy(store, {
      get(target, name: keyof Store) {
        const member = target[name];
        if (!WRITES.includes(String(name))) return member;
        return (...args: never[]) => step() ?? (member as (...args: never[]) => unknown)(...args);
      },
    });
    const process = await stage({ store: stopping, x, firehose });
    await process.clock.pass(0);
    for (const upstream of [x, firehose]) upstream.before = step;
    const allow = (more: number) => {
      left = more;
    };
    return Object.assign(process, { allow });
  }

  /** The next process, after everything has had time to settle. */
  async function restarted(store: Store, x: FakeUpstream, firehose: FakeUpstream) {
    for (const upstream of [x, firehose]) upstream.before = () => {};
    const test = await stage({ store, x, firehose });
    await test.clock.pass(20 * 60_000);
    return test;
  }

  const upstreams = () => [fakeUpstream('x'), fakeUpstream('firehose')] as const;
  const steps = Array.from({ length: 12 }, (_, step) => step);

  it.each(steps)('after %i steps of a creation leaves a whole rule or none', async (left) => {
    const store = await openSqlite(':memory:');
    const [x, firehose] = upstreams();
    const before = await doomed(store, x, firehose);
    before.allow(left);
    const key = { idempotencyKey: 'once' };
    const answered = await Promise.race([
      before.call(before.alice, 'createRule', both, key),
      before.clock.pass(1_000).then(() => undefined),
    ]);
    expect(answered === undefined).toBe(left < 11);

    await using after = await restarted(store, x, firehose);
    const { rules } = await after.call(after.alice, 'listRules');
    expect([x.rules.size, firehose.rules.size]).toEqual([rules.length, rules.length]);
    for (const rule of rules) {
      for (const name of PLATFORMS) {
        expect(rule.platforms[name]?.status).toBe('active');
        expect([...after[name].rules.keys()]).toEqual([rule.platforms[name]?.platform_rule_id]);
      }
    }
    // The client that got no answer asks again, and there is one rule.
    const again = await after.call(after.alice, 'createRule', both, key);
    expect((await after.call(after.alice, 'listRules')).rules.map(({ id }) => id)).toEqual([again.rule_id]);
    expect(again).toEqual(answered ?? again);
    expect([x.values(), firehose.values()]).toEqual([['storm'], ['title:storm']]);
    expect([after.service.context.matching.size('x'), after.service.context.matching.size('firehose')]).toEqual([1, 1]);
  });

  it.each(steps)('after %i steps of a change leaves the old texts or the new ones', async (left) => {
    const store = await openSqlite(':memory:');
    const [x, firehose] = upstreams();
    const before = await doomed(store, x, firehose);
    const { rule_id } = await before.call(before.alice, 'createRule', both);
    const change = { rule_id, overrides: { x: 'rain', firehose: 'title:rain' } };
    before.allow(left);
    await Promise.race([before.call(before.alice, 'updateRule', change), before.clock.pass(1_000)]);

    await using after = await restarted(store, x, firehose);
    const rule = await after.call(after.alice, 'getRule', { rule_id });
    const wanted = rule.version === 1 ? both.overrides : change.overrides;
    for (const name of PLATFORMS) {
      const [held, ...others] = after[name].rules.values();
      expect(others).toEqual([]);
      expect(held?.value).toBe(wanted[name]);
      expect(rule.platforms[name]).toMatchObject({
        status: 'active',
        translated_value: wanted[name],
        platform_rule_id: held?.id,
      });
    }
  });

  it.each(steps)('after %i steps of a deletion leaves the rule or nothing at all', async (left) => {
    const store = await openSqlite(':memory:');
    const [x, firehose] = upstreams();
    const before = await doomed(store, x, firehose);
    const { rule_id } = await before.call(before.alice, 'createRule', both);
    before.allow(left);
    await Promise.race([before.call(before.alice, 'deleteRule', { rule_id }), before.clock.pass(1_000)]);

    await using after = await restarted(store, x, firehose);
    const { rules } = await after.call(after.alice, 'listRules');
    expect(rules.length).toBe(left === 0 ? 1 : 0);
    expect([x.rules.size, firehose.rules.size]).toEqual([rules.length, rules.length]);
  });

  it.each(steps)('after %i steps of a restoration leaves the whole rule, or one that can be restored', async (left) => {
    const store = await openSqlite(':memory:');
    const [x, firehose] = upstreams();
    const before = await doomed(store, x, firehose);
    const { rule_id } = await before.call(before.alice, 'createRule', both);
    await before.call(before.alice, 'deleteRule', { rule_id });
    before.allow(left);
    await Promise.race([before.call(before.alice, 'restoreRule', { rule_id }), before.clock.pass(1_000)]);

    await using after = await restarted(store, x, firehose);
    const { rules } = await after.call(after.alice, 'listRules');
    const { rules: deleted } = await after.call(after.alice, 'listRules', { deleted: true });
    expect(rules.length + deleted.length).toBe(1);
    expect([x.rules.size, firehose.rules.size]).toEqual([rules.length, rules.length]);
    if (rules.length === 0) await after.call(after.alice, 'restoreRule', { rule_id });
    const rule = await after.call(after.alice, 'getRule', { rule_id });
    for (const name of PLATFORMS)
      expect(rule.platforms[name]).toMatchObject({
        status: 'active',
        platform_rule_id: [...after[name].rules.keys()][0],
      });
  });

  it.each(steps)('after %i steps of a change of platforms leaves the rule on the old or the new one', async (left) => {
    const store = await openSqlite(':memory:');
    const [x, firehose] = upstreams();
    const before = await doomed(store, x, firehose);
    const { rule_id } = await before.call(before.alice, 'createRule', {
      ...both,
      platforms: ['x'],
      overrides: { x: 'storm' },
    });
    const change = { rule_id, overrides: { x: null, firehose: 'title:storm' } };
    before.allow(left);
    await Promise.race([before.call(before.alice, 'updateRule', change), before.clock.pass(1_000)]);

    await using after = await restarted(store, x, firehose);
    const { version, platforms } = await after.call(after.alice, 'getRule', { rule_id });
    expect(Object.keys(platforms)).toEqual(version === 1 ? ['x'] : ['firehose']);
    for (const name of PLATFORMS) {
      const ids = [...after[name].rules.keys()];
      expect(ids).toEqual(platforms[name] === undefined ? [] : [platforms[name].platform_rule_id]);
    }
    for (const held of Object.values(platforms)) expect(held.status).toBe('active');
  });
});
