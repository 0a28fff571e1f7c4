/**
 * Visits the sources of accounts when they are due: one loop and one timer for all of them, some at a time, never two of one host, and
 * never so many of one account that others wait: it may have as many under way as there is room left. What is known of a source is in the
 * store, so that thousands of idle ones take no memory here.
 */
import { createLru, type Lru } from '../../base/lru.ts';
import { createWakeUp, type WakeUp } from '../../base/wake-up.ts';
import { shardOf } from '../../sources/kinds/account-source.ts';
import { loadLanguages } from '../../sources/text/language.ts';
import type { Shards } from '../../store/shards.ts';
import type { FetchOwner, SourceFetch, SourceVisit, VisitedOwner } from '../../store/store.ts';
import type { Notify } from '../outlets/notify.ts';
import type { Log, Metrics } from '../telemetry.ts';
import { createHostTurns, type HostTurns } from './host-turns.ts';
import { ownerGaps, tellOwners } from './owner-notices.ts';
import { type PartsBefore, planPart, wholeOutcome } from './parts.ts';
import { planNext } from './plan.ts';
import {
  countedOwners,
  NOTHING_USED,
  type RestDeps,
  restOf,
  type SortedOwners,
  sortOwners,
  waitsOf,
} from './resting.ts';
import { type VisitDeps, type VisitOutcome, visit } from './visit.ts';
import { createVisitNotes, type NoteVisit } from './visit-notes.ts';

export interface ScheduleDeps
  extends Omit<VisitDeps, 'signal' | 'confirm' | 'assertHeld' | 'from' | 'isSpent'>,
    RestDeps {
  readonly log: Log;
  readonly shards: Shards;
  readonly notify: Notify;
  readonly metrics: Pick<Metrics, 'visited'>;
  readonly random: () => number;
}

/** A source that was added or changed, and may be due since then. */
export interface ChangedSource {
  readonly accountId: string;
  readonly host: string;
}

