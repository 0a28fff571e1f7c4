import { describe, expect, it, vi } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { upstreamStage } from '../../../test/stages/upstream-stage.ts';

const MINUTE = 60_000;

describe('a budget', () => {
  const prices = { x: 0.5, firehose: 0 };

  it('lets the rules of an account rest when it is used up, until it is raised or the month ends', async () => {
    const { x, rule, posts, store, clock, test, caller } = await upstreamStage({
      prices,
      clock: fakeClock('2026-11-30T23:50:00.000Z'),
    });
    await store.changeAccount(caller.account.id, { xBudget: 1 });
    const id = await rule('storm');
    await clock.pass(MINUTE);
    const upstreamId = x.idOf('storm');
    for (const post of ['1', '2']) x.arrive(post, 'storm', [upstreamId]);
    expect(await posts()).toHaveLength(2);
    await clock.pass(1_000);
    expect(x.values).toEqual([]);
    x.arrive('3', 'storm', [upstreamId]);
    expect(await posts()).toHaveLength(2);
    const account = (await store.account(caller.account.id))!;
    const shown = await test.call({ ...caller, account }, 'getRule', { rule_id: id });
    expect(shown.platforms.x).toMatchObject({ status: 'over_budget', error: expect.stringContaining('1.00') });
    const input = { name: 'n', intent: '', platforms: ['x'], overrides: { x: 'sea' } };
    await expect(test.call({ ...caller, account }, 'createRule', input)).rejects.toMatchObject({
      code: 'resource_exhausted',
    });
    expect((await test.call(caller, 'status')).platforms.x!.usage).toMatchObject({
      month: '2026-11',
      reads: 2,
      matches: 2,
      cost: 1,
      rules: [{ rule_id: id, reads: 2, cost: 1 }],
    });

    await store.changeAccount(caller.account.id, { xBudget: 1.5 });
    await clock.pass(MINUTE);
    expect(x.values).toEqual(['storm']);
    x.arrive('4', 'storm', [x.idOf('storm')]);
    expect(await posts()).toHaveLength(3);
    await clock.pass(1_000);
    expect(x.values).toEqual([]);
    await clock.pass(10 * MINUTE);
    expect(x.values).toEqual(['storm']);
    expect((await test.call(caller, 'getRule', { rule_id: id })).platforms.x).toMatchObject({ status: 'active' });
  });

  it('that is used up has its rules match nothing from the first moment of the next start on', async () => {
    const { x, rule, posts, store, clock, test, caller } = await upstreamStage({ prices });
    await store.changeAccount(caller.account.id, { xBudget: 0.5 });
    const id = await rule('storm');
    await clock.pass(MINUTE);
    x.arrive('1', 'storm', [x.idOf('storm')]);
    expect(await posts()).toEqual(['1']);
    await clock.pass(1_000);
    await test.service.close();
    const next = await upstreamStage({ prices, store, clock, x });
    expect(next.test.service.context.budgets.isResting(caller.account.id, 'x')).toBe(true);
    const account = (await store.account(caller.account.id))!;
    const shown = await next.test.call({ ...caller, account }, 'getRule', { rule_id: id });
    expect(shown.platforms.x!.status).toBe('over_budget');
    expect(x.values).toEqual([]);
  });

  it('that is used up and begins anew with a month that began while no process ran is no gap any more', async () => {
    const clock = fakeClock('2026-11-30T23:50:00.000Z');
    const { x, rule, posts, store, test, caller } = await upstreamStage({ prices, clock });
    await store.changeAccount(caller.account.id, { xBudget: 0.5 });
    await rule('storm');
    await clock.pass(MINUTE);
    x.arrive('1', 'storm', [x.idOf('storm')]);
    expect(await posts()).toEqual(['1']);
    await clock.pass(1_000);
    await test.service.close();
    clock.jump(30 * MINUTE);
    const next = await upstreamStage({ prices, store, clock, x });
    const spent = async () => (await next.gaps()).filter(({ cause }) => cause === 'budget_spent');
    expect(await spent()).toMatchObject([{ to: null }]);
    await clock.pass(MINUTE);
    expect([x.values, await spent()]).toMatchObject([['storm'], [{ to: clock.now().toISOString() }]]);
  });

  it('that is used up while the store fails is a gap and releases its rules a minute later', async () => {
    const { x, rule, posts, store, clock, gaps, caller } = await upstreamStage({ prices });
    await store.changeAccount(caller.account.id, { xBudget: 0.5 });
    await rule('storm');
    await clock.pass(MINUTE);
    const noteGaps = store.noteGaps.bind(store);
    let failures = 1;
    vi.spyOn(store, 'noteGaps').mockImplementation(async (noted) => {
      if (noted.some(({ cause }) => cause === 'budget_spent') && failures-- > 0) throw new Error('The store is away.');
      return noteGaps(noted);
    });
    x.arrive('1', 'storm', [x.idOf('storm')]);
    expect(await posts()).toEqual(['1']);
    await clock.pass(1_000);
    expect([x.values, failures, await gaps()]).toEqual([['storm'], 0, []]);
    await clock.pass(MINUTE);
    expect(x.values).toEqual([]);
    expect(await gaps()).toMatchObject([{ cause: 'budget_spent', to: null }]);
  });

  it('keeps a rule off the platform that is changed or resumed while its account rests', async () => {
    const { x, rule, posts, store, clock, test, caller } = await upstreamStage({ prices });
    await store.changeAccount(caller.account.id, { xBudget: 0.5 });
    const id = await rule('storm');
    const paused = await rule('sea');
    await test.call(caller, 'updateRule', { rule_id: paused, paused: true });
    await clock.pass(MINUTE);
    x.arrive('1', 'storm', [x.idOf('storm')]);
    expect(await posts()).toEqual(['1']);
    await clock.pass(1_000);
    expect(x.values).toEqual([]);
    await test.call(caller, 'updateRule', { rule_id: id, overrides: { x: 'gale' } });
    expect(x.values).toEqual([]);
    await test.call(caller, 'updateRule', { rule_id: paused, paused: false });
    expect(x.values).toEqual([]);
    await clock.pass(20 * MINUTE);
    expect(x.values).toEqual([]);
    await store.changeAccount(caller.account.id, { xBudget: 5 });
    await clock.pass(MINUTE);
    expect(x.values.toSorted()).toEqual(['gale', 'sea']);
  });
});
