/**
 * Reads one stream, under one lease, from the committed cursor to its end: items are taken in order, and all that are
 * there already are stored in one transaction.
 */
import { thereAlready } from '../../base/cooperate.ts';
import type { StreamItem } from '../../platforms/platform.ts';
import { type Consumer, type ConsumerDeps, createConsumer } from './consumer.ts';
import { endDoubts, LOOK_EVERY_MS, lookAgain } from './held-arrivals.ts';
import { takeItem } from './take-item.ts';

type Pulled = IteratorResult<StreamItem>;

export async function consumeStream(deps: ConsumerDeps, from: string | undefined): Promise<void> {
  const consumer = createConsumer(deps);
  const { platform, registrations, signal, batch } = consumer;
  let committed = from;
  const rulesHeld = () => registrations.rulesHeld(platform.name);
  const items = platform.stream({ signal, committed: () => committed, rulesHeld })[Symbol.asyncIterator]();
  try {
    let next = pull(items);
    for (;;) {
      let result = await nextItem(consumer, next);
      while (result !== undefined && result.done !== true) {
        await takeItem(consumer, result.value);
        next = pull(items);
        if (batch.isFull) break;
        // An item that takes longer waits for the next transaction.
        result = await thereAlready(next);
      }
      await lookAgain(consumer);
      if (result?.done === true) await endDoubts(consumer);
      committed = (await store(consumer)) ?? committed;
      if (result?.done === true) break;
    }
  } finally {
    // A stream that waits for its next item hears of the end by the signal alone.
    deps.end();
    await items.return?.();
  }
}

function pull(items: AsyncIterator<StreamItem>): Promise<Pulled> {
  const next = items.next();
  // It may fail while we wait for something else. The next wait for it throws the error.
  next.catch(() => {});
  return next;
}

/** The next item, or nothing when it is time to judge held arrivals again. */
async function nextItem({ order, clock, signal }: Consumer, next: Promise<Pulled>): Promise<Pulled | undefined> {
  // After the signal no sleep lasts: the stream's own end is waited for, and not asked for without a pause.
  if (order.held.length === 0 || signal.aborted) return next;
  const looking = new AbortController();
  const both = AbortSignal.any([signal, looking.signal]);
  const tick = clock.sleep(LOOK_EVERY_MS, both).then(() => undefined);
  try {
    return await Promise.race([next, tick]);
  } finally {
    looking.abort();
  }
}

/** Stores the batch, and returns the cursor that is durable with it. */
async function store({ batch, order, change }: Consumer): Promise<string | undefined> {
  const reached = order.reached();
  await batch.flush(reached);
  if (reached === undefined) return undefined;
  change({ completeThrough: reached.through });
  return reached.cursor;
}
