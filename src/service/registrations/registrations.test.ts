import { describe, expect, it } from 'vitest';
import { fakeUpstream } from '../../../test/stages/fake-upstream.ts';
import { until } from '../../../test/stages/receiver.ts';
import { registrationStage } from '../../../test/stages/registration-stage.ts';
import { StoreError } from '../../store/error.ts';
import { openSqlite } from '../../store/sqlite.ts';
import type { Store } from '../../store/store.ts';

const MINUTE = 60_000;
const words = (count: number, from = 0) => Array.from({ length: count }, (_, at) => `word${from + at}`);

describe('registrations at an upstream', () => {
  it('are shared by rules with one text, and go with the last of them', async () => {
    await using test = await registrationStage();
    const first = await test.create('storm');
    const second = await test.create(' storm ');
    expect(second.platforms.x).toEqual(first.platforms.x);
    expect([test.x.values(), test.x.calls.register]).toEqual([['storm'], 1]);
    await test.remove(first.rule_id);
    expect([test.x.values(), test.x.calls.unregister]).toEqual([['storm'], 0]);
    await test.remove(second.rule_id);
    expect([test.x.values(), test.x.calls.unregister]).toEqual([[], 1]);
  });

  it('are asked for together when many rules come and go at once', async () => {
    await using test = await registrationStage();
    const made = await Promise.all(words(40).map(test.create));
    expect(test.x.rules.size).toBe(40);
    expect(test.x.calls.register).toBeLessThanOrEqual(2);
    await Promise.all(made.map(({ rule_id }) => test.remove(rule_id)));
    expect(test.x.rules.size).toBe(0);
    expect(test.x.calls.unregister).toBeLessThanOrEqual(2);
  });

  it('bear the mark of the instance, which stays the same', async () => {
    const store = await openSqlite(':memory:');
    const x = fakeUpstream('x');
    await using one = await registrationStage({ store, x });
    await one.create('storm');
    await one.service.close();
    await using two = await registrationStage({ store, x });
    await two.create('rain');
    const marks = [...x.rules.values()].map(({ tag }) => tag?.split('-').slice(0, 2).join('-'));
    expect(marks[0]).toMatch(/^sluice-[0-9a-f]{12}$/);
    expect(marks[1]).toBe(marks[0]);
  });

  it('of a paused rule are not made at the next start either', async () => {
    const store = await openSqlite(':memory:');
    const x = fakeUpstream('x');
    await using one = await registrationStage({ store, x });
    const { rule_id } = await one.create('storm');
    await one.create('rain');
    await one.call(one.alice, 'updateRule', { rule_id, paused: true });
    await one.clock.pass(MINUTE);
    expect(x.values()).toEqual(['rain']);
    await one.service.close();
    await using two = await registrationStage({ store, x });
    await two.clock.pass(6 * MINUTE);
    expect(x.values()).toEqual(['rain']);
    expect(two.covered()).toEqual(['rain']);
  });

  it('stand for their texts while these are wanted, and are late for a while after', async () => {
    await using test = await registrationStage();
    const { rule_id, platforms } = await test.create('storm');
    const id = platforms.x!.platform_rule_id;
    expect(test.registrations.resolve('x', id)).toEqual({ texts: [{ value: 'storm', flags: {} }], packed: false });
    expect(test.registrations.standsAlone('x', { value: 'storm', flags: {} })).toBe(true);
    expect(test.registrations.resolve('x', 'another')).toBeUndefined();
    await test.remove(rule_id);
    expect(test.registrations.resolve('x', id)).toBe('late');
    await test.clock.pass(9 * MINUTE);
    expect(test.registrations.resolve('x', id)).toBe('late');
    await test.clock.pass(7 * MINUTE);
    expect(test.registrations.resolve('x', id)).toBeUndefined();
  });

  it('let a stream begin with the first of them', async () => {
    await using test = await registrationStage();
    let isHeld = false;
    void (async () => {
      await test.registrations.rulesHeld('x');
      isHeld = true;
    })();
    await test.clock.pass(0);
    expect(isHeld).toBe(false);
    await test.create('storm');
    await test.clock.pass(0);
    expect(isHeld).toBe(true);
  });

  it('are made for rules that were local before', async () => {
    const store = await openSqlite(':memory:');
    const x = fakeUpstream('x');
    const local = { ...x.platform, shape: 'local' as const };
    await using before = await registrationStage({ store, x: { ...x, platform: local } });
    await before.create('storm');
    x.rules.clear();
    await using after = await registrationStage({ store, x });
    await after.clock.pass(0);
    expect(x.values()).toEqual(['storm']);
    const [rule] = await after.rules();
    expect(rule?.platforms.x).toMatchObject({ status: 'active', platform_rule_id: [...x.rules.keys()][0] });
  });

  it('are given up while a rule is paused', async () => {
    await using test = await registrationStage();
    const { rule_id } = await test.create('storm');
    await test.call(test.alice, 'updateRule', { rule_id, paused: true });
    expect(test.x.values()).toEqual([]);
    await test.call(test.alice, 'updateRule', { rule_id, overrides: { x: 'rain' } });
    expect(test.x.values()).toEqual([]);
    const resumed = await test.call(test.alice, 'updateRule', { rule_id, paused: false });
    expect(test.x.values()).toEqual(['rain']);
    expect(resumed.platforms.x).toMatchObject({ status: 'active', platform_rule_id: [...test.x.rules.keys()][0] });
    expect(resumed.version).toBe(2);
  });

  it('stay for a rule that changes to a text while another rule with it goes', async () => {
    await using test = await registrationStage();
    const [one, two] = [await test.create('storm'), await test.create('rain')];
    await Promise.all([
      test.call(test.alice, 'updateRule', { rule_id: two.rule_id, overrides: { x: 'storm' } }),
      test.remove(one.rule_id),
    ]);
    expect(test.x.values()).toEqual(['storm']);
    await test.clock.pass(20 * MINUTE);
    expect(test.x.values()).toEqual(['storm']);
  });
});

