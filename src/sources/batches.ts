/** Arrivals that are there at the same time, together: what comes one by one is handed on at once, a flood in handfuls. */
import { setImmediate } from 'node:timers/promises';
import type { Arrival } from './source.ts';

const MOST = 200;

export async function* batches(arrivals: AsyncIterable<Arrival>): AsyncIterable<Arrival[]> {
  const iterator = arrivals[Symbol.asyncIterator]();
  let next = iterator.next();
  // A failure is met when its turn comes, after what arrived before it was handed on.
  next.catch(() => {});
  try {
    for (let first = await next; !first.done; first = await next) {
      const batch = [first.value];
      let pages = first.value.pages.length;
      next = follow(iterator);
      while (pages < MOST) {
        const ready = await Promise.race([next, setImmediate()]).catch(() => undefined);
        if (ready === undefined || ready.done) break;
        batch.push(ready.value);
        pages += ready.value.pages.length;
        next = follow(iterator);
      }
      yield batch;
    }
  } finally {
    await iterator.return?.();
  }
}

function follow(iterator: AsyncIterator<Arrival>): Promise<IteratorResult<Arrival>> {
  const next = iterator.next();
  next.catch(() => {});
  return next;
}
