/**
 * Wakes requests that wait for matches. A request opens its watch before it reads the store, so the watch remembers a match
 * that arrives between the read and the wait.
 */
import type { Clock } from '../../base/clock.ts';
import { createWakeUp, type WakeUp } from '../../base/wake-up.ts';
import type { Store } from '../../store/store.ts';
import type { CommitNotice } from '../ingest/group-commit.ts';

/** Another process may have revoked the key or token of a request that waits, so the request looks this often. */
const LOOK_EVERY_MS = 5_000;
/** Looks a second, about, of the requests of an account that follow rules: there may be a hundred thousand, and each is several reads. */
const LOOKS_A_SECOND = 50;
const SELDOM_MS = 60_000;

/** Another process may write to the same store without notifying this one, so waiting requests poll this often. */
const ASK_EVERY_MS = 1_000;

export interface MatchSignals {
  /** Watches one rule, or all rules of the account. Close it with `using`. */
  watch(accountId: string, ruleId?: string): Watch;
  /** Watches one rule for a request that has a watch already, and counts once. */
  watchRule(accountId: string, ruleId: string): Watch;
  /**
   * One read of the store for all callers that ask the same at the same time; one match may wake hundreds of them. A
   * caller that asks after the next commit reads again, so no answer is older than the match that woke its caller.
   */
  once<T>(question: string, look: () => Promise<T>): Promise<T>;
  /** This process stored a commit. */
  committed(commit: Pick<CommitNotice, 'latest' | 'ruleIds' | 'accountIds'>): void;
  /** Another node stored matches of these accounts, or, if unknown, of any account. */
  committedElsewhere(accountIds: readonly string[] | undefined): void;
  /** A wake of the account was acknowledged: its agent may have the next one. Without rules it was of all of them. */
  acknowledged(accountId: string, ruleIds?: readonly string[]): void;
  /** How many requests wait now. */
  readonly watching: number;
  /** How many requests of an account wait now. */
  countOf(accountId: string): number;
}

export interface Watch extends Disposable {
  /** Resolves when a match has arrived since the last call, when the signal aborts, and every five seconds: for one of many rules, every minute. */
  next(signal: AbortSignal): Promise<void>;
}

/** The requests of an account that wait. */
interface Waiting {
  readonly watchers: Set<Watcher>;
  /** Requests that have two watches count once. */
  counted: number;
}

interface Watcher {
  readonly ruleId: string | undefined;
  readonly wakeUp: WakeUp;
}

interface Deps {
  readonly store: Pick<Store, 'latest'>;
  readonly clock: Clock;
  /** Ends the polling when the service stops. */
  readonly signal: AbortSignal;
}

export function createMatchSignals({ store, clock, signal }: Deps): MatchSignals {
  /** By account: a commit concerns few of them. */
  const accounts = new Map<string, Waiting>();
  let looks = new Map<string, Promise<unknown>>();
  let latest = 0;
  let isAsking = false;

  function wake(accountIds: Iterable<string>, isConcerned: (ruleId: string) => boolean = () => true): void {
    looks = new Map();
    for (const accountId of accountIds)
      for (const { ruleId, wakeUp } of accounts.get(accountId)?.watchers ?? [])
        if (ruleId === undefined || isConcerned(ruleId)) wakeUp.wake();
  }

  async function askStore(): Promise<void> {
    isAsking = true;
    while (accounts.size > 0 && !signal.aborted) {
      // If the store fails here, the next poll asks again. Waiting requests see the failure when they read.
      const position = await store.latest().catch(() => latest);
      if (position > latest) wake(accounts.keys());
      latest = Math.max(latest, position);
      await clock.sleep(ASK_EVERY_MS, signal);
    }
    isAsking = false;
  }

  function open(accountId: string, ruleId: string | undefined, counted: 0 | 1): Watch {
    const watcher: Watcher = { ruleId, wakeUp: createWakeUp(clock) };
    const waiting = accounts.get(accountId) ?? { watchers: new Set(), counted: 0 };
    accounts.set(accountId, waiting);
    waiting.watchers.add(watcher);
    waiting.counted += counted;
    if (!isAsking) void askStore();
    return {
      next: (ended) =>
        watcher.wakeUp.sleep(counted === 1 ? LOOK_EVERY_MS : followedEvery(waiting.watchers.size), ended),
      [Symbol.dispose]() {
        if (!waiting.watchers.delete(watcher)) return;
        waiting.counted -= counted;
        if (waiting.watchers.size === 0) accounts.delete(accountId);
      },
    };
  }

  return {
    watch: (accountId, ruleId) => open(accountId, ruleId, 1),
    watchRule: (accountId, ruleId) => open(accountId, ruleId, 0),
    once: (question, look) => sharedLook(looks, question, look),
    committed(commit) {
      latest = Math.max(latest, commit.latest);
      wake(new Set(commit.accountIds), (ruleId) => commit.ruleIds.has(ruleId));
    },
    committedElsewhere: (accountIds) => wake(accountIds ?? accounts.keys()),
    acknowledged: (accountId, ruleIds) => wake([accountId], (ruleId) => ruleIds?.includes(ruleId) !== false),
    get watching() {
      return [...accounts.values()].reduce((sum, { watchers }) => sum + watchers.size, 0);
    },
    countOf: (accountId) => accounts.get(accountId)?.counted ?? 0,
  };
}

/** Whether the request may go on is looked at beside this. */
const followedEvery = (watchers: number): number =>
  Math.min(Math.max(LOOK_EVERY_MS, (watchers * 1_000) / LOOKS_A_SECOND), SELDOM_MS);

function sharedLook<T>(looks: Map<string, Promise<unknown>>, question: string, look: () => Promise<T>): Promise<T> {
  const known = looks.get(question) as Promise<T> | undefined;
  if (known !== undefined) return known;
  const looking = look().finally(() => looks.delete(question));
  looks.set(question, looking);
  return looking;
}
