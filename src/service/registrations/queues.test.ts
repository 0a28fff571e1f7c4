import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { fakeUpstream } from '../../../test/stages/fake-upstream.ts';
import type { Rule } from '../../domain/rule.ts';
import { localPlatform } from '../../platforms/local/local.ts';
import type { LivePlatform } from '../../platforms/platform.ts';
import { languages } from '../../rules/languages.ts';
import { openSqlite } from '../../store/sqlite.ts';
import { createQueues } from './registrations.ts';

async function stage(firehose: LivePlatform = localPlatform('firehose')) {
  const clock = fakeClock();
  const x = fakeUpstream('x');
  const stopping = new AbortController();
  const store = await openSqlite(':memory:', { clock });
  const queues = createQueues({
    store,
    platforms: { x: x.platform, firehose },
    languages: languages({ local: true }),
    clock,
    log: { info: () => {}, warn: () => {}, error: () => {} },
    signal: stopping.signal,
  });
  const expectRule = (value: string, paused = false) =>
    queues.want({
      paused,
      platforms: { x: { value, flags: {} }, firehose: { value, flags: {} } },
    } as unknown as Rule);
  const close = async () => {
    stopping.abort();
    await clock.pass(0);
    await store[Symbol.asyncDispose]();
  };
  return { clock, x, store, queues, expectRule, close };
}

describe('the queues of upstreams', () => {
  it('are waited for until all of them are open; a local platform has none, at once', async () => {
    const { clock, queues, close } = await stage();
    expect([await queues.of('firehose'), queues.get('x')]).toEqual([undefined, undefined]);
    let queue: unknown;
    const waiting = queues.of('x').then((one) => (queue = one));
    await clock.pass(0);
    expect(queue).toBeUndefined();
    await queues.open();
    await waiting;
    expect(queue).toBeDefined();
    expect([queues.get('x'), queues.get('firehose')]).toEqual([queue, undefined]);
    await close();
  });

  it('are opened once each, though the store goes away between two of them', async () => {
    const { store, queues, close } = await stage(fakeUpstream('firehose').platform);
    const { registrations } = store;
    let isAway = true;
    store.registrations = (platform) =>
      isAway && platform === 'firehose' ? Promise.reject(new Error('away')) : registrations(platform);
    await expect(queues.open()).rejects.toThrow('away');
    const first = queues.get('x');
    isAway = false;
    await queues.open();
    expect(first).toBeDefined();
    expect(queues.get('x')).toBe(first);
    expect(await queues.of('firehose')).toBeDefined();
    await close();
  });

  it('hold the texts of the rules that were there before them, but for those of paused ones', async () => {
    const { clock, x, store, queues, expectRule, close } = await stage();
    expectRule('storm');
    expectRule('storm');
    expectRule('rain', true);
    Object.assign(store, { countHolders: async () => 1 });
    await queues.open();
    await clock.pass(1_000);
    expect(x.values()).toEqual(['storm']);
    expect([...x.rules.values()][0]!.tag).toMatch(/^sluice-[0-9a-f]{12}-/);
    await close();
  });
});
