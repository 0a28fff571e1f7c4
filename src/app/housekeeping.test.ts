import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../test/stages/fake-clock.ts';
import type { Store } from '../store/store.ts';
import { keepHouse } from './housekeeping.ts';

const [HOUR, MONTH] = [3_600_000, 31 * 24 * 3_600_000];

function stand() {
  const clock = fakeClock();
  const [removed, warned]: [Date[], string[]] = [[], []];
  const store = {
    async removeSlice(now: Date) {
      removed.push(now);
      return { more: false };
    },
  } as Partial<Store> as Store;
  const stop = new AbortController();
  const warn = (_: object, message: string): void => void warned.push(message);
  const log = { info() {}, warn, error() {} };
  const ended = keepHouse(store, { clock, log, signal: stop.signal });
  return { clock, removed, warned, stop, ended };
}

describe('housekeeping', () => {
  it('does not believe for an hour that a month has passed, and says so once', async () => {
    const { clock, removed, warned, stop, ended } = stand();
    await clock.pass(60_000);
    expect(removed).toHaveLength(13);
    clock.set(MONTH);
    await clock.pass(HOUR);
    expect([removed.length, warned.length]).toEqual([13, 1]);
    await clock.pass(10_000);
    expect(removed.slice(13).every((at) => at.getTime() > Date.parse('2026-12-16'))).toBe(true);
    expect([removed.length > 13, warned.length]).toEqual([true, 1]);
    stop.abort();
    await ended;
  });

  it('goes on at once when the clock is set right again', async () => {
    const { clock, removed, stop, ended } = stand();
    await clock.pass(0);
    clock.set(MONTH);
    await clock.pass(10_000);
    expect(removed).toHaveLength(1);
    clock.set(-MONTH);
    await clock.pass(5_000);
    expect(removed).toHaveLength(2);
    // A small step, and one back, are nothing to wait for.
    clock.set(-HOUR);
    await clock.pass(5_000);
    clock.set(HOUR / 2);
    await clock.pass(5_000);
    expect(removed).toHaveLength(4);
    stop.abort();
    await ended;
  });
});
