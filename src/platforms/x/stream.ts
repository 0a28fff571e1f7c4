/**
 * The stream of X as the contract wants it. One side keeps a connection up and never waits for whoever stores; the other
 * hands on what waits between the two, in the order in which it happened.
 */
import type { StreamControl, StreamItem } from '../platform.ts';
import { itemOf } from './arrivals.ts';
import { createBacklog } from './backlog.ts';
import { createRecentPosts } from './recent-posts.ts';
import { keepUp, type UpkeepParts } from './reconnect-loop.ts';
import type { Spill } from './spill.ts';

const MINUTE_MS = 60_000;
/** Repeats come within ten minutes; those of a recovery within its day. */
const KEEP_POSTS_MS = 10 * MINUTE_MS;
const KEEP_REPLAYED_MS = 24 * 60 * MINUTE_MS;

export interface StreamParts extends UpkeepParts {
  readonly openSpill: () => Spill;
}

export async function* xStream(parts: StreamParts, control: StreamControl): AsyncGenerator<StreamItem> {
  const stopping = new AbortController();
  const signal = AbortSignal.any([control.signal, stopping.signal]);
  const inner = { signal, committed: () => control.committed(), rulesHeld: () => control.rulesHeld() };
  const backlog = createBacklog(parts.openSpill(), () => parts.count('spill'));
  const recent = createRecentPosts(parts.clock, parts.replay ? KEEP_REPLAYED_MS : KEEP_POSTS_MS);
  // A fault of our own ends the stream for whoever reads it, and is theirs to report.
  const running = keepUp(parts, inner, (entry) => backlog.push(entry)).finally(() => stopping.abort());
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
