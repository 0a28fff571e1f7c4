/**
 * The stream of X behind the contract. One side keeps a connection open and never waits for the consumer; the other side
 * yields what waits in the backlog between the two, in order.
 */
import type { StreamControl, StreamItem } from '../platform.ts';
import { itemOf } from './arrivals.ts';
import { Backlog } from './backlog.ts';
import { createRecentPosts } from './recent-posts.ts';
import { type ReconnectParts, runReconnectLoop } from './reconnect-loop.ts';
import type { Spill } from './spill.ts';

const MINUTE_MS = 60_000;
/** X repeats a post within ten minutes, and a recovery within its day. */
const KEEP_POSTS_MS = 10 * MINUTE_MS;
const KEEP_REPLAYED_MS = 24 * 60 * MINUTE_MS;

export interface StreamParts extends ReconnectParts {
  readonly openSpill: () => Spill;
}

export async function* xStream(parts: StreamParts, control: StreamControl): AsyncGenerator<StreamItem> {
  const stopping = new AbortController();
  const signal = AbortSignal.any([control.signal, stopping.signal]);
  const inner = { signal, committed: () => control.committed(), rulesHeld: () => control.rulesHeld() };
  const backlog = new Backlog({ spill: parts.openSpill(), clock: parts.clock, count: () => parts.count('spill') });
  const recent = createRecentPosts(parts.clock, parts.replay ? KEEP_REPLAYED_MS : KEEP_POSTS_MS);
  // If the loop throws, the stream ends and the consumer gets the error below.
  const running = runReconnectLoop(parts, inner, (entry) => backlog.push(entry)).finally(() => stopping.abort());
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
