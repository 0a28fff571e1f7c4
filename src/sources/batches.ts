/** Groups arrivals that are there at the same time: one that comes alone goes on at once, a flood goes on in batches. */
import { thereAlready } from '../base/cooperate.ts';
import type { SourceArrival } from './contract/source.ts';

/** Pages and deletions in a batch. */
const MOST = 200;

export async function* batches(arrivals: AsyncIterable<SourceArrival>): AsyncIterable<SourceArrival[]> {
  const iterator = arrivals[Symbol.asyncIterator]();
  let next = pull(iterator);
  try {
    for (let first = await next; !first.done; first = await next) {
      const batch = [first.value];
      let pages = sizeOf(first.value);
      next = pull(iterator);
      while (pages < MOST) {
        const ready = await thereAlready(next).catch(() => undefined);
        if (ready === undefined || ready.done) break;
        batch.push(ready.value);
        pages += sizeOf(ready.value);
        next = pull(iterator);
      }
      yield batch;
    }
  } finally {
    await iterator.return?.();
  }
}

const sizeOf = ({ pages, deleted = [] }: SourceArrival): number => pages.length + deleted.length;

/** A failure is thrown when its turn comes, after everything that arrived before it; until then it counts as handled. */
function pull(iterator: AsyncIterator<SourceArrival>): Promise<IteratorResult<SourceArrival>> {
  const next = iterator.next();
  next.catch(() => {});
  return next;
}
