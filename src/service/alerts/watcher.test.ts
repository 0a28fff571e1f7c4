import { describe, expect, it } from 'vitest';
import { webhookOf } from '../../../test/conformance/store/webhooks.ts';
import { HOUR, MINUTE, watchStage } from '../../../test/stages/watch-stage.ts';
import type { Store } from '../../store/store.ts';

/** A store whose next `keepWatches` fails: before it is written, or after, when the answer is lost. */
function failingOnce(store: Store, when: 'before' | 'after'): Store {
  let hasFailed = false;
  return {
    ...store,
    async keepWatches(lease, changes) {
      const isMeant = !hasFailed && changes.some(({ alerts }) => alerts.length > 0);
      if (!isMeant) return store.keepWatches(lease, changes);
      hasFailed = true;
      if (when === 'after') await store.keepWatches(lease, changes);
      throw new Error('the process died here');
    },
  };
}

const states = (alerts: readonly { kind: string; to: Date | undefined }[]) =>
  alerts.map(({ kind, to }) => `${kind} ${to === undefined ? 'lasts' : 'ended'}`);

describe('a surge', () => {
  it('is found within a minute, is one alert over its waves, and ends an hour after the last', async () => {
    await using stage = await watchStage();
    const { rule, clock, account } = stage;
    const webhook = { ...webhookOf(account), events: ['alert' as const], url: 'https://example.com/a' };
    await stage.store.addWebhook(webhook, 10);
    await stage.store.addWebhook({ ...webhookOf(account), platforms: ['firehose' as const], events: ['alert'] }, 10);
    const { stop } = stage.start('one');
    await stage.pass(2, [rule]);
    expect(await stage.alerts()).toEqual([]);
    const began = clock.now();
    for (const wait of [1, 40, 50]) {
      await stage.match([rule], 30);
      await stage.pass(wait, [rule]);
    }
    const [alert] = await stage.alerts();
    expect(alert).toMatchObject({ ruleId: rule.id, platform: 'x', kind: 'surge', to: undefined });
    expect(alert!.from.getTime()).toBeLessThanOrEqual(began.getTime());
    expect(alert!.rate).toBeGreaterThan(150);
    expect(alert!.usualRate).toBeLessThan(8);
    expect(stage.counted).toEqual(['x surge']);
    await stage.pass(90, [rule]);
    const after = await stage.alerts();
    expect(states(after)).toEqual(['surge ended']);
    expect(after[0]!.id).toBe(alert!.id);
    // Told when it began and when it ended; the webhook of the other platform was not told.
    const { deliveries } = await stage.store.deliveries({ accountId: account.id, limit: 10 });
    expect(deliveries.map(({ webhookId }) => webhookId)).toEqual([webhook.id, webhook.id]);
    expect(stage.told.at(-1)).toMatchObject({ id: alert!.id, to: expect.any(Date) });
    await stop();
  });

  it.each(['before', 'after'] as const)('is told once when the process dies %s it is stored', async (when) => {
    await using stage = await watchStage();
    const { rule, store, account } = stage;
    await store.addWebhook({ ...webhookOf(account), events: ['alert'] }, 10);
    const { stop } = stage.start('one', failingOnce(store, when));
    await stage.pass(2, [rule]);
    await stage.match([rule], 60);
    await stage.pass(1);
    expect(await stage.alerts()).toHaveLength(when === 'before' ? 0 : 1);
    await stop();
    const second = stage.start('two');
    await stage.pass(3, [rule]);
    expect(states(await stage.alerts())).toEqual(['surge lasts']);
    expect((await store.deliveries({ accountId: account.id, limit: 10 })).deliveries).toHaveLength(1);
    await second.stop();
  });

  it('is left to the process that has the lease: one that was frozen stores nothing', async () => {
    await using stage = await watchStage();
    const { rule, store, clock } = stage;
    let thaw = () => {};
    const frozen: Store = {
      ...store,
      async keepWatches(lease, changes) {
        if (changes.some(({ alerts }) => alerts.length > 0)) await new Promise<void>((resolve) => (thaw = resolve));
        return store.keepWatches(lease, changes);
      },
    };
    const first = stage.start('one', frozen);
    await stage.pass(2, [rule]);
    await stage.match([rule], 60);
    await stage.pass(1);
    const second = stage.start('two');
    await stage.pass(2);
    const [alert] = await stage.alerts();
    expect(alert).toMatchObject({ kind: 'surge' });
    thaw();
    await clock.pass(MINUTE);
    expect((await stage.alerts()).map(({ id }) => id)).toEqual([alert!.id]);
    await second.stop();
    await first.stop();
  });

  it('is none where what was missed comes all at once: after a gap, even one that was recovered', async () => {
    await using stage = await watchStage();
    const { rule, store, clock } = stage;
    const { stop } = stage.start('one');
    await stage.pass(2, [rule]);
    const to = clock.now();
    const from = new Date(to.getTime() - 2 * HOUR);
    await store.noteGaps([{ platform: 'x', from, to, cause: 'stall', recovered: true }]);
    await stage.match([rule], 60);
    await stage.pass(10, [rule]);
    expect(await stage.alerts()).toEqual([]);
    await stage.pass(125, [rule]);
    await stage.match([rule], 60);
    await stage.pass(1);
    expect(states(await stage.alerts())).toEqual(['surge lasts']);
    await stop();
  });

  it('needs ten days of past, and a new text begins a new past', async () => {
    await using young = await watchStage({ days: 8 });
    const first = young.start('one');
    await young.pass(2, [young.rule]);
    await young.match([young.rule], 200);
    await young.pass(2);
    expect(await young.alerts()).toEqual([]);
    await first.stop();
    await using stage = await watchStage();
    const { rule, store, account } = stage;
    const { stop } = stage.start('one');
    await stage.pass(2, [rule]);
    await stage.match([rule], 60);
    await stage.pass(1);
    expect(states(await stage.alerts())).toEqual(['surge lasts']);
    await store.changeRule(account.id, rule.id, { platforms: { x: { value: 'ash', flags: {} } } });
    await stage.pass(6);
    expect(states(await stage.alerts())).toEqual(['surge ended']);
    await stage.match([rule], 60, stage.clock.now(), 2);
    await stage.pass(10);
    expect(states(await stage.alerts())).toEqual(['surge ended']);
    await stop();
  });
});

