/** The effects of operations beside answers: what is stored, what other nodes and ways out are told, in which order. */
import { describe, expect, it, vi } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { openService } from '../../../test/stages/service.ts';
import { openSqlite } from '../../store/sqlite.ts';

const RULE = { name: 'Storms', intent: 'Warn me.', platforms: ['x'], overrides: { x: 'storm' } };
const URL = 'https://a.test/in';

async function stage() {
  const clock = fakeClock();
  const store = await openSqlite(':memory:', { clock });
  const test = await openService({ clock, store });
  const { context } = test.service;
  const told: string[] = [];
  /** Another node that is slow: it has applied a change when the test says so. */
  const others = { wait: undefined as Promise<void> | undefined };
  const caughtUp = async () => {
    told.push('nodes asked');
    await others.wait;
    told.push('nodes caught up');
  };
  Object.assign(context, { nodes: { apis: 1, caughtUp } });
  vi.spyOn(context.live, 'forget').mockImplementation((accountId) => void told.push(`forget ${accountId}`));
  vi.spyOn(context.live, 'endRule').mockImplementation((ruleId) => void told.push(`end ${ruleId}`));
  vi.spyOn(context.dispatcher, 'changed').mockImplementation((id) => void told.push(`changed ${id}`));
  const alice = await test.caller('alice');
  const create = (change: object = {}) => test.call(alice, 'createRule', { ...RULE, ...change });
  const push = async (...texts: string[]) => {
    const pushed = test.post(alice, ...texts);
    await clock.pass(25);
    await pushed;
  };
  return Object.assign(test, { clock, context, told, others, alice, accountId: alice.account.id, create, push });
}

type Stage = Awaited<ReturnType<typeof stage>>;

/** Runs the work while another node is slow, and shows that it is not answered before that node has caught up. */
async function expectToWait(test: Stage, work: () => Promise<unknown>): Promise<void> {
  const slow = Promise.withResolvers<void>();
  test.others.wait = slow.promise;
  test.told.length = 0;
  let isAnswered = false;
  const working = work().then(() => (isAnswered = true));
  await test.clock.pass(0);
  expect([isAnswered, test.told.at(-1)]).toEqual([false, 'nodes asked']);
  slow.resolve();
  await working;
}

describe('an answer waits for the other nodes', () => {
  it('when a rule is created, changed, deleted or restored', async () => {
    await using test = await stage();
    let rule_id = '';
    await expectToWait(test, async () => {
      ({ rule_id } = await test.create());
    });
    const call = (name: 'updateRule' | 'deleteRule' | 'restoreRule', change: object = {}) =>
      expectToWait(test, () => test.call(test.alice, name, { rule_id, ...change }));
    await call('updateRule', { name: 'Gales' });
    await call('deleteRule');
    expect(test.told).toEqual([`forget ${test.accountId}`, `end ${rule_id}`, 'nodes asked', 'nodes caught up']);
    await call('restoreRule');
    expect(test.told).toEqual([`forget ${test.accountId}`, 'nodes asked', 'nodes caught up']);
  });

  it('when a post is erased, and not when nothing was', async () => {
    await using test = await stage();
    await test.create();
    await test.push('a storm');
    const erase = (platform_post_id: string) =>
      test.call(test.alice, 'deleteMatches', { platform: 'x', platform_post_id });
    const [match] = await test.everyMatch(test.alice);
    test.told.length = 0;
    expect(await erase('no such post')).toMatchObject({ deleted: 0 });
    expect(test.told).toEqual([`forget ${test.accountId}`]);
    await expectToWait(test, () => erase(match!.platform_post_id));
    expect(test.told).toEqual([`forget ${test.accountId}`, 'nodes asked', 'nodes caught up']);
    expect(await test.everyMatch(test.alice)).toEqual([]);
  });
});

describe('the ways out hear of a webhook', () => {
  it('that is changed or deleted, and of no other', async () => {
    await using test = await stage();
    const { id } = await test.call(test.alice, 'createWebhook', { url: URL });
    await test.call(test.alice, 'createWebhook', { url: `${URL}/2` });
    test.told.length = 0;
    await test.call(test.alice, 'updateWebhook', { webhook_id: id, paused: true });
    expect(test.told).toEqual([`changed ${id}`]);
    test.told.length = 0;
    await test.call(test.alice, 'deleteWebhook', { webhook_id: id });
    expect(test.told).toEqual([`changed ${id}`]);
    test.told.length = 0;
    await expect(test.call(test.alice, 'deleteWebhook', { webhook_id: id })).rejects.toMatchObject({
      code: 'not_found',
      message: 'There is no such webhook.',
    });
    expect(test.told).toEqual([]);
  });
});

