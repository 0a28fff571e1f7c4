import { describe, expect, it } from 'vitest';
import { collect } from '../../../test/conformance/store/stage.ts';
import { fakeUpstream } from '../../../test/stages/fake-upstream.ts';
import { until } from '../../../test/stages/receiver.ts';
import { registrationStage } from '../../../test/stages/registration-stage.ts';
import { newId } from '../../base/ids.ts';
import { openSqlite } from '../../store/sqlite.ts';
import type { RegistrationChange, Store } from '../../store/store.ts';

const MINUTE = 60_000;
const words = (count: number, from = 0) => Array.from({ length: count }, (_, at) => `word${from + at}`);
const isHolding = ({ put = [] }: RegistrationChange): boolean => put.some(({ state }) => state === 'held');

async function pair(limit?: number, given?: Store) {
  const store = given ?? (await openSqlite(':memory:'));
  const x = fakeUpstream('x', limit === undefined ? {} : { limit });
  const [one, two] = [await registrationStage({ store, x }), await registrationStage({ store, x })];
  const close = async () => {
    for (const { service } of [one, two]) await service.close();
  };
  return { store, x, one, two, [Symbol.asyncDispose]: close };
}

/** On a store that says that it is shared. Neither waits for the other to follow: each has its own clock. */
async function sharing() {
  const store = { ...(await openSqlite(':memory:')), isShared: true, nodes: async () => [] };
  return pair(undefined, store);
}

describe('two processes on one store', () => {
  it('learn from the store what the other has registered', async () => {
    await using test = await pair();
    const { platforms } = await test.two.create('storm');
    const id = platforms.x!.platform_rule_id;
    expect(test.one.registrations.resolve('x', id)).toBeUndefined();
    await test.one.clock.pass(0);
    expect(test.one.registrations.resolve('x', id)).toEqual({ texts: [{ value: 'storm', flags: {} }], packed: false });
  });

  it('neither undo nor double what the other does', async () => {
    await using test = await pair(5);
    const made = await Promise.all(words(3).map(test.one.create));
    await Promise.all([test.one, test.two].map(({ clock }) => clock.pass(6 * MINUTE)));
    const [creating, passing] = [words(9, 3).map(test.two.create), test.two.clock.pass(MINUTE)];
    await Promise.all([...creating, passing]);
    await test.two.remove(made[0]!.rule_id);
    for (let round = 0; round < 4; round++) {
      await test.one.clock.pass(6 * MINUTE);
      await test.two.clock.pass(6 * MINUTE);
    }
    expect(test.x.most).toBeLessThanOrEqual(5);
    expect(test.two.covered().toSorted()).toEqual(words(11, 1).toSorted());
    expect(test.one.covered().toSorted()).toEqual(words(11, 1).toSorted());
  });

  it('hear of the first that the other has had registered', async () => {
    await using test = await sharing();
    let isHeld = false;
    const wait = async () => {
      await test.one.registrations.rulesHeld('x');
      isHeld = true;
    };
    const waiting = wait();
    await test.one.clock.pass(MINUTE);
    expect(isHeld).toBe(false);
    await test.two.create('storm');
    await test.one.clock.pass(1_000);
    await waiting;
  });

  it('want what the other was still asking for when they looked', async () => {
    await using test = await sharing();
    const asking = Promise.withResolvers<void>();
    test.x.before = (call) => (call === 'register' ? asking.promise : undefined);
    const creating = test.two.create('storm');
    await until(() => test.x.calls.register === 1);
    const look = async (id: string) => {
      await test.one.clock.pass(6_000);
      test.one.registrations.resolve('x', id);
      await test.one.clock.pass(0);
      return test.one.registrations.resolve('x', id);
    };
    expect(await look('not known yet')).toBeUndefined();
    asking.resolve();
    const { platforms } = await creating;
    expect(await look(platforms.x!.platform_rule_id)).toMatchObject({ texts: [{ value: 'storm' }] });
    await test.one.registrations.reconcile('x');
    expect(test.x.values()).toEqual(['storm']);
  });

  /** One compares with what was there before the other registers. It ends when it is told to. */
  async function comparesEarly({ x, one }: Awaited<ReturnType<typeof sharing>>) {
    const { promise: compared, resolve: goOn } = Promise.withResolvers<void>();
    const { held } = x.platform;
    const early: typeof held = async () => {
      const listed = await held();
      await compared;
      return listed;
    };
    Object.assign(x.platform, { held: early });
    const comparing = one.registrations.reconcile('x');
    await until(() => x.calls.held === 3);
    return { comparing, goOn };
  }

  it('miss nothing that the other has registered while they listed', async () => {
    await using test = await sharing();
    const { comparing, goOn } = await comparesEarly(test);
    const { rule_id } = await test.two.create('storm');
    goOn();
    expect(await comparing).toMatchObject({ missing: 0 });
    expect([test.x.values(), test.x.calls.register]).toEqual([['storm'], 1]);
    expect(await test.store.gaps({ platform: 'x', limit: 10 })).toEqual([]);
    expect((await test.two.rules()).map(({ id, platforms }) => [id, platforms.x!.status])).toEqual([
      [rule_id, 'active'],
    ]);
  });

  it('find what the other was asking for when it died', async () => {
    await using test = await sharing();
    const { comparing, goOn } = await comparesEarly(test);
    const dies = new Promise<never>(() => {});
    const { changeRegistrations } = test.store;
    Object.assign(test.store, {
      changeRegistrations: (change) => (isHolding(change) ? dies : changeRegistrations(change)),
    } satisfies Partial<Store>);
    void test.two.create('storm');
    await until(() => test.x.rules.size === 1);
    goOn();
    await comparing;
    expect((await test.store.registrations('x')).map(({ state }) => state)).toEqual(['wanted']);
  });

  it('leave alone what the other was given and has not written down', async () => {
    await using test = await sharing();
    const answered = Promise.withResolvers<void>();
    const { register } = test.x.platform;
    const slow: typeof register = async (rules) => {
      const answers = await register(rules);
      await answered.promise;
      return answers;
    };
    Object.assign(test.x.platform, { register: slow });
    const creating = test.two.create('storm');
    await until(() => test.x.rules.size === 1);
    await test.one.registrations.reconcile('x');
    answered.resolve();
    await creating;
    expect(test.x.values()).toEqual(['storm']);
  });

  it('remove what the other has made, and make what the other has removed', async () => {
    await using test = await sharing();
    const first = await test.one.create('storm');
    await test.two.remove(first.rule_id);
    expect(test.x.values()).toEqual([]);
    await test.one.create('storm');
    expect(test.x.values()).toEqual(['storm']);
  });

  it('keep what a rule comes to need while it is written down as leaving', async () => {
    await using test = await sharing();
    const first = await test.one.create('storm');
    const { accountId, platforms } = (await collect(test.store.everyRule()))[0]!;
    const second = { id: newId('rule', new Date()), accountId, name: '', intent: '', createdAt: new Date(), platforms };
    const { changeRegistrations } = test.store;
    Object.assign(test.store, {
      async changeRegistrations(change) {
        await changeRegistrations(change);
        if (change.put?.some(({ state }) => state === 'leaving')) await test.store.addRule(second, {});
      },
    } satisfies Partial<Store>);
    await test.one.remove(first.rule_id);
    expect(test.x.values()).toEqual(['storm']);
    expect((await test.store.registrations('x')).map(({ state }) => state)).toEqual(['held']);
  });

  it('have a rule registered again that the other made, lost and could not mend before it died', async () => {
    await using test = await sharing();
    await test.one.create('storm');
    test.x.rules.clear();
    test.x.faults.register = 'unreachable';
    await test.one.registrations.reconcile('x');
    expect((await test.store.registrations('x')).map(({ state }) => state)).toContain('gone');
    expect(await test.store.openGaps('x')).toMatchObject([{ cause: 'registration_missing' }]);
    delete test.x.faults.register;
    await test.two.registrations.reconcile('x');
    expect(test.x.values()).toEqual(['storm']);
    expect((await test.two.rules()).map(({ platforms }) => platforms.x!.status)).toEqual(['active']);
    expect(await test.store.openGaps('x')).toEqual([]);
  });

  it('keep at their start what a rule needs that the other is still creating', async () => {
    await using test = await sharing();
    const rule = await test.two.create('storm');
    await test.store.setRuleStatus(rule.rule_id, 'x', { status: 'pending' });
    await using three = await registrationStage({ store: test.store, x: test.x });
    await three.registrations.reconcile('x');
    expect(test.x.values()).toEqual(['storm']);
  });
});