it('what a changed text matched before it was watched counts, since its change', async () => {
  await using stage = await watchStage();
  const { rule, store, account, clock } = stage;
  const changed = async (days: number) => {
    const at = new Date(clock.now().getTime() - days * 24 * HOUR);
    await store.changeRule(account.id, rule.id, { platforms: { x: { value: `ash ${days}`, flags: {} } }, at });
  };
  await changed(8);
  const { stop } = stage.start('one');
  await stage.pass(2, [rule]);
  await stage.match([rule], 60, clock.now(), 2);
  await stage.pass(1);
  expect(await stage.alerts()).toEqual([]);
  await changed(12);
  await stage.pass(63, [rule]);
  await stage.match([rule], 120, clock.now(), 3);
  await stage.pass(1);
  expect(states(await stage.alerts())).toEqual(['surge lasts']);
  await stop();
});

describe('silence', () => {
  it('is found when it is unusual, and ends with a match', async () => {
    await using stage = await watchStage();
    const { rule, clock } = stage;
    const { stop } = stage.start('one');
    await stage.pass(2, [rule]);
    const last = clock.now().getTime();
    await stage.pass(10 * 60);
    const [alert] = await stage.alerts();
    expect(alert).toMatchObject({ kind: 'silence', rate: 0, to: undefined });
    expect(alert!.usualRate).toBeGreaterThan(2);
    expect(Math.abs(alert!.from.getTime() - last)).toBeLessThan(3 * MINUTE);
    await stage.match([rule], 1);
    const ended = clock.now();
    await stage.pass(2);
    const [after] = await stage.alerts();
    expect(after!.to!.getTime()).toBe(Math.floor(ended.getTime() / MINUTE) * MINUTE);
    expect(stage.counted).toEqual(['x silence']);
    await stop();
  });

  it.each([
    ['nothing feeds the platform', { heard: false }],
    ['a gap lies in it', { gap: true }],
    ['the rule is paused', { paused: true }],
    ['a source is down', { source: true }],
  ])('is none where %s', async (_, { heard = true, gap = false, paused = false, source = false }: Deafness) => {
    await using stage = await watchStage();
    const { rule, store, account, clock } = stage;
    const { stop } = stage.start('one');
    await stage.pass(2, [rule]);
    const from = clock.now();
    if (gap)
      await store.noteGaps([
        { platform: 'x', from, to: new Date(from.getTime() + MINUTE), cause: 'stall', recovered: false },
      ]);
    if (paused) await store.changeRule(account.id, rule.id, { paused: true });
    if (source)
      await store.noteFeeds([
        { platform: 'x', kind: 'source', name: 'news', state: 'waiting', reason: undefined, through: from, at: from },
      ]);
    await stage.pass(gap ? 5 * 60 : 10 * 60, [], { heard });
    expect(await stage.alerts()).toEqual([]);
    await stop();
  });

  it('that lasts ends when Sluice no longer listens: it says how long it is known', async () => {
    await using stage = await watchStage();
    const { rule, clock } = stage;
    const { stop } = stage.start('one');
    await stage.pass(2, [rule]);
    await stage.pass(10 * 60);
    expect(states(await stage.alerts())).toEqual(['silence lasts']);
    const deaf = clock.now().getTime();
    await stage.pass(90, [], { heard: false });
    const [alert] = await stage.alerts();
    expect(Math.abs(alert!.to!.getTime() - deaf)).toBeLessThan(2 * MINUTE);
    await stop();
  });
});