describe('a rule that is changed', () => {
  const changes: [string, object, object][] = [
    ['its name', { name: 'Gales' }, { name: 'Gales' }],
    ['its intent', { intent: '' }, { intent: '' }],
    ['a pause', { paused: true }, { paused: true }],
    ['no pause', { paused: false }, { paused: false }],
    ['one alert', { alerts: { surge: true } }, { alerts: { surge: true, silence: false } }],
    ['the text that it has', { overrides: { x: ' storm ' } }, {}],
    ['nothing', {}, {}],
  ];

  it.each(changes)('in %s is stored so, and in nothing else', async (_, input, stored) => {
    await using test = await stage();
    const { rule_id } = await test.create();
    const changed = vi.spyOn(test.store, 'changeRule');
    await test.call(test.alice, 'updateRule', { rule_id, ...input });
    expect(changed.mock.calls.map(([accountId, id, change]) => [accountId, id, change])).toStrictEqual([
      [test.accountId, rule_id, stored],
    ]);
  });

  it('in its text is stored with the time and the id under which it is held', async () => {
    await using test = await stage();
    const { rule_id } = await test.create();
    const changed = vi.spyOn(test.store, 'changeRule');
    await test.call(test.alice, 'updateRule', { rule_id, overrides: { x: ' gale ', firehose: 'title:gale' } });
    const held = { platformRuleId: expect.stringMatching(/^\d{19}$/), flags: {} };
    expect(changed.mock.calls[0]![2]).toStrictEqual({
      at: test.clock.now(),
      platforms: { x: { value: 'gale', ...held }, firehose: { value: 'title:gale', ...held } },
    });
    await test.call(test.alice, 'updateRule', { rule_id, overrides: { x: null } });
    expect(changed.mock.calls[1]![2]).toStrictEqual({ at: test.clock.now(), platforms: { x: null } });
  });

  it('has its watcher look when alerts or a platform are new, and not otherwise', async () => {
    await using test = await stage();
    const woken = vi.spyOn(test.context.watcher, 'wake');
    const { rule_id } = await test.create();
    expect(woken).toHaveBeenCalledTimes(0);
    await test.create({ alerts: { surge: true } });
    expect(woken).toHaveBeenCalledTimes(1);
    const update = (change: object) => test.call(test.alice, 'updateRule', { rule_id, ...change });
    await update({ name: 'n', overrides: { x: 'gale' } });
    expect(woken).toHaveBeenCalledTimes(1);
    await update({ alerts: { silence: true } });
    expect(woken).toHaveBeenCalledTimes(2);
    await update({ overrides: { firehose: 'title:gale' } });
    expect(woken).toHaveBeenCalledTimes(3);
  });

  it('in its flags keeps those that are left out, and needs the platform that they are of', async () => {
    await using test = await stage();
    const both = { platforms: ['x', 'firehose'], overrides: { x: 'storm', firehose: 'title:storm' } };
    const { rule_id } = await test.create({ ...both, options: { firehose: { quality: true } } });
    const update = (change: object) => test.call(test.alice, 'updateRule', { rule_id, ...change });
    const { platforms, version } = await update({ options: { firehose: { nsfw: false } } });
    expect([platforms.firehose!.options, version]).toEqual([{ quality: true, nsfw: false }, 2]);
    expect(platforms.x).not.toHaveProperty('options');
    const issues = (change: object) =>
      update(change).then(
        () => [],
        ({ details }: { details: { issues: { path: string }[] } }) => details.issues.map(({ path }) => path),
      );
    expect(await issues({ overrides: { firehose: null }, options: { firehose: { nsfw: true } } })).toEqual([
      'options.firehose',
    ]);
    expect(await issues({ overrides: { x: null, firehose: null } })).toEqual(['overrides.x']);
    await update({ overrides: { x: null } });
    expect(await issues({ overrides: { firehose: null } })).toEqual(['overrides.firehose']);
  });
});

describe('a rule that another node deletes while it is', () => {
  it('created is undone: the caller is to create it again', async () => {
    await using test = await stage();
    const vanished = vi.spyOn(test.store, 'rule').mockResolvedValueOnce(undefined);
    await expect(test.create()).rejects.toMatchObject({
      code: 'unavailable',
      message: 'The rule was deleted before all platforms had accepted it. Create it again.',
      retryAfter: 60,
    });
    expect(vanished).toHaveBeenCalledTimes(1);
    const { rules } = await test.call(test.alice, 'listRules');
    // It was active when its creation failed, so it stays: another node may have answered with it.
    expect([rules.length, test.context.matching.size('x')]).toEqual([1, 1]);
  });

  it('changed is answered as unknown, and matched no more', async () => {
    await using test = await stage();
    const { rule_id } = await test.create();
    const rule = (await test.store.rule(test.accountId, rule_id))!;
    vi.spyOn(test.store, 'rule')
      .mockResolvedValueOnce(rule)
      .mockResolvedValueOnce(rule)
      .mockResolvedValueOnce(undefined);
    const changing = test.call(test.alice, 'updateRule', { rule_id, name: 'n' });
    await expect(changing).rejects.toMatchObject({ code: 'not_found' });
    expect(test.context.matching.size('x')).toBe(0);
  });
});