describe('a rule that is deleted while it is created', () => {
  /** An upstream that answers no registration before the test says so. */
  async function creating() {
    const test = await registrationStage();
    const { promise, resolve: answer } = Promise.withResolvers<void>();
    test.x.before = (call) => (call === 'register' ? promise : undefined);
    const created = test.create('storm');
    await until(() => test.x.calls.register === 1);
    const [pending] = await test.rules();
    return Object.assign(test, { created, answer, id: pending!.id });
  }

  it('is created first, and then gone for good', async () => {
    await using test = await creating();
    const removed = test.remove(test.id);
    test.answer();
    expect((await test.created).rule_id).toBe(test.id);
    await removed;
    expect([await test.rules(), test.service.context.matching.size('x'), test.x.values()]).toEqual([[], 0, []]);
    await test.clock.pass(60 * MINUTE);
    expect(test.x.values()).toEqual([]);
  });

  it('is not created when another process has deleted it', async () => {
    await using test = await creating();
    await test.store.deleteRule(test.alice.account.id, test.id);
    test.answer();
    await expect(test.created).rejects.toMatchObject({ code: 'unavailable', retryAfter: 60 });
    expect([test.service.context.matching.size('x'), test.x.values()]).toEqual([0, []]);
  });
});

describe('a pinned text', () => {
  const texts = { x: { value: 'storm', flags: {} } };

  it('is removed as soon as it is no longer pinned, when its release came meanwhile', async () => {
    await using test = await registrationStage();
    {
      await using pinned = await test.registrations.pin(texts);
      await pinned.hold();
      await test.registrations.release(texts);
      expect(test.x.values()).toEqual(['storm']);
      pinned.keep();
    }
    await test.clock.pass(0);
    expect(test.x.values()).toEqual([]);
  });

  it('is removed when the request has failed', async () => {
    await using test = await registrationStage();
    const request = async () => {
      await using pinned = await test.registrations.pin(texts);
      await pinned.hold();
      throw new Error('the request failed');
    };
    await expect(request()).rejects.toThrow('the request failed');
    expect(test.x.values()).toEqual([]);
  });

  it('stays when another request pins it too, and goes with the last of them', async () => {
    await using test = await registrationStage();
    const other = await test.registrations.pin(texts);
    {
      await using pinned = await test.registrations.pin(texts);
      await pinned.hold();
    }
    expect(test.x.values()).toEqual(['storm']);
    await other[Symbol.asyncDispose]();
    expect(test.x.values()).toEqual([]);
  });
});

