/** Time that passes when a test says so. Sleepers wake in order, each at its own moment. */
import type { Clock } from '../../src/base/clock.ts';

export interface FakeClock extends Clock {
  /** Lets so many milliseconds pass, and whatever was waiting for them run. */
  pass(milliseconds: number): Promise<void>;
  /** Time is so much later from now on, as for a process that was frozen: whoever was to wake meanwhile wakes late. */
  jump(milliseconds: number): void;
  /** The time of day is so much later from now on, or earlier, as when a clock is set: no time has passed. */
  set(milliseconds: number): void;
  readonly sleepers: number;
}

export function fakeClock(start = '2026-11-15T08:30:00.000Z'): FakeClock {
  let time = Date.parse(start);
  let offset = 0;
  let sleepers: { at: number; wake: () => void }[] = [];
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
        const next = sleepers.filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0];
        if (next === undefined) break;
        sleepers = sleepers.filter((one) => one !== next);
        time = Math.max(time, next.at);
        next.wake();
      }
      time = end;
      await settled();
    },
    jump(milliseconds) {
      time += milliseconds;
      const due = sleepers.filter(({ at }) => at <= time).toSorted((a, b) => a.at - b.at);
      sleepers = sleepers.filter(({ at }) => at > time);
      for (const { wake } of due) wake();
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
