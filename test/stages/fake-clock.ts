/** Time that passes when a test says so. Sleepers wake in order, and those of one moment together. */
import type { Clock } from '../../src/base/clock.ts';

export interface FakeClock extends Clock {
  /** Lets so many milliseconds pass, and whatever was waiting for them run. In half a day and more, sleepers wake up to a minute late. */
  pass(milliseconds: number): Promise<void>;
  /** Time is so much later from now on, as for a process that was frozen: whoever was to wake meanwhile wakes late. */
  jump(milliseconds: number): void;
  /** The time of day is so much later from now on, or earlier, as when a clock is set: no time has passed. */
  set(milliseconds: number): void;
  readonly sleepers: number;
}

const MINUTE = 60_000;
/** Loops that look every few seconds would run a hundred thousand times in some days. */
const LONG_MS = 12 * 60 * MINUTE;

export function fakeClock(start = '2026-11-15T08:30:00.000Z'): FakeClock {
  let time = Date.parse(start);
  let offset = 0;
  let sleepers: { at: number; wake: () => void }[] = [];
  function wakeDue(): void {
    const due = sleepers.filter(({ at }) => at <= time).toSorted((a, b) => a.at - b.at);
    sleepers = sleepers.filter(({ at }) => at > time);
    for (const { wake } of due) wake();
  }
  return {
    now: () => new Date(time + offset),
    elapsed: () => time,
    sleep: (milliseconds, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const sleeper = { at: time + milliseconds, wake };
        function wake(): void {
          // Signals live long: whatever stays with them makes each later sleep slower.
          signal?.removeEventListener('abort', leave);
          resolve();
        }
        function leave(): void {
          sleepers = sleepers.filter((one) => one !== sleeper);
          resolve();
        }
        sleepers.push(sleeper);
        signal?.addEventListener('abort', leave);
      }),
    async pass(milliseconds) {
      const end = time + milliseconds;
      for (;;) {
        await settled();
        const next = Math.min(...sleepers.map(({ at }) => at));
        if (next > end) break;
        const seen = milliseconds < LONG_MS ? next : Math.min(Math.ceil(next / MINUTE) * MINUTE, end);
        time = Math.max(time, seen);
        wakeDue();
      }
      time = end;
      await settled();
    },
    jump(milliseconds) {
      time += milliseconds;
      wakeDue();
    },
    set(milliseconds) {
      offset += milliseconds;
    },
    get sleepers() {
      return sleepers.length;
    },
  };
}

/** A few turns of the event loop: whatever could run without time passing has run. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}
