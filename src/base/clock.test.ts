import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { systemClock } from './clock.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const DAY = 24 * 3_600_000;

/** Tells whether the sleep has ended. */
function asleep(milliseconds: number, signal?: AbortSignal): () => boolean {
  let isAsleep = true;
  const sleep = async () => {
    await systemClock.sleep(milliseconds, signal);
    isAsleep = false;
  };
  void sleep();
  return () => isAsleep;
}

it('a sleep lasts as long as was asked for', async () => {
  const isAsleep = asleep(1_000);
  await vi.advanceTimersByTimeAsync(999);
  expect(isAsleep()).toBe(true);
  await vi.advanceTimersByTimeAsync(1);
  expect(isAsleep()).toBe(false);
});

it('a sleep of more days than a timer takes lasts as long', async () => {
  const isAsleep = asleep(60 * DAY);
  await vi.advanceTimersByTimeAsync(60 * DAY - 1);
  expect(isAsleep()).toBe(true);
  await vi.advanceTimersByTimeAsync(1);
  expect(isAsleep()).toBe(false);
});

it.each([60 * DAY, Number.POSITIVE_INFINITY])('a sleep of %d ms ends when its signal aborts', async (milliseconds) => {
  const leaving = new AbortController();
  const isAsleep = asleep(milliseconds, leaving.signal);
  await vi.advanceTimersByTimeAsync(40 * DAY);
  expect(isAsleep()).toBe(true);
  leaving.abort();
  await vi.advanceTimersByTimeAsync(0);
  expect([isAsleep(), vi.getTimerCount()]).toEqual([false, 0]);
});
