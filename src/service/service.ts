/**
 * The service: operations over a context, and the loops behind them. `start` repairs what a crash left, brings the rules
 * into the engines and starts the loops, in the order of `lifetimesOf`; `close` stops them in the opposite order, and
 * stores what waits.
 */
import type { Role } from '../domain/role.ts';
import type { Rule } from '../domain/rule.ts';
import { noticeOf } from '../store/nouns/nodes.ts';
import { loadRules } from './cluster/load-rules.ts';
import type { Context } from './context.ts';
import { matchPack } from './ingest/ingest-by-broker.ts';
import type { ServiceParts } from './parts/ground.ts';
import { createParts, type Parts } from './parts/parts.ts';

export interface Service extends AsyncDisposable {
  readonly context: Context;
  /** Resolves when every stored rule is matched. Requests are answered meanwhile; pushes wait. */
  start(): Promise<void>;
  /** Stores what waits, and stops. The store stays open: its opener closes it. */
  close(): Promise<void>;
}

/** The lifetime of a part of the service, from the start to the end. */
interface Lifetime {
  /** Resolves when what comes after it may start. It is called again when the store was away. */
  readonly start?: (leaving: AbortSignal) => unknown;
  /** Goes on until the service is about to leave: other nodes count on it before. */
  readonly serve?: (leaving: AbortSignal) => Promise<void>;
  /** Goes on until the signal aborts. It never rejects. */
  readonly run?: (stopping: AbortSignal) => Promise<unknown>;
  readonly stop?: () => unknown;
}

export function createService(given: ServiceParts): Service {
  const parts = createParts(given);
  const { context, stopping, startRetry } = parts;
  const lifetimes = lifetimesOf(parts);
  const leaving = new AbortController();
  const serving: Promise<void>[] = [];
  const running = new Map<Lifetime, Promise<unknown>>();
  let starting: Promise<void> = Promise.resolve();
  actOnCommits(parts);

  async function begin(): Promise<void> {
    for (const lifetime of lifetimes) {
      const { start, serve, run } = lifetime;
      if (start !== undefined) await startRetry.retry(async () => start(leaving.signal), leaving.signal);
      if (serve !== undefined) serving.push(serve(leaving.signal));
      if (run !== undefined) running.set(lifetime, run(stopping.signal));
    }
  }

  async function close(): Promise<void> {
    leaving.abort();
    // A start that is under way ends first: it uses the store, and it starts what is stopped below.
    await starting.catch(() => {});
    await Promise.all(serving);
    stopping.abort();
    for (const lifetime of lifetimes.toReversed()) {
      await running.get(lifetime);
      await lifetime.stop?.();
    }
  }

  return {
    context,
    start() {
      starting = begin();
      return starting;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Each part starts when those before it have started, and stops when those after it have stopped. */
function lifetimesOf(parts: Parts): Lifetime[] {
  const { given, roles, hasRules, matching, ingest, here, outlets, noticeEvents, headNotices, context } = parts;
  const { feeds, budgets, suspensions, quotas, accountUses, upstreams, follower } = parts;
  const { registrations, watcher, rehearsals, visits, judge, drain, chargeLogged } = parts;
  const { broker, snapshots } = given;
  const only = (role: Role, lifetime: Lifetime): Lifetime => (roles.includes(role) ? lifetime : {});
  return [
    { stop: () => matching.ahead.close() },
    { stop: () => ingest.close() },
    { ...only('delivery', { start: () => outlets.dispatcher.start() }), stop: () => outlets.dispatcher.stop() },
    { stop: () => outlets.live.close() },
    { run: (signal) => feeds.run(signal) },
    only('delivery', { run: (signal) => noticeEvents.run(signal) }),
    only('delivery', { run: (signal) => headNotices.run(signal) }),
    { start: () => budgets.open(), run: (signal) => budgets.run(signal) },
    { start: () => suspensions.open() },
    { start: () => quotas.open(), run: (signal) => quotas.run(signal) },
    { run: (signal) => accountUses.run(signal) },
    only('api', { run: (signal) => chargeLogged(signal) }),
    only('connector', { run: (signal) => upstreams.run(signal) }),
    { start: () => follower.begin(), run: (signal) => follower.run(signal) },
    { start: (leaving) => (hasRules ? loadRules(context, snapshots, leaving) : matching.load(noRules())) },
    ...(snapshots !== undefined && hasRules ? [{ run: (signal: AbortSignal) => snapshots.run(matching, signal) }] : []),
    ...(broker === undefined ? [] : [only('matcher', { serve: (leaving) => broker.serve(matchPack(here), leaving) })]),
    ...(drain === undefined ? [] : [only('matcher', { serve: (leaving) => drain.run(leaving) })]),
    { start: () => registrations.open() },
    { run: (signal) => suspensions.run(signal) },
    only('delivery', { run: (signal) => watcher.run(signal) }),
    ...(judge === undefined ? [] : [only('delivery', { run: (signal) => judge.run(signal) })]),
    only('matcher', { run: (signal) => rehearsals.run(signal) }),
    only('connector', { run: (signal) => visits.run(signal) }),
  ];
}

/** A process that holds no rules is loaded with none. */
async function* noRules(): AsyncIterable<Rule[]> {}

/**
 * Registers the steps that follow every commit, once it is durable, in this order. One step that throws does not stop
 * the others.
 */
function actOnCommits(parts: Parts): void {
  const { ingest, matching, budgets, quotas, accountUses, matchSignals, outlets, context, judge } = parts;
  const { traffic } = context;
  ingest.onCommit(({ platform }) => matching.rules[platform].live.reanchorSome());
  ingest.onCommit(({ platform, events, matches }) => traffic.count(platform, events, matches));
  ingest.onCommit(({ accountIds }) => outlets.live.committed(accountIds));
  if (outlets.traces !== undefined) ingest.onCommit(outlets.traces.committed);
  ingest.onCommit(({ accountIds }) => {
    for (const accountId of accountIds) outlets.dispatcher.owed(accountId);
  });
  ingest.onCommit(budgets.committed);
  ingest.onCommit(quotas.committed);
  ingest.onCommit(({ accountIds, addedByAccount }) => {
    for (const [index, accountId] of accountIds.entries())
      accountUses.add(accountId, { matches: addedByAccount[index]! });
  });
  ingest.onCommit(matchSignals.committed);
  const { broker } = parts.given;
  if (broker !== undefined)
    ingest.onCommit(({ accountIds, before, latest }) => {
      const spans = before === undefined ? [] : [{ before, latest }];
      if (accountIds.length > 0) broker.tell(noticeOf({ accountIds, spans }));
    });
  ingest.onCommit(() => judge?.wake());
}
