import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../test/stages/fake-clock.ts';
import { createWakeUp } from './wake-up.ts';

/** Tells what a sleep has come to, once everything that can happen now has happened. */
async function stateOf(sleep: Promise<void>): Promise<'asleep' | 'awake'> {
  const turn = new Promise<'asleep'>((resolve) => setImmediate(() => resolve('asleep')));
  return Promise.race([sleep.then(() => 'awake' as const), turn]);
}

describe('a wake-up', () => {
  it('ends a sleep that has no end of its own', async () => {
    const wakeUp = createWakeUp(fakeClock());
    const sleep = wakeUp.sleep(Number.POSITIVE_INFINITY);
    expect(await stateOf(sleep)).toBe('asleep');
    wakeUp.wake();
    expect(await stateOf(sleep)).toBe('awake');
  });

  it('keeps the next sleep from beginning, once, when nothing sleeps', async () => {
    const wakeUp = createWakeUp(fakeClock());
    wakeUp.wake();
    wakeUp.wake();
    expect(await stateOf(wakeUp.sleep(1_000))).toBe('awake');
    expect(await stateOf(wakeUp.sleep(1_000))).toBe('asleep');
  });

  it('sleeps no longer than it was asked to', async () => {
    const clock = fakeClock();
    const sleep = createWakeUp(clock).sleep(1_000);
    expect(await stateOf(sleep)).toBe('asleep');
    await clock.pass(1_000);
    expect(await stateOf(sleep)).toBe('awake');
  });

  it('ends with its signal, before the sleep or during it', async () => {
    const wakeUp = createWakeUp(fakeClock());
    expect(await stateOf(wakeUp.sleep(1_000, AbortSignal.abort()))).toBe('awake');
    const stop = new AbortController();
    const sleep = wakeUp.sleep(Number.POSITIVE_INFINITY, stop.signal);
    stop.abort();
    expect(await stateOf(sleep)).toBe('awake');
  });

  it('takes a time that no timer takes', async () => {
    const wakeUp = createWakeUp(fakeClock());
    expect(await stateOf(wakeUp.sleep(2 ** 40))).toBe('asleep');
  });
});
