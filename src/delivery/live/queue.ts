/** One after the other: whoever comes waits until everybody before has done. Between two, everything else has its turn. */
import { setImmediate } from 'node:timers/promises';

export type Queue = <T>(work: () => Promise<T>) => Promise<T>;

export function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.then(
      () => setImmediate(),
      () => setImmediate(),
    );
    return mine;
  };
}
