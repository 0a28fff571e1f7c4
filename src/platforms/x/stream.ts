/**
 * The stream of X behind the contract. One side keeps a connection open, or a webhook valid, and never waits for the
 * consumer; the other side yields what waits in the backlog between the two, in order.
 */
import type { Clock } from '../../base/clock.ts';
import type { StreamControl, StreamCounter, StreamItem } from '../platform.ts';
import { Backlog } from './backlog.ts';
import type { Push } from './reconnect-loop.ts';
import type { SilenceDetector } from './silence.ts';
import type { BacklogEntry, Spill } from './spill.ts';
import { readMessage } from './wire.ts';

const MINUTE_MS = 60_000;
/** X repeats a post within ten minutes, and a recovery within its day. */
const KEEP_POSTS_MS = 10 * MINUTE_MS;
const KEEP_REPLAYED_MS = 24 * 60 * MINUTE_MS;

interface StreamParts {
  readonly clock: Clock;
  readonly count: (counter: StreamCounter) => void;
  readonly silence: SilenceDetector;
  /** Whether the access level has backfill and recovery. */
  readonly replay: boolean;
  readonly openSpill: () => Spill;
}

/** Fills the backlog until the signal aborts. `taken` resolves when the consumer has taken what was pushed. */
type RunLoop = (control: StreamControl, push: Push, taken: (signal: AbortSignal) => Promise<void>) => Promise<void>;

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

// Turns entries of the backlog into items of the stream: parses lines and leaves out repeats.

/** How many bytes are kept of a line that cannot be read. */
const SAMPLE = 4_096;

interface Parts {
  readonly recent: RecentPosts;
  readonly silence: SilenceDetector;
  readonly count: (counter: StreamCounter) => void;
}

/** Returns undefined for a repeat, and for a message that is no post. */
export function itemOf(entry: BacklogEntry, parts: Parts): StreamItem | undefined {
  switch (entry.kind) {
    case 'record':
      return arrivalOf(entry, parts);
    case 'mark':
      return { ...entry, through: new Date(entry.through) };
    case 'gap': {
      const { from, to, cause, recovered } = entry;
      const end = to === undefined ? undefined : new Date(to);
      return { kind: 'gap', gap: { from: new Date(from), to: end, cause, recovered } };
    }
    case 'broken': {
      const { since, ...rest } = entry;
      return { ...rest, through: new Date(entry.through), ...dateOf(since) };
    }
    case 'state':
      return entry;
  }
}

const dateOf = (since: number | undefined) => (since === undefined ? {} : { since: new Date(since) });

function arrivalOf(
  { at, through, cursor, replayed, since, line }: Extract<BacklogEntry, { kind: 'record' }>,
  { recent, silence, count }: Parts,
): StreamItem | undefined {
  const message = readMessage(line);
  switch (message.kind) {
    case 'post': {
      const { id: postId, payload, verdicts } = message;
      if (recent.isRepeat(postId, verdicts)) {
        count('dup');
        return undefined;
      }
      if (!replayed) silence.learn(verdicts);
      const times = { at: new Date(at), through: new Date(through), ...dateOf(since) };
      return { kind: 'arrival', postId, payload, cursor, verdicts, ...times };
    }
    case 'broken':
      count('broken');
      return {
        kind: 'broken',
        cursor,
        through: new Date(through),
        ...dateOf(since),
        reason: message.reason,
        sample: line.toString('utf8', 0, SAMPLE),
      };
    case 'system':
    case 'replayed':
    case 'unknown':
      count('unknown_message');
      return undefined;
  }
}

// Remembers which posts came lately, and for which rules: X sends some twice, and a replay sends many again.

/** Enough for ten minutes of X's fastest stream. The store recognizes older repeats. */
const MOST = 200_000;

interface RecentPosts {
  /** True if the post came before for all of these rules. */
  isRepeat(postId: string, verdicts: readonly string[]): boolean;
}

export function createRecentPosts(clock: Clock, keepMs: number): RecentPosts {
  /** In the order of first arrival. Reading does not move a post, so this is no LRU cache. */
  const posts = new Map<string, { at: number; verdicts: readonly string[] }>();

  function forgetOld(): void {
    for (const [id, { at }] of posts) {
      if (posts.size <= MOST && at > clock.elapsed() - keepMs) return;
      posts.delete(id);
    }
  }

  return {
    isRepeat(postId, verdicts) {
      forgetOld();
      const known = posts.get(postId);
      if (known !== undefined && verdicts.every((id) => known.verdicts.includes(id))) return true;
      posts.set(postId, {
        at: known?.at ?? clock.elapsed(),
        verdicts: known === undefined ? verdicts : [...new Set([...known.verdicts, ...verdicts])],
      });
      return false;
    },
  };
}