describe('a store that fails', () => {
  it('leaves no registration behind: a release is tried again', async () => {
    await using test = await registrationStage();
    const { rule_id } = await test.create('storm');
    const { countHolders } = test.store;
    let failures = 2;
    Object.assign(test.store, {
      async countHolders(platform, value, flags) {
        if (failures-- > 0) throw new StoreError('unwritable', 'The disk is full.');
        return countHolders(platform, value, flags);
      },
    } satisfies Partial<Store>);
    await expect(test.remove(rule_id)).rejects.toMatchObject({ code: 'unavailable' });
    expect(test.x.values()).toEqual(['storm']);
    await test.clock.pass(3_000);
    expect([failures < 0, test.x.values()]).toEqual([true, []]);
  });
});

describe('an answer that is lost', () => {
  it('leaves no rule here, and none there', async () => {
    await using test = await registrationStage();
    test.x.faults.register = 'timeout';
    test.x.lost = true;
    await expect(test.create('storm')).rejects.toMatchObject({ code: 'deadline_exceeded' });
    expect([test.x.fired, await test.rules()]).toEqual([1, []]);
    expect(test.x.values()).toEqual([]);
  });

  it('is made good by asking again: there is one registration', async () => {
    await using test = await registrationStage();
    test.x.faults.register = 'timeout';
    test.x.faults.held = 'timeout';
    test.x.lost = true;
    await expect(test.create('storm')).rejects.toMatchObject({ code: 'deadline_exceeded' });
    expect(test.x.values()).toEqual(['storm']);
    delete test.x.faults.register;
    const { platforms } = await test.create('storm');
    expect([...test.x.rules.keys()]).toEqual([platforms.x?.platform_rule_id]);
    delete test.x.faults.held;
    await test.clock.pass(20 * MINUTE);
    expect(test.covered()).toEqual(['storm']);
  });

  it('is looked for until the upstream can say', async () => {
    await using test = await registrationStage();
    Object.assign(test.x.faults, { register: 'timeout', held: 'unreachable' });
    test.x.lost = true;
    await expect(test.create('storm')).rejects.toMatchObject({ code: 'deadline_exceeded' });
    for (const call of ['register', 'held'] as const) delete test.x.faults[call];
    await test.clock.pass(MINUTE);
    expect(test.x.values()).toEqual([]);
  });
});

