import { describe, expect, it, onTestFinished } from 'vitest';
import { fakeClock } from '../../test/stages/fake-clock.ts';
import { measureReadLag } from './read-lag.ts';

function stage(isReading = () => true) {
  const clock = fakeClock();
  const ended = new AbortController();
  onTestFinished(() => ended.abort());
  return { clock, ended, lag: measureReadLag(clock, { signal: ended.signal, isReading }) };
}

describe('the lag of a reader', () => {
  it('is at most two seconds while the event loop runs', async () => {
    const { clock, lag } = stage();
    expect(lag()).toBe(0);
    for (let step = 0; step < 100; step++) {
      await clock.pass(130);
      expect(lag()).toBeLessThanOrEqual(2_000);
    }
    await clock.pass(20_000);
    expect(lag()).toBeLessThanOrEqual(2_000);
  });

  it('is as long as the process was frozen, until a second has passed in which it could read', async () => {
    const { clock, lag } = stage();
    await clock.pass(10_000);
    clock.jump(30_000);
    expect(lag()).toBeGreaterThanOrEqual(30_000);
    await clock.pass(0);
    expect(lag()).toBeGreaterThanOrEqual(30_000);
    await clock.pass(1_000);
    expect(lag()).toBeLessThanOrEqual(2_000);
  });

  it('grows while reading is paused', async () => {
    let isReading = true;
    const { clock, lag } = stage(() => isReading);
    await clock.pass(10_000);
    isReading = false;
    await clock.pass(60_000);
    expect(lag()).toBeGreaterThanOrEqual(60_000);
    isReading = true;
    await clock.pass(1_000);
    expect(lag()).toBeGreaterThanOrEqual(60_000);
    await clock.pass(1_000);
    expect(lag()).toBeLessThanOrEqual(2_000);
  });

  it('sets no timer after the connection has ended', async () => {
    const { clock, ended } = stage();
    ended.abort();
    await clock.pass(5_000);
    expect(clock.sleepers).toBe(0);
  });
});
