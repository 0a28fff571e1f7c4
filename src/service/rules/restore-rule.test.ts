import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { openService } from '../../../test/stages/service.ts';
import type { ServiceError } from '../errors.ts';

const DAY = 24 * 60 * 60 * 1_000;
const storm = { name: 'Storms', intent: 'Warn me.', platforms: ['x'], overrides: { x: 'storm' } };

async function stage() {
  const clock = fakeClock();
  const test = await openService({ clock });
  const alice = await test.caller('alice', { xRules: 2 });
  const { rule_id } = await test.call(alice, 'createRule', storm);
  const push = async (...texts: string[]) => {
    const pushed = test.post(alice, ...texts);
    await clock.pass(25);
    return pushed;
  };
  return Object.assign(test, { clock, alice, rule_id, push });
}

const failure = (promise: Promise<unknown>): Promise<ServiceError> =>
  promise.then(
    () => expect.fail('it was accepted'),
    (error: ServiceError) => error,
  );

describe('restore rule', () => {
  it('takes back the rule with its id, its version and its matches, and matches again', async () => {
    await using test = await stage();
    const { alice, rule_id, clock } = test;
    await test.call(alice, 'updateRule', { rule_id, overrides: { x: 'storm OR gale' } });
    await test.push('a storm');
    const rule = await test.call(alice, 'getRule', { rule_id });
    const { restorable_until } = await test.call(alice, 'deleteRule', { rule_id });
    expect(Date.parse(restorable_until)).toBe(clock.now().getTime() + 7 * DAY);
    expect(await test.push('a gale')).toMatchObject({ matches: 0 });
    expect((await test.call(alice, 'listMatches')).matches).toEqual([]);
    expect(await test.call(alice, 'restoreRule', { rule_id })).toEqual(rule);
    expect((await test.call(alice, 'listMatches')).matches).toMatchObject([{ rule_id, rule_version: 2 }]);
    expect((await test.call(alice, 'matchCounts')).counts.at(-1)).toMatchObject({ count: 1 });
    expect(await test.push('another gale')).toMatchObject({ matches: 1 });
  });

  it('says that nothing was watched in between', async () => {
    await using test = await stage();
    const { alice, rule_id, clock } = test;
    const from = clock.now().toISOString();
    await test.call(alice, 'deleteRule', { rule_id });
    await clock.pass(60_000);
    await test.call(alice, 'restoreRule', { rule_id });
    const { coverage } = await test.call(alice, 'listMatches', { rule_id });
    const gap = { platform: 'x', rule_id, from, to: clock.now().toISOString(), cause: 'not_started' };
    expect(coverage.gaps).toMatchObject([gap]);
    expect(coverage.reasons).toContain('gap');
    expect(coverage.complete).toBe(false);
  });

  it('lists the deleted rules that can be restored, and no others', async () => {
    await using test = await stage();
    const { alice, rule_id, clock } = test;
    const { rule_id: second } = await test.call(alice, 'createRule', { ...storm, name: 'Second' });
    await test.call(alice, 'deleteRule', { rule_id });
    await clock.pass(1_000);
    const { restorable_until } = await test.call(alice, 'deleteRule', { rule_id: second });
    const { rules } = await test.call(alice, 'listRules', { deleted: true });
    expect(rules.map(({ id }) => id)).toEqual([second, rule_id]);
    expect(rules[0]).toMatchObject({ name: 'Second', deleted_at: clock.now().toISOString(), restorable_until });
    expect((await test.call(alice, 'listRules', { deleted: false })).rules).toEqual([]);
    expect((await test.call(await test.caller('bob'), 'listRules', { deleted: true })).rules).toEqual([]);
  });

  it('is too late after seven days', async () => {
    await using test = await stage();
    const { alice, rule_id, clock } = test;
    await test.call(alice, 'deleteRule', { rule_id });
    clock.jump(7 * DAY);
    await clock.pass(25);
    expect((await test.call(alice, 'listRules', { deleted: true })).rules).toEqual([]);
    const late = await failure(test.call(alice, 'restoreRule', { rule_id }));
    expect(late).toMatchObject({ code: 'not_found', message: expect.stringContaining('7 days') });
  });

  it('knows only deleted rules of the caller', async () => {
    await using test = await stage();
    const { alice, rule_id } = test;
    expect(await failure(test.call(alice, 'restoreRule', { rule_id }))).toMatchObject({ code: 'not_found' });
    await test.call(alice, 'deleteRule', { rule_id });
    const bob = await test.caller('bob');
    expect(await failure(test.call(bob, 'restoreRule', { rule_id }))).toMatchObject({ code: 'not_found' });
    const agent = { ...alice, grant: { scopes: ['full'] as const, ruleIds: ['rule_other'], tokenDigest: 'd' } };
    expect(await failure(test.call(agent, 'restoreRule', { rule_id }))).toMatchObject({ code: 'not_found' });
    expect((await test.call(agent, 'listRules', { deleted: true })).rules).toEqual([]);
  });

  it('needs room under the limit, and says so', async () => {
    await using test = await stage();
    const { alice, rule_id } = test;
    await test.call(alice, 'deleteRule', { rule_id });
    for (const name of ['one', 'two']) await test.call(alice, 'createRule', { ...storm, name });
    const full = await failure(test.call(alice, 'restoreRule', { rule_id }));
    expect(full).toMatchObject({ code: 'resource_exhausted', details: { limit_code: 'x_rules', limit: 2, used: 2 } });
    expect((await test.call(alice, 'listRules', { deleted: true })).rules).toMatchObject([{ id: rule_id }]);
  });

  it('brings a paused rule back paused', async () => {
    await using test = await stage();
    const { alice, rule_id } = test;
    await test.call(alice, 'updateRule', { rule_id, paused: true });
    await test.call(alice, 'deleteRule', { rule_id });
    expect(await test.call(alice, 'restoreRule', { rule_id })).toMatchObject({ paused: true });
    expect(await test.push('a storm')).toMatchObject({ matches: 0 });
    const { coverage } = await test.call(alice, 'listMatches', { rule_id });
    expect(coverage.reasons).toContain('paused');
    await test.call(alice, 'updateRule', { rule_id, paused: false });
    expect(await test.push('a storm')).toMatchObject({ matches: 1 });
  });

  it('is in the audit log', async () => {
    await using test = await stage();
    const { alice, rule_id } = test;
    await test.call(alice, 'deleteRule', { rule_id });
    await test.call(alice, 'restoreRule', { rule_id });
    const { changes } = await test.call(alice, 'listChanges', { id: rule_id });
    expect(changes.map(({ what }) => what)).toEqual(['rule.restored', 'rule.deleted', 'rule.created']);
    expect(changes[0]).toMatchObject({ after: { name: 'Storms' } });
  });

  it('restores once when two ask at the same time', async () => {
    await using test = await stage();
    const { alice, rule_id } = test;
    await test.call(alice, 'deleteRule', { rule_id });
    const asked = await Promise.allSettled([1, 2].map(() => test.call(alice, 'restoreRule', { rule_id })));
    expect(asked.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect((await test.call(alice, 'listRules')).rules).toHaveLength(1);
  });
});
