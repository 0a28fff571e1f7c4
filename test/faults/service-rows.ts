/** Faults of the service's own side: a slow store, two processes, a freeze, and a rule that one platform refuses. */
import { expect } from 'vitest';
import type { LivePlatform } from '../../src/platforms/platform.ts';
import type { Store } from '../../src/store/store.ts';
import { fakeClock } from '../stages/fake-clock.ts';
import { row } from './rows.ts';
import type { ServiceStage } from './service-stage.ts';

const SECOND = 1_000;
const MINUTE = 60_000;

/** Ten times as many as in the minute before, and so long that memory has no room for them; nobody reads what makes them long. */
const FLOOD = { perSecond: 80, seconds: 60, padding: 'x'.repeat(16 * 1024) };

/** A store whose commits wait while it is slow. */
function slowed(store: Store) {
  let waiting = Promise.withResolvers<void>();
  waiting.resolve();
  return {
    store: {
      ...store,
      async commit(batch) {
        await waiting.promise;
        return store.commit(batch);
      },
    } satisfies Store,
    stop() {
      waiting = Promise.withResolvers<void>();
    },
    resume: () => waiting.resolve(),
  };
}

/** Posts a flood while the store is slow; answers how many posts there were. */
async function floodWhile(
  stage: ServiceStage,
  slow: ReturnType<typeof slowed>,
  check: () => Promise<void>,
): Promise<number> {
  slow.stop();
  try {
    for (let second = 0; second < FLOOD.seconds; second++) {
      for (let post = 0; post < FLOOD.perSecond; post++)
        stage.post('storm', { edit_controls: { editable_until: FLOOD.padding } });
      await stage.sandbox.drained();
      await stage.pass(SECOND);
    }
    await check();
  } finally {
    slow.resume();
  }
  return FLOOD.perSecond * FLOOD.seconds;
}

const streamTokens = ({ sandbox }: ServiceStage) =>
  sandbox.calls
    .filter(({ path }) => path.startsWith('/2/tweets/search/stream?'))
    .map(({ headers }) => headers.authorization);

