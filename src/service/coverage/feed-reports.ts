/**
 * Reports in the store how the feeds of this node do: at once when one changes its state, and every five seconds while it
 * runs. Any node tells callers from these reports; a feed whose node is gone grows stale and is not taken for well.
 */
import type { Clock } from '../../base/clock.ts';
import { createWakeUp } from '../../base/wake-up.ts';
import type { FeedState } from '../../domain/coverage.ts';
import type { Platform } from '../../domain/platform.ts';
import type { FeedReport, Store } from '../../store/store.ts';
import type { Log } from '../telemetry.ts';
import { PUSH_SILENCE_MS } from './assess.ts';

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
  /** Events were pushed from a time on, and are stored: for one account, or for all. */
  pushed(platform: Platform, accountId: string | undefined, began: Date): Promise<void>;
  /** The feeds of this node that reach the account, as they are now. Without an account: those that reach every account. */
  own(platform: Platform, accountId?: string): readonly FeedNow[];
  /** Resolves when everything that is known is in the store. */
  flush(): Promise<void>;
  /** Runs until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

interface Deps {
  readonly store: Pick<Store, 'feeds' | 'noteFeeds' | 'noteGaps'>;
  readonly clock: Clock;
  readonly log: Log;
}

export function createFeedReports(deps: Deps): FeedReports {
  const { store, clock, log } = deps;
  const feeds = new Map<string, FeedNow>();
  const pushes = createPushReports(store, clock);
  const wakeUp = createWakeUp(clock);
  let writing: Promise<void> = Promise.resolve();

  const flush = (): Promise<void> => {
    writing = writing.then(() => writeFeeds(deps, feeds, pushes));
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
      await flush();
      if (feeds.get(key) === feed) feeds.delete(key);
    },
    async pushed(platform, accountId, began) {
      try {
        if ((await pushes.note(platform, accountId, began)) === 'waits') wakeUp.wake();
      } catch (error) {
        log.warn({ platform, err: error }, 'the time of a push could not be stored');
      }
    },
    own: (platform, accountId) => [
      ...[...feeds.values()].filter((feed) => feed.platform === platform),
      ...pushes.of(platform, accountId),
    ],
    flush,
    async run(signal) {
      while (!signal.aborted) {
        const isIdle = feeds.size === 0 && !pushes.anyWaits;
        await wakeUp.sleep(isIdle ? Number.POSITIVE_INFINITY : REPORT_EVERY_MS, signal);
        if (!signal.aborted) await flush();
      }
    },
  };
}

async function writeFeeds(
  { store, clock, log }: Deps,
  feeds: ReadonlyMap<string, FeedNow>,
  pushes: PushReports,
): Promise<void> {
  const at = clock.now();
  const reports = [...[...feeds.values()].map((feed) => ({ ...feed, at })), ...pushes.due()];
  if (reports.length === 0) return;
  try {
    await store.noteFeeds(reports);
  } catch (error) {
    log.warn({ err: error }, 'the state of the feeds could not be stored; trying again in 5 seconds');
  }
}

const keyOf = (platform: Platform, kind: FeedState['kind'], name: string): string => `${platform} ${kind} ${name}`;

/** The last push of an account, or of all accounts, on this node. */
interface LastPush {
  readonly platform: Platform;
  readonly name: string;
  /** When the first one began. */
  readonly since: Date;
  at: Date;
  /** The time that the store has; the monotonic time at which it was written. */
  stored: Date;
  storedAt: number;
}

type PushReports = ReturnType<typeof createPushReports>;

/** A push is stored at most every five seconds. This node knows the last one; other nodes know it a little too early. */
function createPushReports(store: Deps['store'], clock: Clock) {
  const last = new Map<string, LastPush>();
  const isDue = ({ storedAt }: LastPush) => clock.elapsed() - storedAt >= REPORT_EVERY_MS;
  const waiting = () => [...last.values()].filter(({ at, stored }) => at > stored);

  return {
    /** `waits`: it is the first that `due` will answer for this account. */
    async note(platform: Platform, accountId: string | undefined, since: Date): Promise<'stored' | 'waits' | 'waited'> {
      const name = accountId ?? '';
      const key = keyOf(platform, 'push', name);
      const now = clock.now();
      const before = last.get(key);
      if (before !== undefined && !isDue(before)) {
        const waited = before.at > before.stored;
        before.at = now;
        return waited ? 'waited' : 'waits';
      }
      last.set(key, { platform, name, since: before?.since ?? since, at: now, stored: now, storedAt: clock.elapsed() });
      try {
        await noteSilence(store, platform, accountId, now);
        await store.noteFeeds([pushReport({ platform, name, since, at: now })]);
      } catch (error) {
        // The next push looks again whether there was a silence before it.
        if (before === undefined) last.delete(key);
        else last.set(key, before);
        throw error;
      }
      return 'stored';
    },
    /** The reports that may be stored now. */
    due(): FeedReport[] {
      return waiting()
        .filter(isDue)
        .map((push) => {
          push.stored = push.at;
          push.storedAt = clock.elapsed();
          return pushReport(push);
        });
    },
    get anyWaits(): boolean {
      return waiting().length > 0;
    },
    of: (platform: Platform, accountId: string | undefined): FeedNow[] =>
      ['', ...(accountId === undefined ? [] : [accountId])].flatMap((name) => {
        const push = last.get(keyOf(platform, 'push', name));
        return push === undefined ? [] : [pushReport(push)];
      }),
  };
}

const pushReport = ({
  platform,
  name,
  since,
  at,
}: Pick<LastPush, 'platform' | 'name' | 'since' | 'at'>): FeedReport => ({
  platform,
  kind: 'push',
  name,
  since,
  state: 'live',
  reason: undefined,
  through: at,
  at,
});

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