interface Deafness {
  readonly heard?: boolean;
  readonly gap?: boolean;
  readonly paused?: boolean;
  readonly source?: boolean;
}

describe('the watcher', () => {
  it('ends what lasts when a rule is no longer watched, and keeps nothing of it', async () => {
    await using stage = await watchStage();
    const { rule, store, account } = stage;
    const { watcher, stop } = stage.start('one');
    await stage.pass(2, [rule]);
    await stage.match([rule], 60);
    await stage.pass(1);
    expect(watcher.figures).toMatchObject({ watches: 1 });
    await store.changeRule(account.id, rule.id, { alerts: { surge: false, silence: false } });
    await stage.pass(2);
    expect(states(await stage.alerts())).toEqual(['surge ended']);
    expect((await store.watchAgenda(10)).watches).toBe(0);
    expect(watcher.figures).toBeUndefined();
    await stop();
  });

  it('takes no lease and asks nothing more while no rule is watched', async () => {
    await using stage = await watchStage({ days: 0 });
    const { store, account, rule } = stage;
    await store.deleteRule(account.id, rule.id);
    const asked: string[] = [];
    const noting = new Proxy(store, {
      get(target, name, receiver) {
        asked.push(String(name));
        return Reflect.get(target, name, receiver);
      },
    });
    const { watcher, stop } = stage.start('one', noting);
    await stage.clock.pass(24 * HOUR);
    expect(asked.filter((name) => name !== 'isShared')).toEqual(['watchAgenda']);
    watcher.wake();
    await stage.clock.pass(MINUTE);
    expect(asked.filter((name) => name !== 'isShared')).toEqual(['watchAgenda', 'watchAgenda']);
    await stop();
  });

  it('looks at the rules that had matches and at those that are due, in slices, and at no others', async () => {
    await using stage = await watchStage({ days: 0 });
    const { store } = stage;
    const rules = [];
    for (let count = 0; count < 300; count++) rules.push(await stage.addRule({ createdAt: stage.clock.now() }));
    const sizes: Record<'watchesOf' | 'dueWatches' | 'keepWatches', number[]> = {
      watchesOf: [],
      dueWatches: [],
      keepWatches: [],
    };
    const counting: Store = {
      ...store,
      watchesOf: async (places, minute) => note('watchesOf', await store.watchesOf(places, minute)),
      dueWatches: async (...asked) => note('dueWatches', await store.dueWatches(...asked)),
      keepWatches: async (lease, changes) => {
        note('keepWatches', changes);
        return store.keepWatches(lease, changes);
      },
    };
    function note<T extends readonly unknown[]>(name: keyof typeof sizes, list: T): T {
      sizes[name].push(list.length);
      return list;
    }
    const { stop } = stage.start('one', counting);
    await stage.pass(1);
    expect(sizes.dueWatches).toEqual([50, 50, 50, 50, 50, 50, 1, 0]);
    for (const list of Object.values(sizes)) list.length = 0;
    await stage.match(rules.slice(0, 250), 1);
    await stage.pass(1);
    expect(sizes).toEqual({ watchesOf: [200, 50], dueWatches: [0], keepWatches: [] });
    await stop();
  });
});
