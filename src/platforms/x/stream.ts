/**
 * The stream of X behind the contract. One side keeps a connection open, or a webhook valid, and never waits for the
 * consumer; the other side yields what waits in the backlog between the two, in order.
 */
import type { Clock } from '../../base/clock.ts';
import type { StreamControl, StreamCounter, StreamItem } from '../platform.ts';
import { itemOf } from './arrivals.ts';
import { Backlog } from './backlog.ts';
import { createRecentPosts } from './recent-posts.ts';
import type { Push } from './reconnect-loop.ts';
import type { SilenceDetector } from './silence.ts';
import type { Spill } from './spill.ts';

const MINUTE_MS = 60_000;
/** X repeats a post within ten minutes, and a recovery within its day. */
const KEEP_POSTS_MS = 10 * MINUTE_MS;
const KEEP_REPLAYED_MS = 24 * 60 * MINUTE_MS;

export interface StreamParts {
  readonly clock: Clock;
  readonly count: (counter: StreamCounter) => void;
  readonly silence: SilenceDetector;
  /** Whether the access level has backfill and recovery. */
  readonly replay: boolean;
  readonly openSpill: () => Spill;
}

/** Fills the backlog until the signal aborts. `taken` resolves when the consumer has taken what was pushed. */
export type RunLoop = (
  control: StreamControl,
  push: Push,
  taken: (signal: AbortSignal) => Promise<void>,
) => Promise<void>;

export async function* xStream(parts: StreamParts, control: StreamControl, run: RunLoop): AsyncGenerator<StreamItem> {
  const stopping = new AbortController();
  const signal = AbortSignal.any([control.signal, stopping.signal]);
  const inner = { signal, committed: () => control.committed(), rulesHeld: () => control.rulesHeld() };
  const backlog = new Backlog({ spill: parts.openSpill(), clock: parts.clock, count: () => parts.count('spill') });
  const recent = createRecentPosts(parts.clock, parts.replay ? KEEP_REPLAYED_MS : KEEP_POSTS_MS);
  // If the loop throws, the stream ends and the consumer gets the error below.
  const taken = (until: AbortSignal) => backlog.drained(until);
  const running = run(inner, (entry) => backlog.push(entry), taken).finally(() => stopping.abort());
  running.catch(() => {});
  try {
    for (let entry = await backlog.take(signal); entry !== undefined; entry = await backlog.take(signal)) {
      const item = itemOf(entry, { ...parts, recent });
      if (item !== undefined) yield item;
    }
    await running;
  } finally {
    stopping.abort();
    await running.catch(() => {});
    backlog.close();
  }
}
