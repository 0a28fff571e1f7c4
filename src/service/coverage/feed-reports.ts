/**
 * Reports in the store how the feeds of this node do: at once when one changes its state, and every five seconds while it
 * runs. Any node tells callers from these reports; a feed whose node is gone grows stale and is not taken for well.
 */
import type { Clock } from '../../base/clock.ts';
import { createWakeUp } from '../../base/wake-up.ts';
import type { FeedState } from '../../domain/feed.ts';
import type { Platform } from '../../domain/platform.ts';
import type { FeedReport, Store } from '../../store/store.ts';
import type { Log } from '../telemetry.ts';
import { PUSH_SILENCE_MS } from './reasons.ts';

const REPORT_EVERY_MS = 5_000;

/** A feed as its own node sees it now. */
export type FeedNow = Omit<FeedReport, 'at'>;

export interface FeedReports {
  /** From now on, until it is ended. */
  report(feed: FeedNow): void;
  /** Another node runs the feed, and reports it. */
  drop(platform: Platform, kind: FeedState['kind'], name: string): void;
  /** This node runs the feed no more: this is its last report. Resolves when it is stored, or cannot be. */
  end(feed: FeedNow): Promise<void>;
  /** Events were pushed and stored: for one account, or for all. */
  pushed(platform: Platform, accountId: string | undefined): Promise<void>;
  /** The feeds of this node, as they are now. */
  own(platform: Platform): readonly FeedNow[];
  /** What is known is in the store. */
  flush(): Promise<void>;
  /** Runs until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

interface Deps {
  readonly store: Pick<Store, 'feeds' | 'noteFeeds' | 'noteGaps'>;
  readonly clock: Clock;
  readonly log: Log;
}

export function createFeedReports({ store, clock, log }: Deps): FeedReports {
  const feeds = new Map<string, FeedNow>();
  const pushes = createPushReports(store, clock);
  const wakeUp = createWakeUp(clock);
  let writing: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    if (feeds.size === 0) return;
    const at = clock.now();
    try {
      await store.noteFeeds([...feeds.values()].map((feed) => ({ ...feed, at })));
    } catch (error) {
      log.warn({ err: error }, 'the state of the feeds could not be stored; trying again in 5 seconds');
    }
  }
  const flush = (): Promise<void> => {
    writing = writing.then(write);
    return writing;
  };

  return {
    report(feed) {
      const key = keyOf(feed.platform, feed.kind, feed.name);
      const before = feeds.get(key);
      feeds.set(key, feed);
      if (before?.state !== feed.state || before.reason !== feed.reason) wakeUp.wake();
    },
    drop: (platform, kind, name) => void feeds.delete(keyOf(platform, kind, name)),
    async end(feed) {
      const key = keyOf(feed.platform, feed.kind, feed.name);
      if (!feeds.has(key)) return;
      feeds.set(key, feed);
      const written = flush();
      await written;
      if (feeds.get(key) === feed) feeds.delete(key);
    },
    pushed: (platform, accountId) =>
      pushes(platform, accountId).catch((error: unknown) =>
        log.warn({ platform, err: error }, 'the time of a push could not be stored'),
      ),
    own: (platform) => [...feeds.values()].filter((feed) => feed.platform === platform),
    flush,
    async run(signal) {
      while (!signal.aborted) {
        await wakeUp.sleep(feeds.size === 0 ? Number.POSITIVE_INFINITY : REPORT_EVERY_MS, signal);
        if (!signal.aborted) await flush();
      }
    },
  };
}

const keyOf = (platform: Platform, kind: FeedState['kind'], name: string): string => `${platform} ${kind} ${name}`;

/** A push is noted at most every five seconds: the last one of a busy platform is then known a little too early. */
function createPushReports(store: Deps['store'], clock: Clock) {
  const notedAt = new Map<string, number>();

  return async (platform: Platform, accountId: string | undefined): Promise<void> => {
    const name = accountId ?? '';
    const key = keyOf(platform, 'push', name);
    const before = notedAt.get(key);
    if (before !== undefined && clock.elapsed() - before < REPORT_EVERY_MS) return;
    notedAt.set(key, clock.elapsed());
    const now = clock.now();
    await noteSilence(store, platform, accountId, now);
    const push = { platform, kind: 'push', name, state: 'live', reason: undefined } as const;
    await store.noteFeeds([{ ...push, through: now, at: now }]);
  };
}

/** More than an hour without a push was a time without a feed: it is a gap of those whom this push reaches. */
async function noteSilence(
  store: Deps['store'],
  platform: Platform,
  accountId: string | undefined,
  now: Date,
): Promise<void> {
  const pushes = (await store.feeds(platform, accountId)).filter(({ kind }) => kind === 'push');
  const last = Math.max(...pushes.map(({ through }) => through?.getTime() ?? 0));
  if (pushes.length === 0 || now.getTime() - last <= PUSH_SILENCE_MS) return;
  const gap = { platform, from: new Date(last), to: now, cause: 'no_feed', recovered: false };
  await store.noteGaps([{ ...gap, ...(accountId !== undefined && { accountId }) }]);
}
