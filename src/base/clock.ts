/** Time, passed in. Nothing below `app/` reads a clock or sets a timer by itself, so that tests own both. */
export interface Clock {
  now(): Date;
  /** Milliseconds since some moment in the past; unlike `now` it never jumps, so lengths of time are measured by it. */
  elapsed(): number;
  /** Resolves after so many milliseconds, or at once when the signal aborts. */
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
