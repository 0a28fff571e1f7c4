/**
 * Visits the sources of accounts when they are due: one loop and one timer for all of them, some at a time, never two of one host. What
 * is known of a source is in the store, so that thousands of idle ones take no memory here.
 */
import { createWakeUp, type WakeUp } from '../../base/wake-up.ts';
import { shardOf } from '../../sources/kinds/account-source.ts';
import type { SourceFetch } from '../../store/store.ts';
import type { Notify } from '../outlets/notify.ts';
import type { Log } from '../telemetry.ts';
import { tellOwners } from './owner-notices.ts';
import { planNext } from './plan.ts';
import { activeOf, type RestDeps, rest } from './resting.ts';
import type { Shards } from './shards.ts';
import { type VisitDeps, visit } from './visit.ts';

export interface ScheduleDeps extends Omit<VisitDeps, 'signal' | 'confirm'>, RestDeps {
  readonly log: Log;
  readonly shards: Shards;
  readonly notify: Notify;
  readonly random: () => number;
}

export interface Schedule {
  wake(): void;
  /** Resolves when nothing is due and nothing is being visited. */
  idle(): Promise<void>;
  /** Visits until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/** Visits at a time. Most of one waits for its host. */
const VISITS_AT_ONCE = 32;
/** Other nodes add sources, too: this long at most until one of them is seen. */
const LOOK_EVERY_MS = 5_000;

interface State extends ScheduleDeps {
  readonly wakeUp: WakeUp;
  /** Visits that are under way, by host. */
  readonly busy: Map<string, Promise<void>>;
  /** Those who wait until nothing is due. */
  waiters: (() => void)[];
}

export function createSchedule(deps: ScheduleDeps): Schedule {
  const state: State = { ...deps, wakeUp: createWakeUp(deps.clock), busy: new Map(), waiters: [] };
  const { wakeUp } = state;
  return {
    wake: () => wakeUp.wake(),
    idle: () =>
      new Promise((resolve) => {
        state.waiters.push(resolve);
        wakeUp.wake();
      }),
    async run(signal) {
      const keeping = deps.shards.run(signal, () => wakeUp.wake());
      while (!signal.aborted) await wakeUp.sleep(await look(state, signal), signal);
      await Promise.all(state.busy.values());
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
  const next = await store.nextFetches(held, [...busy.keys()], room);
  const now = clock.now().getTime();
  for (const fetch of next)
    if (fetch.nextAt.getTime() <= now && !busy.has(fetch.host) && !signal.aborted) start(state, fetch, signal);
  const later = next.filter(({ nextAt }) => nextAt.getTime() > now).map(({ nextAt }) => nextAt.getTime() - now);
  return next.length === room && later.length === 0 ? 0 : Math.min(LOOK_EVERY_MS, ...later);
}

function start(state: State, fetch: SourceFetch, stopping: AbortSignal): void {
  const { busy, log, wakeUp } = state;
  const visiting = visitNow(state, fetch, stopping)
    .catch((error: unknown) => {
      if (!stopping.aborted) log.warn({ fetch: fetch.key, err: error }, 'a visit to a source failed and is made again');
    })
    .finally(() => {
      busy.delete(fetch.host);
      wakeUp.wake();
    });
  busy.set(fetch.host, visiting);
}

function tellIdle(state: State): void {
  const told = state.waiters;
  state.waiters = [];
  for (const resolve of told) resolve();
}

async function visitNow(deps: ScheduleDeps, fetch: SourceFetch, stopping: AbortSignal): Promise<void> {
  const { store, clock, shards } = deps;
  const shard = shardOf(fetch.host);
  const signal = AbortSignal.any([stopping, shards.signalOf(shard)]);
  const owners = await store.fetchOwners(fetch.key);
  const active = await activeOf(deps, owners);
  if (active.length === 0) return rest(deps, fetch);
  const visited = await visit({ ...deps, signal, confirm: () => shards.confirm(shard) }, fetch, active);
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
  if (isNoted) await tellOwners(deps, fetch, { ...fetch, ...next }, active, now);
}
