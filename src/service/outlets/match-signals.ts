/**
 * News of stored matches, for whoever waits for some. A watch is opened before its owner looks at the store and
 * remembers what came since, so that a match between the look and the wait is never missed.
 */
import type { Clock } from '../../base/clock.ts';
import type { Store } from '../../store/store.ts';
import type { CommitNotice } from '../ingest/group-commit.ts';
import type { Ingest } from '../ingest/ingest.ts';

/** Another process on the same store tells us nothing: while somebody waits, the store is asked this often. */
const ASK_EVERY_MS = 1_000;

export interface MatchNews {
  /** Of one rule, or of all rules of the account. Close it with `using`. */
  watch(accountId: string, ruleId?: string): Watch;
  /**
   * One look for all who ask the same at the same time, as hundreds do when one match wakes them. Whoever comes after
   * the next commit looks anew, so nobody is given an answer older than what woke them.
   */
  shared<T>(question: string, look: () => Promise<T>): Promise<T>;
  /** Another node stored matches of these accounts, or of any where it is not known which. */
  heard(accountIds: readonly string[] | undefined): void;
  /** How many wait at the moment. */
  readonly watching: number;
}

export interface Watch extends Disposable {
  /** Forgets what came until now: the owner is about to look. */
  reset(): void;
  /** Resolves when something came since the reset, or the signal aborts. */
  news(signal: AbortSignal): Promise<void>;
}

interface Watcher {
  readonly accountId: string;
  readonly ruleId: string | undefined;
  hasNews: boolean;
  wake: (() => void) | undefined;
}

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly ingest: Pick<Ingest, 'onCommit'>;
  /** Ends the asking when the service stops. */
  readonly signal: AbortSignal;
}

export function createMatchNews({ store, clock, ingest, signal }: Deps): MatchNews {
  const watchers = new Set<Watcher>();
  let looks = new Map<string, Promise<unknown>>();
  let latest = 0;
  let isAsking = false;

  function tell(watcher: Watcher): void {
    watcher.hasNews = true;
    watcher.wake?.();
  }

  function onCommit({ latest: position, ruleIds, accountIds }: CommitNotice): void {
    latest = Math.max(latest, position);
    looks = new Map();
    if (accountIds.length === 0) return;
    for (const watcher of watchers) {
      if (!accountIds.includes(watcher.accountId)) continue;
      if (watcher.ruleId === undefined || ruleIds.has(watcher.ruleId)) tell(watcher);
    }
  }

  async function ask(): Promise<void> {
    isAsking = true;
    while (watchers.size > 0 && !signal.aborted) {
      // A store that fails now is asked again; whoever reads it hears of the failure themselves.
      const position = await store.latest().catch(() => latest);
      if (position > latest) {
        latest = position;
        looks = new Map();
        for (const watcher of watchers) tell(watcher);
      }
      await clock.sleep(ASK_EVERY_MS, signal);
    }
    isAsking = false;
  }

  ingest.onCommit(onCommit);
  return {
    watch(accountId, ruleId) {
      const watcher: Watcher = { accountId, ruleId, hasNews: false, wake: undefined };
      watchers.add(watcher);
      if (!isAsking) void ask();
      return {
        reset() {
          watcher.hasNews = false;
        },
        news: (given) => wakeOf(watcher, given),
        [Symbol.dispose]: () => void watchers.delete(watcher),
      };
    },
    shared<T>(question: string, look: () => Promise<T>): Promise<T> {
      const among = looks;
      const known = among.get(question) as Promise<T> | undefined;
      if (known !== undefined) return known;
      const looking = look().finally(() => among.delete(question));
      among.set(question, looking);
      return looking;
    },
    heard(accountIds) {
      looks = new Map();
      for (const watcher of watchers) {
        if (accountIds === undefined || accountIds.includes(watcher.accountId)) tell(watcher);
      }
    },
    get watching() {
      return watchers.size;
    },
  };
}

const wakeOf = (watcher: Watcher, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (watcher.hasNews || signal.aborted) return resolve();
    const done = () => {
      watcher.wake = undefined;
      signal.removeEventListener('abort', done);
      resolve();
    };
    watcher.wake = done;
    signal.addEventListener('abort', done, { once: true });
  });