describe('one Idempotency-Key at two processes', () => {
  const input = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };

  async function keyed() {
    const test = await sharing();
    const create = ({ call, alice }: typeof test.one) => call(alice, 'createRule', input, { idempotencyKey: 'k' });
    return Object.assign(test, { create });
  }

  /** Stops the next creation between its claim of the key and its rule. */
  function stopped(store: Store) {
    const { promise, resolve: resume } = Promise.withResolvers<void>();
    const { addRule } = store;
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
    Object.assign(store, {
      async addRule(rule, limits) {
        Object.assign(store, { addRule });
        reach();
        await promise;
        return addRule(rule, limits);
      },
    } satisfies Partial<Store>);
    return { reached, resume };
  }

  it('makes one rule: the second is asked to wait while the first has not stored its rule', async () => {
    await using test = await keyed();
    const { reached, resume } = stopped(test.store);
    const first = test.create(test.one);
    await reached;
    await expect(test.create(test.two)).rejects.toMatchObject({ code: 'unavailable', retryAfter: 5 });
    resume();
    const made = await first;
    expect(await test.create(test.two)).toEqual(made);
    expect((await test.one.rules()).map(({ id }) => id)).toEqual([made.rule_id]);
  });

  it('makes one rule although the first stood still until the second took over', async () => {
    await using test = await keyed();
    const { reached, resume } = stopped(test.store);
    const first = test.create(test.one);
    await reached;
    await test.two.clock.pass(MINUTE);
    const made = await test.create(test.two);
    resume();
    await expect(first).rejects.toMatchObject({ code: 'unavailable', retryAfter: 5 });
    expect(await test.create(test.one)).toEqual(made);
    expect((await test.one.rules()).map(({ id }) => id)).toEqual([made.rule_id]);
    expect([test.one.service.context.matching.size('x'), test.x.values()]).toEqual([0, ['storm']]);
  });

  it('is free again as soon as a request has failed', async () => {
    await using test = await keyed();
    test.x.faults.register = 'unreachable';
    await expect(test.create(test.one)).rejects.toMatchObject({ code: 'unavailable', retryAfter: 7 });
    delete test.x.faults.register;
    const made = await test.create(test.two);
    expect((await test.one.rules()).map(({ id }) => id)).toEqual([made.rule_id]);
  });
});
