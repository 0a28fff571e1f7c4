/** The turns of live subscribers: however many there are, and however much one of them reads, everything else runs in between. */
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../base/clock.ts';

export type SerialQueue = <T>(job: () => Promise<T>) => Promise<T>;

/** Runs jobs one at a time, in the order in which they came. Between two jobs the event loop gets a turn. */
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

/** The event loop gets a turn after this many subscribers, or this many milliseconds. */
const VISITED_AT_ONCE = 200;
const MS_AT_ONCE = 5;

/** Visits subscribers one after another. */
export async function visitInTurns<Subscriber>(
  clock: Clock,
  subscribers: Iterable<Subscriber>,
  visit: (subscriber: Subscriber) => Promise<void> | void,
): Promise<void> {
  let [visited, began] = [0, clock.now().getTime()];
  for (const subscriber of subscribers) {
    const visiting = visit(subscriber);
    if (visiting !== undefined) await visiting;
    if (++visited < VISITED_AT_ONCE && clock.now().getTime() - began < MS_AT_ONCE) continue;
    await setImmediate();
    [visited, began] = [0, clock.now().getTime()];
  }
}
