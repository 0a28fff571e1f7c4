/**
 * Reads one stream, under one lease, from the committed cursor to its end: items are taken in order, and all that are
 * there already are stored in one transaction.
 */
import { thereAlready } from '../../base/cooperate.ts';
import type { StreamItem } from '../../platforms/platform.ts';
import { type Consumer, type ConsumerDeps, createConsumer } from './consumer.ts';
import type { HeldArrival } from './ordered-cursor.ts';
import { takeItem } from './take-item.ts';

/** How often held arrivals are judged again. */
const LOOK_EVERY_MS = 1_000;

/** Whether held arrivals are to be judged now: once a second, and at once when there are too many. Pure. */
export const isLookDue = (held: number, excess: number, sinceLast: number): boolean =>
  excess > 0 || (held > 0 && sinceLast >= LOOK_EVERY_MS);

/** Whether a held arrival may wait no longer: its minute is over, or it is among the oldest of too many. Pure. */
export const mustGo = (
  index: number,
  excess: number,
  { until }: Pick<HeldArrival, 'until'>,
  elapsed: number,
): boolean => index < excess || elapsed >= until;

/**
 * Arrivals that wait: for a registration that they name and that is not known yet, for a minute; or for a comparison of
 * registrations, where the engine finds a rule satisfied that the upstream did not name.
 */
export async function lookAgain(consumer: Consumer): Promise<void> {
  const { order, clock, metrics, platform } = consumer;
  const { excess } = order;
  if (!isLookDue(order.held.length, excess, clock.elapsed() - consumer.lookedAt)) return;
  consumer.lookedAt = clock.elapsed();
  const done = new Set<HeldArrival>();
  for (const [index, waiting] of order.held.entries()) {
    const isLast = mustGo(index, excess, waiting, clock.elapsed());
    const isKnown = await judgeAgain(consumer, waiting);
    const isResolved = await resolveDoubtsOf(consumer, waiting, isLast);
    if (!isKnown && isLast) metrics.stream(platform.name, 'orphan');
    if ((isKnown && isResolved) || isLast) done.add(waiting);
  }
  if (done.size > 0) order.release(done);
}

/** True when every registration that the arrival names is known. */
async function judgeAgain(consumer: Consumer, waiting: HeldArrival): Promise<boolean> {
  const { registrations, verdicts, batch, metrics, platform } = consumer;
  if (waiting.unknown.length === 0) return true;
  if (waiting.unknown.every((id) => registrations.resolve(platform.name, id) === undefined)) return false;
  const judged = await verdicts.judge(waiting.arrival, waiting.unknown);
  // It could be read when it came.
  if ('rejected' in judged) return true;
  if (judged.isLate) metrics.stream(platform.name, 'late');
  await batch.add(judged.events);
  waiting.unknown = judged.unknown;
  const named = new Set(judged.events.flatMap(({ matches }) => matches.map(({ ruleId }) => ruleId)));
  waiting.doubted = waiting.doubted.filter(({ ruleId }) => !named.has(ruleId));
  return judged.unknown.length === 0;
}

/** True when no rule is in doubt any more. */
async function resolveDoubtsOf({ verdicts, batch }: Consumer, waiting: HeldArrival, isLast: boolean): Promise<boolean> {
  if (waiting.doubted.length === 0) return true;
  const { events, doubted } = await verdicts.resolveDoubts(waiting.arrival, waiting.doubted, isLast);
  await batch.add(events);
  waiting.doubted = doubted;
  return doubted.length === 0;
}

/** The stream ends here, and an upstream may not send again what it sent: what may have been missed is stored. */
export async function endDoubts(consumer: Consumer): Promise<void> {
  const { order } = consumer;
  for (const waiting of order.held) await resolveDoubtsOf(consumer, waiting, true);
  order.release(new Set(order.held.filter(({ unknown }) => unknown.length === 0)));
}

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
