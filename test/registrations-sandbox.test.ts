/** Rules on both upstreams over HTTP, against the sandbox: what is created, shared, lost, refused and found again. */
import { tmpdir } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { type SandboxOptions, startSandbox } from '../sandbox/sandbox.ts';
import { PLATFORMS } from '../src/domain/platform.ts';
import { firehosePlatform } from '../src/platforms/firehose/platform.ts';
import { xPlatform } from '../src/platforms/x/platform.ts';
import { fakeClock } from './stages/fake-clock.ts';
import { openService } from './stages/service.ts';

const both = { name: 'Storms', intent: '', platforms: ['x', 'firehose'], overrides: { x: 'storm', firehose: 'storm' } };

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close();
});

async function stage(options: SandboxOptions = {}) {
  const sandbox = await startSandbox({ limits: 'off', ...options });
  opened.push(() => sandbox.stop());
  const clock = fakeClock();
  const quiet = { info: () => {}, warn: () => {}, error: () => {} };
  const upstream = {
    baseUrl: sandbox.url,
    token: () => 'secret',
    clock,
    random: () => 0.5,
    log: quiet,
    count: () => {},
  };
  const test = await openService({
    clock,
    platforms: {
      x: xPlatform({ ...upstream, spillDir: tmpdir() }),
      firehose: firehosePlatform({ ...upstream, ...(options.firehoseRules ? { rules: options.firehoseRules } : {}) }),
    },
  });
  opened.push(() => test.service.close());
  const alice = await test.caller('alice', { xRules: 1_000 });
  const { registrations } = test.service.context;
  for (const name of PLATFORMS) await registrations.reconcile(name);
  const create = (x: string, firehose: string) =>
    test.call(alice, 'createRule', { ...both, name: x, overrides: { x, firehose } });
  const values = () => PLATFORMS.map((name) => sandbox.rules(name).map(({ value }) => value));
  const rules = async () => (await test.call(alice, 'listRules')).rules;
  return { ...test, sandbox, clock, alice, registrations, create, values, rules };
}

describe('rules on both upstreams', () => {
  it('are held with our mark, shared when equal, and gone with the last', async () => {
    const test = await stage();
    const [one, two] = await Promise.all([test.create('storm', 'title:storm'), test.create('storm', 'title:storm')]);
    expect(one.platforms).toEqual(two.platforms);
    for (const name of PLATFORMS) {
      const [rule, ...others] = test.sandbox.rules(name);
      expect(others).toEqual([]);
      expect(rule).toMatchObject({ id: one.platforms[name]?.platform_rule_id, tag: expect.stringMatching(/^sluice-/) });
      expect(test.registrations.resolve(name, rule!.id)).toMatchObject({ packed: false });
    }
    await test.call(test.alice, 'deleteRule', { rule_id: one.rule_id });
    expect(test.values()).toEqual([['storm'], ['title:storm']]);
    await test.call(test.alice, 'deleteRule', { rule_id: two.rule_id });
    expect(test.values()).toEqual([[], []]);
  });

  it('X20: takes a rule that somebody else made, and leaves it there', async () => {
    const test = await stage();
    const theirs = test.sandbox.addForeignRule('x', 'storm', 'theirs');
    const { rule_id, platforms } = await test.create('storm', 'storm');
    expect(platforms.x?.platform_rule_id).toBe(theirs.id);
    await test.call(test.alice, 'deleteRule', { rule_id });
    expect(test.values()).toEqual([['storm'], []]);
  });

  it.each(['X20', 'X21', 'F17'] as const)('%s: a lost or odd answer leaves exactly one', async (fault) => {
    const test = await stage();
    test.sandbox.throwFault(fault);
    const first = await Promise.allSettled([test.create('storm', 'storm')]);
    expect(test.sandbox.fired(fault)).toBe(1);
    if (first[0].status === 'rejected') await test.create('storm', 'storm');
    for (const name of PLATFORMS) await test.registrations.reconcile(name);
    expect(test.values()).toEqual([['storm'], ['storm']]);
    expect((await test.rules()).length).toBe(1);
  });

  it.each([
    ['X22', 'invalid_argument'],
    ['F16', 'invalid_argument'],
    ['B2', 'unavailable'],
  ] as const)('%s: one platform refuses, and nothing is kept on either', async (fault, code) => {
    const test = await stage();
    // A server error is tried again once.
    test.sandbox.throwFault(fault, { times: fault === 'B2' ? 2 : 1 });
    await expect(test.create('storm', 'storm')).rejects.toMatchObject({ code });
    expect(test.sandbox.fired(fault)).toBe(fault === 'B2' ? 2 : 1);
    expect(await test.rules()).toEqual([]);
    for (const name of PLATFORMS) await test.registrations.reconcile(name);
    expect(test.values()).toEqual([[], []]);
  });

  it('X22: those beside a refused one are created', async () => {
    const test = await stage();
    await test.create('first', 'first');
    test.sandbox.throwFault('X22');
    const made = await Promise.allSettled(['a1', 'b1', 'c1'].map((value) => test.create(value, value)));
    expect(made.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    expect((await test.rules()).length).toBe(3);
  });

  it('X23: a full upstream is `resource_exhausted`, and nothing is kept', async () => {
    const test = await stage({ xRules: 2 });
    await test.create('a1 sample:10', 'a1');
    await expect(test.create('b1 sample:10', 'b1')).rejects.toMatchObject({ code: 'resource_exhausted' });
    expect(test.values()).toEqual([['a1 sample:10'], ['a1']]);
  });

  it.each(['missing', 'delete-all', 'extra', 'wrong-tag'] as const)('X24: %s rules converge', async (kind) => {
    const test = await stage();
    for (const value of ['a1', 'b1', 'c1']) await test.create(value, value);
    const theirs = test.sandbox.addForeignRule('x', 'cats', 'theirs');
    const [ours] = test.sandbox.rules('x');
    test.sandbox.throwFault('X24', { kind, count: 1, tag: kind === 'extra' ? `${ours!.tag}0` : 'lost' });
    for (let minutes = 0; minutes <= 10; minutes += 10) {
      await test.registrations.reconcile('x');
      await test.clock.pass(10 * 60_000);
    }
    await test.registrations.reconcile('x');
    expect(test.sandbox.fired('X24')).toBeGreaterThan(0);
    const covered = test.sandbox.rules('x').flatMap(({ id }) => {
      const holding = test.registrations.resolve('x', id);
      return holding === undefined || holding === 'late' ? [] : holding.texts.map(({ value }) => value);
    });
    expect(covered.toSorted()).toEqual(['a1', 'b1', 'c1']);
    const isTheirsThere = test.sandbox.rules('x').some(({ id }) => id === theirs.id);
    expect(isTheirsThere || kind === 'delete-all').toBe(true);
  });

  it('pack where there are fewer slots than rules', async () => {
    const test = await stage({ xRules: 4, firehoseRules: 4 });
    const values = Array.from({ length: 30 }, (_, at) => `word${at}`);
    await Promise.all(values.map((value) => test.create(value, `title:${value}`)));
    for (const name of PLATFORMS) {
      const held = test.sandbox.rules(name);
      expect(held.length).toBeLessThanOrEqual(4);
      const covered = new Set(
        held.flatMap(({ id }) => {
          const holding = test.registrations.resolve(name, id);
          return typeof holding === 'object' ? holding.texts.map(({ value }) => value) : [];
        }),
      );
      expect(covered.size).toBe(30);
    }
  });
});
