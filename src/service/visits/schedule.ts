/**
 * Visits the sources of accounts when they are due: one loop and one timer for all of them, some at a time, never two of one host, and
 * never so many of one account that others wait: it may have as many under way as there is room left. What is known of a source is in the
 * store, so that thousands of idle ones take no memory here.
 */
import { createWakeUp, type WakeUp } from '../../base/wake-up.ts';
import { shardOf } from '../../sources/kinds/account-source.ts';
import type { FetchOwner, SourceFetch } from '../../store/store.ts';
import type { Notify } from '../outlets/notify.ts';
import type { Log, Metrics } from '../telemetry.ts';
import { tellOwners } from './owner-notices.ts';
import { planNext } from './plan.ts';
import { activeOf, type RestDeps, rest } from './resting.ts';
import type { Shards } from './shards.ts';
import { type VisitDeps, visit } from './visit.ts';

export interface ScheduleDeps extends Omit<VisitDeps, 'signal' | 'confirm' | 'assertHeld'>, RestDeps {
  readonly log: Log;
  readonly shards: Shards;
  readonly notify: Notify;
  readonly metrics: Pick<Metrics, 'visited'>;
  readonly random: () => number;
}

export interface Schedule {
  wake(): void;
  /** Resolves when nothing is due and nothing is being visited. */
  idle(): Promise<void>;
  /** Visits until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/** Visits at a time, of which one account alone gets half. Most of one waits for its host. */
const VISITS_AT_ONCE = 64;
/** Other nodes add sources, too: this long at most until one of them is seen. */
const LOOK_EVERY_MS = 5_000;

interface UnderWay {
  readonly visiting: Promise<void>;
  /** The account whose room it takes. */
  readonly payer: string | undefined;
}

interface State extends ScheduleDeps {
  readonly wakeUp: WakeUp;
  /** Visits that are under way, by host. */
  readonly busy: Map<string, UnderWay>;
  /** Of others than these accounts nothing is due before a time. */
  quiet: { readonly full: string; readonly until: number } | undefined;
  /** Those who wait until nothing is due. */
  waiters: (() => void)[];
}

export function createSchedule(deps: ScheduleDeps): Schedule {
  const state: State = { ...deps, wakeUp: createWakeUp(deps.clock), busy: new Map(), quiet: undefined, waiters: [] };
  const { wakeUp } = state;
  const wake = () => {
    state.quiet = undefined;
    wakeUp.wake();
  };
  return {
    wake,
    idle: () =>
      new Promise((resolve) => {
        state.waiters.push(resolve);
        wakeUp.wake();
      }),
    async run(signal) {
      const keeping = deps.shards.run(signal, wake);
      while (!signal.aborted) await wakeUp.sleep(await look(state, signal), signal);
      await Promise.all([...state.busy.values()].map(({ visiting }) => visiting));
      await keeping;
      tellIdle(state);
    },
  };
}

/** Starts what is due. Answers the milliseconds until it is to be called again. */
async function look(state: State, signal: AbortSignal): Promise<number> {
  const { busy, log } = state;
  const hasWaiters = state.waiters.length > 0;
  const wait = await startDue(state, signal).catch((error: unknown) => {
    log.warn({ err: error }, 'the sources that are due could not be read; trying again');
    return LOOK_EVERY_MS;
  });
  if (busy.size === 0 && wait > 0 && hasWaiters) tellIdle(state);
  return busy.size < VISITS_AT_ONCE ? wait : LOOK_EVERY_MS;
}

async function startDue(state: State, signal: AbortSignal): Promise<number> {
  const { busy, shards, store, clock } = state;
  const room = VISITS_AT_ONCE - busy.size;
  const held = shards.held();
  if (room <= 0 || held.length === 0) return LOOK_EVERY_MS;
  const now = clock.now().getTime();
  const accounts = fullAccounts(busy);
  const full = accounts.join(' ');
  // What one account has waiting may be long: it is gone through once to see what others have, and not for every visit.
  if (accounts.length > 0 && state.quiet?.full === full && state.quiet.until > now) return state.quiet.until - now;
  const next = await store.nextFetches(held, { hosts: [...busy.keys()], accounts }, room);
  for (const fetch of next) {
    if (fetch.nextAt.getTime() > now || busy.has(fetch.host) || signal.aborted) continue;
    const owners = await store.fetchOwners(fetch.key);
    const payer = payerOf(busy, owners);
    // The next look is without its account.
    if (payer !== undefined && isFull(busy, payer)) return 0;
    start(state, { fetch, owners, payer }, signal);
  }
  const later = next.filter(({ nextAt }) => nextAt.getTime() > now).map(({ nextAt }) => nextAt.getTime() - now);
  const wait = next.length === room && later.length === 0 ? 0 : Math.min(LOOK_EVERY_MS, ...later);
  state.quiet = next.length === later.length ? { full, until: now + wait } : undefined;
  return wait;
}

const payersOf = (busy: State['busy']): string[] =>
  [...busy.values()].flatMap(({ payer }) => (payer === undefined ? [] : [payer]));

const countOf = (busy: State['busy'], accountId: string): number =>
  payersOf(busy).filter((payer) => payer === accountId).length;

const isFull = (busy: State['busy'], accountId: string): boolean =>
  countOf(busy, accountId) >= VISITS_AT_ONCE - busy.size;

const fullAccounts = (busy: State['busy']): string[] =>
  [...new Set(payersOf(busy))].filter((accountId) => isFull(busy, accountId)).toSorted();

/** Of those who have it, the one with the fewest visits under way. */
const payerOf = (busy: State['busy'], owners: readonly FetchOwner[]): string | undefined =>
  owners
    .map(({ accountId }) => accountId)
    .toSorted((one, other) => countOf(busy, one) - countOf(busy, other))
    .at(0);

interface Due {
  readonly fetch: SourceFetch;
  readonly owners: readonly FetchOwner[];
  readonly payer: string | undefined;
}

function start(state: State, { fetch, owners, payer }: Due, stopping: AbortSignal): void {
  const { busy, log, clock, wakeUp } = state;
  const visiting = visitNow(state, fetch, owners, stopping)
    .catch(async (error: unknown) => {
      if (stopping.aborted) return;
      log.warn({ fetch: fetch.key, err: error }, 'a visit to a source failed and is made again');
      // The host is not asked again and again while it is us who fail.
      await clock.sleep(LOOK_EVERY_MS, stopping);
    })
    .finally(() => {
      busy.delete(fetch.host);
      wakeUp.wake();
    });
  busy.set(fetch.host, { visiting, payer });
}

function tellIdle(state: State): void {
  const told = state.waiters;
  state.waiters = [];
  for (const resolve of told) resolve();
}

async function visitNow(
  deps: ScheduleDeps,
  fetch: SourceFetch,
  owners: readonly FetchOwner[],
  stopping: AbortSignal,
): Promise<void> {
  const { store, clock, shards, metrics } = deps;
  const shard = shardOf(fetch.host);
  const signal = AbortSignal.any([stopping, shards.signalOf(shard)]);
  const active = await activeOf(deps, owners);
  // A node that was frozen may have lost its hosts to another.
  await shards.confirm(shard);
  if (active.length === 0) {
    metrics.visited('waiting');
    return rest(deps, fetch);
  }
  const held = { confirm: () => shards.confirm(shard), assertHeld: () => shards.assertHeld(shard) };
  const visited = await visit({ ...deps, ...held, signal }, fetch, active);
  // What was cut short says nothing of the source.
  if (signal.aborted) return;
  const now = clock.now();
  const next = planNext(fetch, visited, now, deps.random);
  await shards.confirm(shard);
  const isNoted = await store.noteVisit({
    ...next,
    key: fetch.key,
    visits: fetch.visits,
    dueAt: fetch.nextAt,
    at: now,
    owners: active.map(({ sourceId, accountId }) => ({
      sourceId,
      accountId,
      events: visited.events.get(sourceId) ?? 0,
      bytes: visited.bytes,
    })),
  });
  if (!isNoted) return;
  metrics.visited(next.status);
  await tellOwners(deps, fetch, { ...fetch, ...next }, active, now);
}
