/**
 * The service: operations over a context, and the loops behind them. `createService` puts the parts together; `start`
 * repairs what a crash left and brings the rules into the engines; `close` stores what waits and stops.
 */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { createTurns } from '../base/named-lock.ts';
import type { Broker } from '../broker/broker.ts';
import type { Platform } from '../domain/platform.ts';
import { ROLES, type Role } from '../domain/role.ts';
import { localPlatform } from '../platforms/local/local.ts';
import type { LivePlatform } from '../platforms/platform.ts';
import type { Language } from '../rules/language.ts';
import type { SourceStatus } from '../sources/run.ts';
import type { Store } from '../store/store.ts';
import { createCallers } from './access/keys.ts';
import { createSessions } from './access/sessions.ts';
import { createEntryTickets, createStreamTickets } from './access/tickets.ts';
import { reconciled } from './cluster/reconcile.ts';
import { createFollow } from './cluster/rule-follower.ts';
import type { Context, Settings } from './context.ts';
import { createIngest } from './ingest/ingest.ts';
import { ingestByBroker, matchPack } from './ingest/ingest-by-broker.ts';
import { createMatching } from './ingest/matching.ts';
import { createTraffic } from './ingest/traffic.ts';
import type { Holder } from './lease.ts';
import { createMatchPages } from './match-pages.ts';
import { createMatchNews } from './outlets/match-signals.ts';
import { createDeliveries, type DeliveryOptions } from './outlets/outlets.ts';
import { createRegistrations } from './registrations/registrations.ts';
import type { Log, Metrics } from './telemetry.ts';
import { createBudgets } from './upstream/budgets.ts';
import { createUpstreams } from './upstream/upstreams.ts';

export interface ServiceParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly settings: Settings;
  readonly languages: Readonly<Record<Platform, Language>>;
  /** Our own, unless upstream ones are given. */
  readonly platforms?: Readonly<Record<Platform, LivePlatform>>;
  /** Who we are among the processes on this store, and what we do there: everything, unless it is said. */
  readonly holder?: Holder;
  readonly roles?: readonly Role[];
  /** Carries events to whoever matches them; without it they are matched where they arrive. */
  readonly broker?: Broker;
  /** Where the ways out differ from the usual. */
  readonly delivery?: Partial<DeliveryOptions>;
  /** How the open sources do, where there are some. */
  readonly sources?: () => readonly SourceStatus[];
}

export interface Service extends AsyncDisposable {
  readonly context: Context;
  /** Resolves when every stored rule is matched. Requests are answered meanwhile; pushes wait. */
  start(): Promise<void>;
  /** Why the service is not ready; empty when it is. */
  notReady(): string[];
  /** Stores what waits, and stops. The store stays open: it is whoever opened it that closes it. */
  close(): Promise<void>;
}

export function createService(parts: ServiceParts): Service {
  const { store, clock, log, metrics, settings, languages, broker, roles = ROLES } = parts;
  const does = (role: Role): boolean => roles.includes(role);
  const platforms = parts.platforms ?? { x: localPlatform('x'), firehose: localPlatform('firehose') };
  const stopping = new AbortController();
  const leaving = new AbortController();
  const registrations = createRegistrations({ store, platforms, languages, clock, log, signal: stopping.signal });
  const isUpstream = (platform: Platform): boolean => platforms[platform].shape === 'upstream';
  const matching = createMatching({
    languages,
    clock,
    isUpstream,
    onUnreadable: (rule, platform) => void failRule(parts, rule.id, platform),
  });
  const here = createIngest({ store, clock, log, metrics, matching, current: () => follow.current() });
  const ingest = broker === undefined ? here : ingestByBroker(here, broker);
  const traffic = createTraffic(clock);
  ingest.onCommit(({ platform, events, matches }) => traffic.count(platform, events, matches));
  const { version } = settings;
  const holder = parts.holder ?? lonely();
  const deliveries = createDeliveries({ store, clock, log, version, ingest, holder }, parts.delivery ?? {});
  const { live, dispatcher, send, seal } = deliveries;
  const upstreams = createUpstreams({
    platforms,
    store,
    ingest,
    matching,
    registrations,
    live,
    clock,
    log,
    metrics,
    holder,
  });
  const budgets = createBudgets({
    store,
    ingest,
    matching,
    registrations,
    isUpstream,
    prices: settings.prices ?? FREE,
    clock,
    log,
  });
  const matchNews = createMatchNews({ store, clock, ingest, signal: stopping.signal });
  const node = { id: holder.id, roles };
  const follow = createFollow({ store, matching, live, dispatcher, matchNews, registrations, clock, log, node });
  let watching: Promise<unknown> = Promise.resolve();
  let serving: Promise<void> = Promise.resolve();
  const context: Context = {
    store,
    clock,
    log,
    metrics,
    settings,
    languages,
    platforms,
    registrations,
    matching,
    ingest,
    budgets,
    upstreams,
    matchNews,
    nodes: follow,
    traffic,
    callers: createCallers(store),
    matchPages: createMatchPages(store, clock),
    sources: parts.sources ?? (() => []),
    sessions: createSessions(store, clock),
    streamTickets: createStreamTickets(store, clock),
    entryTickets: createEntryTickets(store, clock),
    deliveryLimits: deliveries.options,
    live,
    dispatcher,
    send,
    seal,
    turns: createTurns(),
  };

  async function close(): Promise<void> {
    // As long as packs are matched here the other nodes count on us to know the rules.
    leaving.abort();
    await serving;
    stopping.abort();
    await upstreams.stop();
    await watching;
    live.close();
    await dispatcher.stop();
    await ingest.close();
  }

  return {
    context,
    async start() {
      if (does('delivery')) dispatcher.start();
      await budgets.open();
      if (does('connector')) upstreams.start();
      await follow.begin();
      watching = Promise.all([budgets.run(stopping.signal), follow.run(stopping.signal)]);
      await matching.load(reconciled(context));
      if (broker !== undefined && does('matcher')) serving = broker.serve(matchPack(here), leaving.signal);
      await registrations.open();
    },
    notReady() {
      // Whoever only delivers needs neither rules nor events.
      const needsEvents = roles.some((role) => role !== 'delivery');
      const reasons = matching.isLoaded || !needsEvents ? [] : ['rules are being loaded'];
      const trouble = needsEvents ? ingest.trouble : here.trouble;
      return [...reasons, ...[trouble, follow.trouble].filter((reason) => reason !== undefined)];
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

const FREE = { x: 0, firehose: 0 };

/** For those who know of no other process: whoever else holds a lease has it until it runs out. */
const lonely = (): Holder => ({ id: randomUUID(), isGone: () => false });

/** A stored text that the language no longer takes, since its limits were lowered or its grammar was mended. */
async function failRule({ store, log }: ServiceParts, ruleId: string, platform: Platform): Promise<void> {
  log.error({ ruleId, platform }, 'a stored rule cannot be read, and is not matched');
  const error = 'This text is no longer accepted. Validate it to see why, and change it.';
  await store.setRuleStatus(ruleId, platform, { status: 'failed', error }).catch(() => {});
}
