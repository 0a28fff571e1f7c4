/**
 * Watches rules for surges and silence. One process does it, under a lease: every minute it looks at the watched rules that
 * had matches, and at those that are due. What it finds is stored with the state that it was found in, in one transaction
 * that the lease's fence guards: another process goes on where this one stopped, tells nothing twice and forgets nothing.
 */
import type { Clock } from '../../base/clock.ts';
import { createWakeUp } from '../../base/wake-up.ts';
import type { Live } from '../../delivery/live/live.ts';
import type { Dispatcher } from '../../delivery/webhooks/dispatcher.ts';
import { StoreError } from '../../store/error.ts';
import { type HeldLease, type Holder, underLease } from '../../store/lease.ts';
import type { RulePlace, Store } from '../../store/store.ts';
import type { Log, Metrics } from '../telemetry.ts';
import { type FoundAlerts, lookAtDue, lookAtMatched, type SliceDeps } from './slices.ts';

const MINUTE = 60_000;
const LEASE = 'alerts';
/** A process that has just taken over looks back this far; what is older is due by itself. */
const BACK_MINUTES = 10;
/** Watches that one step reads and stores, and the pause between two steps. */
const MATCHED_SLICE = 200;
const DUE_SLICE = 50;
const PAUSE_MS = 5;
/** Watches are counted up to this. */
const MOST_COUNTED = 1_000_000;

export interface WatcherDeps extends SliceDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'alert'>;
  readonly holder: Holder;
  readonly live: Pick<Live, 'alert'>;
  readonly dispatcher: Pick<Dispatcher, 'changed'>;
}

export interface Watcher {
  /** Until the signal aborts. It never rejects. */
  run(signal: AbortSignal): Promise<void>;
  /** A rule is watched from now on. */
  wake(): void;
  /** As of the last round of this process; undefined when another one watches. */
  readonly figures: { readonly watches: number; readonly lateMs: number } | undefined;
}

/** The state that one round leaves for the next. */
interface RoundState {
  /** The last minute whose matches were looked at. */
  minute: number;
  /** The newest match then. */
  latest: number;
}

export function createWatcher(deps: WatcherDeps): Watcher {
  const { store, clock, log } = deps;
  const wakeUp = createWakeUp(clock);
  let figures: Watcher['figures'];

  async function watch(held: HeldLease, signal: AbortSignal): Promise<void> {
    const state: RoundState = { minute: 0, latest: -1 };
    while (!signal.aborted) {
      try {
        await held.confirm();
        await lookRound(deps, held, state, signal);
        figures = await figuresOf(deps);
        if (figures.watches === 0) return;
      } catch (error) {
        if (error instanceof StoreError && error.reason === 'fenced') return;
        log.warn({ err: error }, 'Watched rules cannot be looked at. Retrying in a minute.');
      }
      await wakeUp.sleep(MINUTE, signal);
    }
  }

  return {
    async run(signal) {
      while (!signal.aborted) {
        // A lease is renewed all the time: it is taken only where something is watched.
        const isNeeded = (await store.watchAgenda(1).catch(() => undefined))?.watches === 1;
        if (isNeeded) await underLease(deps, LEASE, signal, watch);
        figures = undefined;
        // Other processes that share the store change rules too, and none of them says so.
        await wakeUp.sleep(store.isShared ? MINUTE : Number.POSITIVE_INFINITY, signal);
      }
    },
    wake: wakeUp.wake,
    get figures() {
      return figures;
    },
  };
}

async function figuresOf({ store, clock }: WatcherDeps): Promise<NonNullable<Watcher['figures']>> {
  const { watches, firstDue } = await store.watchAgenda(MOST_COUNTED);
  const late = firstDue === undefined ? 0 : clock.now().getTime() - firstDue.getTime();
  return { watches, lateMs: Math.max(0, late) };
}

async function lookRound(deps: WatcherDeps, held: HeldLease, state: RoundState, signal: AbortSignal): Promise<void> {
  const { store, clock } = deps;
  const minute = Math.floor(clock.now().getTime() / MINUTE);
  const { latest } = await store.news();
  if (latest !== state.latest)
    for (let one = Math.max(state.minute, minute - BACK_MINUTES); one <= minute && !signal.aborted; one++)
      await lookMinute(deps, held, one, signal);
  if (signal.aborted) return;
  Object.assign(state, { minute, latest });
  for (let isMore = true; isMore && !signal.aborted; ) isMore = await lookDue(deps, held, signal);
}

/** The watched rules that had a match in this minute. */
async function lookMinute(deps: WatcherDeps, held: HeldLease, minute: number, signal: AbortSignal): Promise<void> {
  const { store, clock } = deps;
  for (let after: RulePlace | undefined; !signal.aborted; ) {
    const { watched, last } = await store.watchedIn(minute, after, MATCHED_SLICE);
    if (watched.length > 0) {
      const at = clock.now().getTime();
      const watches = await store.watchesOf(watched, Math.floor(at / MINUTE));
      await keep(deps, held, await lookAtMatched(deps, watches, minute, at));
    }
    if (last === undefined) return;
    after = last;
    await clock.sleep(PAUSE_MS, signal);
  }
}

/** A slice of those that are due; false when there was none. */
async function lookDue(deps: WatcherDeps, held: HeldLease, signal: AbortSignal): Promise<boolean> {
  const { store, clock } = deps;
  const now = clock.now();
  const watches = await store.dueWatches(now, Math.floor(now.getTime() / MINUTE), DUE_SLICE);
  if (watches.length === 0) return false;
  await keep(deps, held, await lookAtDue(deps, watches, now.getTime()));
  await clock.sleep(PAUSE_MS, signal);
  return true;
}

/** Stores what was found, then tells of it: subscribers of other nodes hear of it through the log of the store. */
async function keep({ store, metrics, live, dispatcher }: WatcherDeps, held: HeldLease, found: readonly FoundAlerts[]) {
  if (found.length === 0) return;
  const kept = new Set(
    await store.keepWatches(
      held.lease,
      found.map(({ change }) => change),
    ),
  );
  for (const { change, alerts, begun } of found) {
    const told = alerts.filter(({ id }) => kept.has(id));
    if (told.length === 0) continue;
    for (const { webhookId } of change.deliveries) dispatcher.changed(webhookId);
    for (const { platform, kind } of begun) metrics.alert(platform, kind);
    if (!store.isShared) for (const alert of told) live.alert(alert);
  }
}
