/** Runs jobs one at a time, in the order in which they came. Between two jobs the event loop gets a turn. */
import { setImmediate } from 'node:timers/promises';

export type SerialQueue = <T>(job: () => Promise<T>) => Promise<T>;

export function createSerialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve();
  return (job) => {
    const result = last.then(job);
    last = result.then(
      () => setImmediate(),
      () => setImmediate(),
    );
    return result;
  };
}
