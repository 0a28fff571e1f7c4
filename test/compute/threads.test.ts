import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { type ComputeLimits, createComputeThreads } from '../../src/compute/compute-threads.ts';
import type { ComputeWish } from '../../src/service/compute.ts';
import { ServiceError } from '../../src/service/errors.ts';
import { noMetrics } from '../../src/service/telemetry.ts';
import { fakeClock } from '../stages/fake-clock.ts';

const PROGRAM = new URL('./odd-thread.ts', import.meta.url);

interface Staged {
  readonly threads?: number;
  readonly limits?: Partial<ComputeLimits>;
  readonly ready?: () => Promise<void>;
}

/** Threads whose clock stands still until the test lets time pass, and what they have reported. */
function stage({ threads = 1, limits = {}, ready }: Staged = {}) {
  const clock = fakeClock();
  const counts = { answered: 0, lost: 0 };
  const logged: string[] = [];
  const compute = createComputeThreads({
    threads,
    order: {} as never,
    clock,
    log: { info: () => {}, warn: () => {}, error: (_, message) => void logged.push(message) },
    metrics: { ...noMetrics, computed: () => void counts.answered++, computeThreadLost: () => void counts.lost++ },
    limits,
    ...(ready && { ready }),
    program: PROGRAM,
  });
  const ask = (job: string, accountId = 'a', wish: Partial<ComputeWish> = {}): Promise<unknown> => {
    const { signal } = new AbortController();
    return compute.run(
      { name: job, run: () => Promise.reject(new Error('not here')) },
      {},
      { accountId, signal, ...wish },
    );
  };
  return { compute, clock, counts, logged, ask, [Symbol.asyncDispose]: () => compute[Symbol.asyncDispose]() };
}

/** Lets time pass, again and again, until the work is over: a thread tells of its end when it likes. */
async function passUntil(clock: ReturnType<typeof fakeClock>, milliseconds: number, work: Promise<unknown>) {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  work.then(over, over);
  while (!isOver) await clock.pass(milliseconds);
}

