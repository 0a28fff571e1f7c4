/** Time, passed in as an argument. Nothing below `app/` reads a clock or sets a timer itself, so tests control both. */
export interface Clock {
  now(): Date;
  /** Milliseconds since a fixed moment in the past. Unlike `now` it never jumps, so use it to measure durations. */
  elapsed(): number;
  /** Resolves after the given milliseconds, or as soon as the signal aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** The longest time that a timer of Node takes: with a longer one it ends at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => new Date(),
  elapsed: () => performance.now(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      let left = milliseconds;
      let timer = setTimeout(next, Math.min(left, LONGEST_TIMER_MS));
      function next() {
        left -= LONGEST_TIMER_MS;
        // A server may ask to be left alone for years.
        if (left > 0) timer = setTimeout(next, Math.min(left, LONGEST_TIMER_MS));
        else done();
      }
      function done() {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      }
      signal?.addEventListener('abort', done, { once: true });
    }),
};

/** Calendar months in UTC, as one number: November 2026 is 202611. */
export const monthOf = (at: Date): number => at.getUTCFullYear() * 100 + at.getUTCMonth() + 1;

/** The usual notation: 2026-11. */
export const monthText = (month: number): string =>
  `${Math.floor(month / 100)}-${String(month % 100).padStart(2, '0')}`;

export const nextMonth = (at: Date): Date => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1));
