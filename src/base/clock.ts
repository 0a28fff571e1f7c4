/** Time, passed in as an argument. Nothing below `app/` reads a clock or sets a timer itself, so tests control both. */
export interface Clock {
  now(): Date;
  /** Milliseconds since a fixed moment in the past. Unlike `now` it never jumps, so use it to measure durations. */
  elapsed(): number;
  /** Resolves after the given milliseconds, or as soon as the signal aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => new Date(),
  elapsed: () => performance.now(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const timer = setTimeout(done, milliseconds);
      function done() {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      }
      signal?.addEventListener('abort', done, { once: true });
    }),
};