describe('compute threads', () => {
  it('start when they are first needed, answer, and are used again', async () => {
    await using test = stage({ threads: 2 });
    expect(test.compute.size).toBe(0);
    const cpu: number[] = [];
    expect(await test.ask('count', 'a', { onCpu: (one) => void cpu.push(one) })).toBe(1);
    expect(await test.ask('count', 'b')).toBe(2);
    expect([test.compute.size, test.counts, cpu]).toEqual([1, { answered: 2, lost: 0 }, [7]]);
  });

  it('end when nothing was asked for a while', async () => {
    await using test = stage({ limits: { idleMs: 1_000 } });
    await test.ask('count');
    await test.clock.pass(999);
    expect(test.compute.size).toBe(1);
    expect(await test.ask('count')).toBe(2);
    await test.clock.pass(999);
    expect(test.compute.size).toBe(1);
    await test.clock.pass(1);
    expect(test.compute.size).toBe(0);
    expect(await test.ask('count')).toBe(1);
  });

  it('pass errors on as what they are', async () => {
    await using test = stage();
    const error = await test.ask('refuse').catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({
      code: 'not_found',
      message: 'There is no such rule.',
      details: { a: 1 },
      retryAfter: 3,
    });
    await expect(test.ask('fail')).rejects.toThrow(TypeError);
    expect([test.compute.size, test.counts.lost]).toEqual([1, 0]);
  });

  it('let accounts take turns, and refuse an account that has too much waiting', async () => {
    await using test = stage();
    const leaving = new AbortController();
    const running = test.ask('spin', 'a', { signal: leaving.signal });
    const order: string[] = [];
    const then = (accountId: string) => test.ask('count', accountId).then(() => order.push(accountId));
    const waiting = [then('a'), then('a'), then('a'), then('a')];
    await expect(test.ask('count', 'a')).rejects.toMatchObject({
      code: 'resource_exhausted',
      message: expect.stringContaining('4 requests of this account'),
      details: { limit_code: 'previews_waiting' },
    });
    waiting.push(then('b'));
    leaving.abort(new Error('The caller is gone.'));
    await expect(running).rejects.toThrow('The caller is gone.');
    await Promise.all(waiting);
    expect(order).toEqual(['a', 'b', 'a', 'a', 'a']);
  });

  it('leave one of several threads to the other accounts', async () => {
    await using test = stage({ threads: 2 });
    const leaving = new AbortController();
    const mine = [1, 2, 3].map(() => test.ask('spin', 'a', { signal: leaving.signal }));
    const gone = Promise.allSettled(mine);
    expect(await test.ask('count', 'b')).toBe(1);
    expect(test.compute.size).toBe(2);
    leaving.abort(new Error('The caller is gone.'));
    await gone;
  });

  it('leave nothing behind of a job that is done, while its caller and its thread live on', async () => {
    await using test = stage();
    const joined = vi.spyOn(AbortSignal, 'any');
    for (let job = 1; job <= 3; job++) expect(await test.ask('count')).toBe(job);
    const signals = joined.mock.results.map(({ value }) => value as AbortSignal);
    joined.mockRestore();
    expect(signals).toHaveLength(3);
    expect(signals.flatMap((signal) => getEventListeners(signal, 'abort'))).toEqual([]);
  });

  it('stop work whose caller has gone, charge it, and go on', async () => {
    await using test = stage();
    const leaving = new AbortController();
    const charged = Promise.withResolvers<number>();
    const spinning = test.ask('spin', 'a', { signal: leaving.signal, onCpu: charged.resolve });
    leaving.abort(new Error('The caller is gone.'));
    await expect(spinning).rejects.toThrow('The caller is gone.');
    expect(await charged.promise).toBe(900);
    expect(await test.ask('count')).toBe(2);
    expect(test.counts.lost).toBe(0);
  });

  it('never begin work whose caller has gone before', async () => {
    await using test = stage();
    const gone = AbortSignal.abort(new Error('The caller is gone.'));
    await expect(test.ask('count', 'a', { signal: gone })).rejects.toThrow('The caller is gone.');
    expect(test.compute.size).toBe(0);
  });

  it('never begin work whose caller goes while what it reads is written', async () => {
    const written = Promise.withResolvers<void>();
    await using test = stage({ ready: () => written.promise });
    const leaving = new AbortController();
    const asked = test.ask('spinForEver', 'a', { signal: leaving.signal });
    leaving.abort(new Error('The caller is gone.'));
    written.resolve();
    await expect(asked).rejects.toThrow('The caller is gone.');
    expect(await test.ask('count', 'a')).toBe(1);
  });

  it('end a thread whose work does not stop within a second, and put another in its place', async () => {
    await using test = stage();
    await test.ask('count');
    const leaving = new AbortController();
    const spinning = test.ask('spinForEver', 'a', { signal: leaving.signal });
    const next = test.ask('count', 'b');
    leaving.abort(new Error('The caller is gone.'));
    await expect(spinning).rejects.toThrow('The caller is gone.');
    await test.clock.pass(999);
    expect(test.counts.lost).toBe(0);
    await passUntil(test.clock, 1, next);
    expect([await next, test.counts.lost, test.compute.size]).toEqual([1, 1, 1]);
  });

  it('end work that takes too long, and say what to do', async () => {
    await using test = stage({ limits: { jobMs: 5_000 } });
    const spinning = test.ask('spinForEver');
    const failed = spinning.catch((error: unknown) => error);
    const next = test.ask('count', 'b');
    await test.clock.pass(5_000);
    expect(await failed).toMatchObject({
      code: 'deadline_exceeded',
      message: expect.stringMatching(/longer than 5 seconds .* narrower filter/),
    });
    await passUntil(test.clock, 1, next);
    expect([await next, test.counts.lost]).toEqual([1, 1]);
  });

  it.each(['its time is over', 'its caller has gone'])(
    'free the place of a job whose store hangs when %s',
    async (why) => {
      const written = Promise.withResolvers<void>();
      const hangs = vi.fn(() => written.promise).mockImplementationOnce(() => new Promise(() => {}));
      await using test = stage({ limits: { jobMs: 5_000 }, ready: hangs });
      const leaving = new AbortController();
      const failed = test.ask('count', 'a', { signal: leaving.signal }).catch((error: unknown) => error);
      const next = test.ask('count', 'b');
      written.resolve();
      if (why === 'its caller has gone') leaving.abort(new Error('The caller is gone.'));
      else await test.clock.pass(5_000);
      expect(await failed).toBeInstanceOf(Error);
      expect([await next, test.counts.lost]).toEqual([1, 0]);
    },
  );

  it('end a request that needs too much memory, and no other', async () => {
    await using test = stage({ limits: { memory: 32 } });
    const next = [test.ask('count', 'b'), test.ask('grow', 'a'), test.ask('count', 'c')];
    const [first, failed, last] = await Promise.allSettled(next);
    expect(failed).toMatchObject({
      reason: { code: 'failed_precondition', message: expect.stringContaining('memory') },
    });
    expect([first, last]).toMatchObject([{ value: 1 }, { value: 1 }]);
    expect([test.counts.lost, test.logged]).toEqual([1, ['a compute thread has ended; another one takes its place']]);
  });

  it('say that a thread has died, and start another', async () => {
    await using test = stage();
    await expect(test.ask('die')).rejects.toMatchObject({ code: 'unavailable', retryAfter: 1 });
    expect(await test.ask('count')).toBe(1);
    expect(test.counts.lost).toBe(1);
  });

  it('all end when they are closed', async () => {
    const test = stage({ threads: 2 });
    const spinning = test.ask('spinForEver').catch((error: unknown) => error);
    expect(await test.ask('count', 'b')).toBe(1);
    await test[Symbol.asyncDispose]();
    expect([test.compute.size, await spinning]).toEqual([0, expect.objectContaining({ code: 'unavailable' })]);
    expect(test.counts.lost).toBe(0);
  });
});