describe('more rules than slots', () => {
  it('are refused where they cannot share, and nothing is kept', async () => {
    await using test = await registrationStage({ options: { limit: 3 } });
    for (const value of ['a1 sample:10', 'b1 sample:10']) await test.create(value);
    await expect(test.create('c1 sample:10')).rejects.toMatchObject({ code: 'resource_exhausted' });
    expect((await test.rules()).length).toBe(2);
    expect(test.x.rules.size).toBe(2);
  });

  it('share slots, each with its own value and the id of the rule that holds it now', async () => {
    await using test = await registrationStage({ options: { limit: 5 } });
    for (const value of words(40)) {
      await test.create(value);
      await test.clock.pass(MINUTE);
    }
    expect(test.x.most).toBeLessThanOrEqual(5);
    expect(test.covered().toSorted()).toEqual(words(40).toSorted());
    for (const { name, platforms } of await test.rules()) {
      const { platform_rule_id, translated_value, status } = platforms.x!;
      expect([translated_value, status]).toEqual([name, 'active']);
      const holding = test.registrations.resolve('x', platform_rule_id!);
      expect(holding).toMatchObject({ texts: expect.arrayContaining([{ value: name, flags: {} }]) });
    }
    expect(test.registrations.figures('x')).toMatchObject({ limit: 5, used: test.x.rules.size });
    expect(test.registrations.figures('x').packs).toBeGreaterThan(0);
  });

  it('leave no moment uncovered while a pack takes the place of others', async () => {
    await using test = await registrationStage({ options: { limit: 4 } });
    const made: string[] = [];
    for (const value of words(20)) {
      const creating = test.create(value);
      await test.clock.pass(30_000);
      await creating;
      made.push(value);
      expect(new Set(test.covered())).toEqual(new Set(made));
    }
    expect(test.x.takenAway.length).toBeGreaterThan(0);
  });

  it('keep what was replaced until the upstream has had time for its successor', async () => {
    await using test = await registrationStage({ options: { limit: 3 } });
    await Promise.all([test.create('a1'), test.create('b1')]);
    await test.create('c1');
    expect(test.x.rules.size).toBe(3);
    const old = [...test.x.rules.values()].find(({ value }) => value === 'a1')!;
    expect(test.registrations.resolve('x', old.id)).toMatchObject({ texts: [{ value: 'a1' }], packed: false });
    await test.clock.pass(25_000);
    expect(test.x.values()).toEqual(['a1 OR b1 OR c1']);
    // The stream may still bring what was matched before.
    expect(test.registrations.resolve('x', old.id)).toMatchObject({ texts: [{ value: 'a1' }], packed: false });
  });

  it('show the id of the pack that took a text in while its rule was being created', async () => {
    await using test = await registrationStage({ options: { limit: 3 } });
    const { setRuleStatus } = test.store;
    const storing = Promise.withResolvers<void>();
    let stale: string | undefined;
    Object.assign(test.store, {
      async setRuleStatus(ruleId, platform, state) {
        if (stale === undefined) {
          stale = state.platformRuleId;
          await storing.promise;
        }
        return setRuleStatus(ruleId, platform, state);
      },
    } satisfies Partial<Store>);
    const creating = test.create('a1');
    await until(() => stale !== undefined);
    await Promise.all([test.create('b1'), test.create('c1')]);
    await test.clock.pass(MINUTE);
    const [pack] = test.x.rules.values();
    expect(pack!.value.split(' OR ').toSorted()).toEqual(['a1', 'b1', 'c1']);
    storing.resolve();
    await creating;
    const ids = (await test.rules()).map(({ platforms }) => platforms.x?.platform_rule_id);
    expect([stale === pack!.id, ids]).toEqual([false, [pack!.id, pack!.id, pack!.id]]);
  });

  it('keep a pack whose value is the text of another rule, when that rule goes', async () => {
    await using test = await registrationStage({ options: { limit: 3 } });
    await Promise.all(['a1', 'b1', 'c1'].map(test.create));
    await test.clock.pass(MINUTE);
    const [pack, ...others] = test.x.rules.values();
    expect([pack!.value, others]).toEqual(['a1 OR b1 OR c1', []]);
    const { rule_id, platforms } = await test.create('a1 OR b1 OR c1');
    expect(platforms.x!.platform_rule_id).toBe(pack!.id);
    await test.remove(rule_id);
    await test.clock.pass(MINUTE);
    expect([test.x.takenAway.includes(pack!.id), [...test.x.rules.keys()]]).toEqual([false, [pack!.id]]);
    expect(test.covered()).toEqual(['a1', 'b1', 'c1']);
  });

  it('take a text out of its pack at the next comparison, and the pack with its last text', async () => {
    await using test = await registrationStage({ options: { limit: 2 } });
    const [one, two, three] = await Promise.all(['a1', 'b1', 'c1'].map(test.create));
    await test.clock.pass(MINUTE);
    expect(test.x.values()).toEqual(['a1 OR b1 OR c1']);
    await test.remove(two!.rule_id);
    expect(test.x.values()).toEqual(['a1 OR b1 OR c1']);
    expect(test.covered()).toEqual(['a1', 'c1']);
    await test.clock.pass(6 * MINUTE);
    expect(test.x.values()).toEqual(['a1 OR c1']);
    await test.remove(one!.rule_id);
    await test.remove(three!.rule_id);
    expect(test.x.values()).toEqual([]);
  });

  it('find out that others have taken slots meanwhile', async () => {
    await using test = await registrationStage({ options: { limit: 6 } });
    await Promise.all(words(3).map(test.create));
    for (const id of ['1', '2', '3']) test.x.rules.set(id, { id, value: `their${id}`, flags: {}, tag: undefined });
    // One of theirs leaves again, so that there is a slot to change with.
    const creating = test.create('late1');
    await expect(creating).rejects.toMatchObject({ code: 'resource_exhausted' });
    test.x.rules.delete('3');
    await test.create('late1');
    await test.clock.pass(MINUTE);
    expect(new Set(test.covered())).toEqual(new Set([...words(3), 'late1']));
    expect([...test.x.rules.keys()].filter((id) => id.length === 1)).toEqual(['1', '2']);
  });

  it('tell the one whose text the upstream refuses, and take the others', async () => {
    await using test = await registrationStage({ options: { limit: 2 } });
    await test.create('a1');
    test.x.refuses = (value) => value.includes('bad');
    const results = await Promise.allSettled([test.create('bad1'), test.create('b1'), test.create('c1')]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(results[0]).toMatchObject({ reason: { code: 'invalid_argument' } });
    expect(new Set(test.covered())).toEqual(new Set(['a1', 'b1', 'c1']));
  });

  it('fit again when the limit was lowered meanwhile', async () => {
    const store = await openSqlite(':memory:');
    const before = fakeUpstream('x');
    await using one = await registrationStage({ store, x: before });
    await Promise.all(words(30).map(one.create));
    await one.service.close();
    // Another project upstream, with nothing in it and fewer slots.
    await using two = await registrationStage({ store, options: { limit: 3 } });
    await two.clock.pass(MINUTE);
    expect(new Set(two.covered())).toEqual(new Set(words(30)));
    expect((await two.rules()).every(({ platforms }) => platforms.x?.status === 'active')).toBe(true);
  });
});

describe('drift', () => {
  it('is mended when rules were removed upstream: they are added again under new ids', async () => {
    await using test = await registrationStage();
    await Promise.all(words(5).map(test.create));
    test.x.rules.clear();
    expect(await test.registrations.reconcile('x')).toEqual({ missing: 5, extra: 0, foreign: 0 });
    expect(test.x.values()).toEqual(words(5));
    const ids = (await test.rules()).map(({ platforms }) => platforms.x?.platform_rule_id);
    expect(new Set(ids)).toEqual(new Set(test.x.rules.keys()));
  });

  it('is looked for every five minutes', async () => {
    await using test = await registrationStage();
    await test.create('storm');
    test.x.rules.clear();
    await test.clock.pass(5 * MINUTE + 1);
    expect(test.x.values()).toEqual(['storm']);
    expect(test.logged).toContain('warn registrations had drifted and were mended');
  });

  it('removes what bears our mark and no rule wants, after ten minutes', async () => {
    await using test = await registrationStage();
    await test.create('storm');
    const { tag } = [...test.x.rules.values()][0]!;
    test.x.rules.set('77', { id: '77', value: 'stray', flags: {}, tag: `${tag}0` });
    await test.clock.pass(9 * MINUTE);
    expect(test.x.values()).toEqual(['storm', 'stray']);
    await test.clock.pass(12 * MINUTE);
    expect(test.x.values()).toEqual(['storm']);
  });

  it('never touches what is not ours, the same value included', async () => {
    await using test = await registrationStage();
    const theirs = { id: '77', value: 'storm', flags: {}, tag: 'sluice-000000000000-1' };
    test.x.rules.set('77', theirs);
    const { rule_id, platforms } = await test.create('storm');
    expect(platforms.x?.platform_rule_id).toBe('77');
    await test.clock.pass(20 * MINUTE);
    await test.remove(rule_id);
    await test.clock.pass(20 * MINUTE);
    expect([...test.x.rules.values()]).toEqual([theirs]);
    expect(test.x.takenAway).toEqual([]);
    expect(test.logged).toContain('info the upstream also holds rules of other programs');
  });

  it('deletes nothing when the upstream cannot be asked', async () => {
    await using test = await registrationStage();
    await Promise.all(words(3).map(test.create));
    test.x.faults.held = 'unreachable';
    await test.clock.pass(30 * MINUTE);
    expect(test.x.fired).toBeGreaterThan(3);
    expect(test.x.values()).toEqual(words(3));
    expect((await test.rules()).map(({ platforms }) => platforms.x?.status)).toEqual(['active', 'active', 'active']);
  });

  it('fails a rule that the upstream refuses later, and tries again ever more slowly', async () => {
    await using test = await registrationStage();
    await Promise.all(['storm', 'rain'].map(test.create));
    test.x.refuses = (value) => value === 'storm';
    test.x.rules.clear();
    await test.clock.pass(6 * MINUTE);
    const states = async () => (await test.rules()).map(({ platforms: { x } }) => [x?.status, x?.error]);
    expect(await states()).toEqual([
      ['failed', 'x refuses storm'],
      ['active', undefined],
    ]);
    const asked = test.x.calls.register;
    await test.clock.pass(120 * MINUTE);
    expect(test.x.calls.register - asked).toBeLessThanOrEqual(6);
    test.x.refuses = () => false;
    await test.clock.pass(70 * MINUTE);
    expect((await states()).map(([status]) => status)).toEqual(['active', 'active']);
    expect(test.x.values()).toEqual(['rain', 'storm']);
  });
});