export interface Schedule {
  /** Without a change, anything may be due. */
  wake(changed?: ChangedSource): void;
  /** Resolves when nothing is due and nothing is being visited. */
  idle(): Promise<void>;
  /** Visits until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/** Visits at a time, of which one account alone gets half. Most of one waits for its host. */
const VISITS_AT_ONCE = 64;
/** Other nodes add sources, too: this long at most until one of them is seen. */
const LOOK_EVERY_MS = 5_000;
/** Due sources are read so many at a time, and kept until there is room for them. */
const DUE_READ = 256;
/** Visits that go on; one that is forgotten begins with its first address. */
const PARTS_KEPT = 10_000;

interface State extends ScheduleDeps {
  readonly wakeUp: WakeUp;
  /** Visits that are under way, by host. */
  readonly busy: Map<string, Promise<void>>;
  /** How many of them are for an account. */
  readonly payers: Map<string, number>;
  /** Sources that were due when they were read, and were not begun. */
  due: SourceFetch[];
  readAt: number;
  /** Accounts other than these have nothing due before a time. */
  quiet: { readonly full: readonly string[]; readonly until: number } | undefined;
  readonly note: NoteVisit;
  readonly turns: HostTurns;
  /** Visits that go on, by the key of the fetch. */
  readonly parts: Lru<string, PartsBefore>;
  /** Callers that wait until nothing is due. */
  waiters: (() => void)[];
}

export function createSchedule(deps: ScheduleDeps): Schedule {
  const state: State = {
    ...deps,
    wakeUp: createWakeUp(deps.clock),
    busy: new Map(),
    payers: new Map(),
    due: [],
    readAt: 0,
    quiet: undefined,
    note: createVisitNotes(deps.store),
    turns: createHostTurns(deps),
    parts: createLru({ limit: PARTS_KEPT }),
    waiters: [],
  };
  const { wakeUp } = state;
  const wake = (changed?: ChangedSource) => {
    // When an account adds thousands of sources, each of them would otherwise read again what waits before it.
    if (changed === undefined || state.quiet?.full.includes(changed.accountId) === false) state.quiet = undefined;
    state.due = changed === undefined ? [] : state.due.filter(({ host }) => host !== changed.host);
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
      const keeping = deps.shards.run(signal, () => wake());
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

/** The facts that one look at the sources goes by. */
interface Look {
  readonly held: readonly number[];
  /** Accounts that have enough visits under way. */
  readonly accounts: readonly string[];
  readonly now: number;
}

async function startDue(state: State, signal: AbortSignal): Promise<number> {
  const { busy, shards, clock } = state;
  const held = shards.held();
  const room = VISITS_AT_ONCE - busy.size;
  if (room <= 0 || held.length === 0) return LOOK_EVERY_MS;
  const now = clock.now().getTime();
  const accounts = fullAccounts(state);
  if (accounts.length > 0) return startOthers(state, { accounts, held, now }, signal);
  if (state.due.length === 0 || clock.elapsed() - state.readAt > LOOK_EVERY_MS) {
    const read = await nextOf(state, { accounts, held, now }, DUE_READ);
    state.due = read.filter(({ nextAt }) => nextAt.getTime() <= now);
    state.readAt = clock.elapsed();
    if (state.due.length === 0) return untilNext(read, now);
    await loadLanguages();
  }
  const due = state.due.length;
  const left = await begin(state, state.due, { accounts, held, now }, signal);
  // With room for more, what is left waits for its hosts, and the next look is for other hosts.
  const hasRoom = busy.size < VISITS_AT_ONCE && fullAccounts(state).length === 0;
  state.due = hasRoom ? [] : left;
  return left.length < due ? 0 : LOOK_EVERY_MS;
}

/**
 * Starts what is due of accounts that have room. What the full ones have waiting may be long: it is gone through once to see what others
 * have, and not for every visit.
 */
async function startOthers(state: State, seen: Look, signal: AbortSignal): Promise<number> {
  const { busy, quiet } = state;
  const { accounts, now } = seen;
  if (quiet?.full.join() === accounts.join() && quiet.until > now) return quiet.until - now;
  const read = await nextOf(state, seen, VISITS_AT_ONCE - busy.size);
  const due = read.filter(({ nextAt }) => nextAt.getTime() <= now);
  if (due.length > 0) {
    const left = await begin(state, due, seen, signal);
    return left.length < due.length ? 0 : LOOK_EVERY_MS;
  }
  const wait = untilNext(read, now);
  state.quiet = { full: accounts, until: now + wait };
  return wait;
}

const nextOf = ({ store, busy }: State, { accounts, held, now }: Look, most: number): Promise<SourceFetch[]> =>
  store.nextFetches(held, { hosts: [...busy.keys()], accounts }, { by: new Date(now), most });

const untilNext = (read: readonly SourceFetch[], now: number): number =>
  Math.min(LOOK_EVERY_MS, ...read.slice(0, 1).map(({ nextAt }) => nextAt.getTime() - now));

/** Starts these one after another until an account or all together have enough under way. Answers those that were not started. */
async function begin(
  state: State,
  due: readonly SourceFetch[],
  { held, accounts }: Look,
  signal: AbortSignal,
): Promise<SourceFetch[]> {
  const { busy } = state;
  const left: SourceFetch[] = [];
  /** One that came before its place in the list is not visited a second time. */
  const started = new Set<string>();
  const isLeft = ({ key }: SourceFetch): boolean => !started.has(key);
  const isEnough = () => fullAccounts(state).some((accountId) => !accounts.includes(accountId));
  for (const [at, fetch] of due.entries()) {
    if (busy.size >= VISITS_AT_ONCE || isEnough()) return [...left, ...due.slice(at)].filter(isLeft);
    if (signal.aborted || !held.includes(shardOf(fetch.host))) continue;
    if (busy.has(fetch.host)) left.push(fetch);
    else {
      const turn = await turnOf(state, fetch);
      started.add(turn.fetch.key);
      start(state, turn, signal);
    }
  }
  return left.filter(isLeft);
}

/** The visit that comes first at the host of this one. */
async function turnOf(state: State, due: SourceFetch): Promise<Due> {
  const { store, turns, busy } = state;
  const owners = await store.fetchOwners(due.key);
  const payer = payerOf(state, owners);
  const fetch = await turns.next(due, payer, [...busy.keys()]);
  if (fetch === due) return { fetch, owners, payer };
  const others = await store.fetchOwners(fetch.key);
  return { fetch, owners: others, payer: payerOf(state, others) };
}

const countOf = ({ payers }: State, accountId: string): number => payers.get(accountId) ?? 0;

const fullAccounts = ({ payers, busy }: State): string[] =>
  [...payers].flatMap(([accountId, count]) => (count >= VISITS_AT_ONCE - busy.size ? [accountId] : [])).toSorted();

/** Chooses the owner with the fewest visits under way. */
const payerOf = (state: State, owners: readonly FetchOwner[]): string | undefined =>
  owners
    .map(({ accountId }) => accountId)
    .toSorted((one, other) => countOf(state, one) - countOf(state, other))
    .at(0);

function countPayer({ payers }: State, payer: string | undefined, more: number): void {
  if (payer === undefined) return;
  const count = (payers.get(payer) ?? 0) + more;
  if (count > 0) payers.set(payer, count);
  else payers.delete(payer);
}

interface Due {
  readonly fetch: SourceFetch;
  readonly owners: readonly FetchOwner[];
  /** The account whose room it takes. */
  readonly payer: string | undefined;
}

function start(state: State, { fetch, owners, payer }: Due, stopping: AbortSignal): void {
  const { busy, log, clock, wakeUp, turns } = state;
  const visiting = visitNow(state, fetch, owners, stopping)
    .catch(async (error: unknown) => {
      if (stopping.aborted) return;
      log.warn({ fetch: fetch.key, err: error }, 'a visit to a source failed and is made again');
      // The host is not asked again and again while it is us who fail.
      await clock.sleep(LOOK_EVERY_MS, stopping);
    })
    .finally(() => {
      busy.delete(fetch.host);
      turns.had(fetch.host, payer);
      countPayer(state, payer, -1);
      wakeUp.wake();
    });
  busy.set(fetch.host, visiting);
  countPayer(state, payer, 1);
  // It may have been read for another look, too.
  state.due = state.due.filter(({ key }) => key !== fetch.key);
}

function tellIdle(state: State): void {
  const told = state.waiters;
  state.waiters = [];
  for (const resolve of told) resolve();
}

async function visitNow(
  state: State,
  fetch: SourceFetch,
  owners: readonly FetchOwner[],
  stopping: AbortSignal,
): Promise<void> {
  const { clock, shards, parts } = state;
  const shard = shardOf(fetch.host);
  const signal = AbortSignal.any([stopping, shards.signalOf(shard)]);
  const sorted = await sortOwners(state, owners);
  // A node that was frozen may have lost its hosts to another.
  await shards.confirm(shard);
  if (sorted.active.length === 0) return conclude(state, fetch, sorted, restOf(fetch, sorted.resting, clock.now()));
  const held = { confirm: () => shards.confirm(shard), assertHeld: () => shards.assertHeld(shard) };
  const before = parts.get(fetch.key);
  const from = before?.next ?? 0;
  const { isSpent } = sorted;
  const visited = await visit({ ...state, ...held, signal, from, isSpent }, fetch, sorted.active);
  // A visit that was cut short says nothing of the source.
  if (signal.aborted) return;
  await shards.confirm(shard);
  const now = clock.now();
  const counted = countedOwners(sorted.active, visited.unread, (before ?? fetch).visitedAt, now);
  await conclude(state, fetch, sorted, {
    ...planAfter(state, fetch, visited, now),
    key: fetch.key,
    visits: fetch.visits,
    dueAt: fetch.nextAt,
    at: now,
    owners: sorted.active.map((owner) => ({
      sourceId: owner.sourceId,
      accountId: owner.accountId,
      events: visited.events.get(owner.sourceId) ?? 0,
      isUnread: visited.unread.has(owner.sourceId),
      ...(counted.has(owner) ? visited.useOf(owner.sourceId) : NOTHING_USED),
    })),
  });
}

/** After a part, when the next is due; after the last, what all of them have found. */
function planAfter({ parts, random }: State, fetch: SourceFetch, visited: VisitOutcome, now: Date) {
  const before = parts.get(fetch.key);
  const { visitedAt } = before ?? fetch;
  const whole = wholeOutcome(visited, before);
  if (visited.next === undefined) {
    parts.delete(fetch.key);
    return planNext({ ...fetch, visitedAt }, whole, now, random);
  }
  const { problem, hasAnswered, events } = whole;
  parts.set(fetch.key, { next: visited.next, problem, hasAnswered, events, visitedAt });
  return planPart(fetch, now);
}

/** Writes down what a visit found, with the gaps that it leaves or ends, and tells its owners. */
async function conclude(
  { store, metrics, note, notify }: State,
  fetch: SourceFetch,
  { active, resting }: SortedOwners,
  visited: SourceVisit,
): Promise<void> {
  const { at } = visited;
  const waiting = waitsOf(fetch, resting, at);
  const unread = new Set(visited.owners.filter(({ isUnread }) => isUnread).map(({ sourceId }) => sourceId));
  const served = active.filter(({ sourceId }) => !unread.has(sourceId));
  const isNoted = await note({
    ...visited,
    owners: notedOwners(visited.owners, active),
    waiting: waiting.map(({ owner, ...wait }) => ({ ...wait, sourceId: owner.sourceId })),
    gaps: ownerGaps(fetch, visited, { active, served, waiting }, at),
  });
  if (!isNoted) return;
  metrics.visited(visited.status);
  await tellOwners({ store, notify }, fetch, { ...fetch, ...visited }, active, at);
}

/** A visit that served nobody, as each that fails, changes nothing of the owners for whom it does not count; there may be thousands. */
const notedOwners = (owners: readonly VisitedOwner[], active: readonly FetchOwner[]): readonly VisitedOwner[] =>
  owners.every(({ isUnread }) => isUnread === true)
    ? owners.filter(({ fetches, bytes }, at) => fetches + bytes > 0 || active[at]!.waitsSince !== undefined)
    : owners;