export function serviceRows(): void {
  row(
    'X29',
    'the reader never waits for a slow store: a flood is kept on disk, and X sees no slow reader',
    async (scene) => {
      const slow: ReturnType<typeof slowed>[] = [];
      const storeAs = (store: Store) => {
        slow.push(slowed(store));
        return slow[0]!.store;
      };
      const stage = await scene.service({ sandboxOptions: { keep: 10 }, storeAs });
      const { test, caller, counts } = stage;
      const posted = await floodWhile(stage, slow[0]!, async () => {
        expect(counts.spill).toBeGreaterThan(0);
        expect(await stage.posts()).toEqual([]);
      });
      scene.struck();
      const stored = async () => (await test.call(caller, 'listRules')).rules[0]!.platforms.x!.match_count;
      await stage.until(async () => (await stored()) === posted, 100);
      expect(counts).toEqual({ connect: 1, spill: counts.spill });
      expect(await stage.gaps()).toEqual([]);
    },
  );

  row('X31', 'of two processes one dials; what a replaced holder writes is refused', async (scene) => {
    // Time of its own, which stands still while the process is frozen.
    const frozen = fakeClock();
    const first = await scene.service({ level: 'enterprise', clock: frozen });
    first.post();
    await first.stored(1);
    const second = await scene.service({ level: 'enterprise', beside: first, clock: fakeClock() });
    second.token = 'token-2';
    await second.pass(5 * SECOND);
    expect(new Set(streamTokens(first))).toEqual(new Set(['Bearer token-1']));
    expect(second.state()).toBe('connecting: another process reads the stream');

    await second.pass(10 * SECOND);
    await second.live();
    expect(streamTokens(first).at(-1)).toBe('Bearer token-2');
    const late = first.post();
    await first.until(() => first.test.logged.includes('warn another process took over the stream; this one stops'));
    scene.struck();
    await second.stored(2);
    expect((await second.posts()).at(-1)).toBe(late);
    expect(await second.posts()).toHaveLength(2);
    const dialed = streamTokens(first).length;
    await first.pass(5 * SECOND);
    expect(streamTokens(first)).toHaveLength(dialed);
    expect(first.sandbox.connections('x')).toBe(1);
  });

  row('B2', 'a rule that one platform takes and the other fails is on neither, with one error', async (scene) => {
    for (const platform of ['firehose', 'x'] as const) {
      const stage = await scene.service({ rules: ['sea'], firehose: 'sandbox' });
      stage.sandbox.throwFault('B2', { platform, times: 3 });
      await expect(stage.create('storm', ['x', 'firehose'])).rejects.toMatchObject({ code: 'unavailable' });
      await stage.pass(MINUTE);
      expect(held(stage)).toEqual([['sea'], []]);
      const { rules } = await stage.test.call(stage.caller, 'listRules');
      expect(rules.map(({ name }) => name)).toEqual(['sea']);
      stage.sandbox.clearFaults();
      await stage.create('storm', ['x', 'firehose']);
      expect(held(stage)).toEqual([['sea', 'storm'], ['title:storm']]);
    }
  });

  row('B2', 'and none is left by a process that is killed between the two', async (scene) => {
    const reached = Promise.withResolvers<void>();
    const stuck = (platform: LivePlatform): LivePlatform =>
      platform.name === 'x'
        ? platform
        : {
            ...platform,
            async register(wanted) {
              const answer = platform.register(wanted);
              reached.resolve();
              await answer.catch(() => {});
              return new Promise(() => {});
            },
          };
    const first = await scene.service({ rules: ['sea'], firehose: 'sandbox', platformAs: stuck });
    first.sandbox.throwFault('B2', { platform: 'firehose' });
    // The process is killed before it answers.
    first.create('storm', ['x', 'firehose']).catch(() => {});
    await first.done(reached.promise);
    expect(held(first)[0]).toEqual(['sea', 'storm']);
    await first.kill();
    const second = await scene.service({ firehose: 'sandbox', beside: first });
    await second.pass(20 * MINUTE, 10 * SECOND);
    expect(held(second)).toEqual([['sea'], []]);
    const { rules } = await second.test.call(second.caller, 'listRules');
    expect(rules.map(({ name }) => name)).toEqual(['sea']);
  });

  row(
    'B8',
    'after a freeze of 30 s the stream goes on, and the lease is looked at before the next write',
    async (scene) => {
      const order: string[] = [];
      const stage = await scene.service({
        storeAs: (store) => ({
          ...store,
          takeLease(wish) {
            order.push('lease');
            return store.takeLease(wish);
          },
          commit(batch) {
            order.push(batch.events.length > 0 ? 'write' : 'mark');
            return store.commit(batch);
          },
        }),
      });
      await stage.pass(25 * SECOND);
      for (let freeze = 1; freeze <= 5; freeze++) {
        order.length = 0;
        // The post that came meanwhile waits in the socket, and every timer is due at once.
        stage.post();
        stage.clock.jump(30 * SECOND);
        await stage.stored(freeze);
        expect(order.indexOf('lease')).toBeGreaterThanOrEqual(0);
        expect(order.indexOf('lease')).toBeLessThan(order.indexOf('write'));
        scene.struck();
      }
      await stage.pass(MINUTE);
      expect(stage.counts).toEqual({ connect: 1 });
      expect(await stage.gaps()).toEqual([]);
    },
  );

  row('B8', 'a stream that fell silent in a freeze costs one new connection, not a storm', async (scene) => {
    const stage = await scene.service();
    stage.sandbox.throwFault('X1');
    stage.clock.jump(30 * SECOND);
    await stage.until(() => stage.counts.connect === 2);
    await stage.pass(5 * MINUTE);
    expect(stage.counts).toEqual({ connect: 2, disconnect: 1, stall: 1 });
    scene.struck();
  });
}

const held = ({ sandbox }: ServiceStage): string[][] =>
  (['x', 'firehose'] as const).map((name) =>
    sandbox
      .rules(name)
      .map(({ value }) => value)
      .toSorted(),
  );
