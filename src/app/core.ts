/** The service on its store, and the loops beside it: what every way of running it shares. */
import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { Clock } from '../base/clock.ts';
import { openObjects } from '../base/object-store.ts';
import type { Tracer } from '../base/tracing.ts';
import type { Broker } from '../broker/broker.ts';
import { type ComputeThreads, createComputeThreads } from '../compute/compute-threads.ts';
import { machineAddresses } from '../delivery/webhooks/egress.ts';
import { createSinkThread } from '../delivery/webhooks/sink-thread.ts';
import { eventData, eventDigest } from '../mcp/events/wire.ts';
import { ensureFirstKey } from '../service/access/keys.ts';
import { coldDrafts } from '../service/matches/cold-objects.ts';
import { holdsRules, type ServiceParts } from '../service/parts/ground.ts';
import type { HistoryAccess } from '../service/rehearsal/request.ts';
import { createService } from '../service/service.ts';
import type { Log, Metrics } from '../service/telemetry.ts';
import { createBrowser } from '../sources/fetch/browser.ts';
import { jetstreamHistory } from '../sources/history/archive-history.ts';
import { historyFiles } from '../sources/history/files.ts';
import type { HistoryArchive } from '../sources/history/history.ts';
import { archiveOf, jetstreamOptions } from '../sources/kinds/jetstream.ts';
import type { SourceConfig } from '../sources/kinds/kinds.ts';
import { loadLanguages } from '../sources/text/language.ts';
import type { Store } from '../store/store.ts';
import { checkAgreed } from './agreed-settings.ts';
import { type Config, ConfigError, usualLimits } from './config.ts';
import { openDemo } from './demo.ts';
import { holderOf, processTable, soleHolder } from './holder.ts';
import { keepHouse } from './housekeeping.ts';
import { keepCold } from './keep-cold.ts';
import { openBroker } from './open-broker.ts';
import { explainingDamage, fileOf, openStore } from './open-store.ts';
import { runExclusively } from './run-exclusively.ts';
import { sealingKeyOf, textKeyOf } from './sealing-key.ts';
import { lockStore, type StoreLock } from './server-lock.ts';
import { languageOptions, languagesOf, meaningOf } from './snapshots/program-fingerprint.ts';
import { createSnapshots } from './snapshots/snapshots.ts';
import { openSources, sourceHttp, USER_AGENT } from './sources/sources.ts';
import { platformsOf } from './upstreams.ts';
import { VERSION } from './version.ts';
import type { WaitingRoom } from './waiting-room.ts';

export type Core = Awaited<ReturnType<typeof openCore>>;

export interface CoreDeps {
  readonly log: Log;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** It is undefined when traces are off. */
  readonly tracer?: Tracer | undefined;
  /** A start waits here for a part that is not there yet; without a waiting room it fails. */
  readonly waiting?: Pick<WaitingRoom, 'until'>;
}

export async function openCore(parts: AsyncDisposableStack, config: Config, deps: CoreDeps) {
  const { log, clock } = deps;
  const lock = lockOf(parts, config, clock);
  const own = holderOf(processTable(), randomUUID());
  const holder = lock === undefined ? own : soleHolder(own);
  const { waiting = { until: (_, open) => open() } } = deps;
  const store = parts.use(await waiting.until('store_away', () => openStore(config, textKeyOf(config))));
  const firstKey = await explainingDamage(config, checked(store, clock.now(), config));
  await logWhatMatters(config, store, log);
  const browser = config.browserUrl === undefined ? undefined : createBrowser(clock, config.browserUrl);
  const sources = await openSources(config.roles.includes('connector') ? config.sources : [], { log, clock, browser });
  const history = await openHistory(config, clock);
  const demo = await openDemo(config, store, clock);
  const broker = await waiting.until('broker_away', () => openBrokerOf(config, deps));
  if (broker !== undefined) parts.use(broker);
  const given = serviceParts(config, deps, store);
  const newMatching = await matchingOf(holdsRules({ ...given, broker }));
  const threads = computeOf(config, given, deps, store);
  for (const pool of Object.values(threads)) parts.use(pool);
  const service = parts.use(
    createService({
      ...deps,
      ...given,
      ...threads,
      newMatching,
      store,
      sources: sources.statuses,
      operatorSources: config.sources,
      visits: { kinds: config.accountSources, userAgent: USER_AGENT, ownAddresses: machineAddresses, browser },
      history,
      demo: demo.demo,
      holder,
      snapshots: fileOf(config) === IN_MEMORY ? undefined : createSnapshots({ config, store, clock, log, holder }),
      ...(broker && { broker }),
    }),
  );
  return { store, service, sources, broker, demo, holder, lock, firstKey, cold: coldOf(config) };
}

async function logWhatMatters({ webhookAllowPrivate }: Config, store: Store, log: Log): Promise<void> {
  // The operator of a cluster looks for this line during an upgrade.
  if (store.isShared)
    log.info(await store.schema(), 'the schema of the tables that this program knows, and the one that they need');
  if (webhookAllowPrivate)
    log.warn({}, 'SLUICE_WEBHOOK_ALLOW_PRIVATE is on: webhooks may go to any address, private ones too');
}

/** A start that can wait for the broker asks it once. */
const openBrokerOf = (config: Config, { log, clock, waiting }: CoreDeps): Promise<Broker | undefined> =>
  openBroker(config, { log, clock, ...(waiting && { patience: 0 }) });

/** The engine is loaded where there are rules. */
const matchingOf = async (isNeeded: boolean): Promise<ServiceParts['newMatching']> =>
  isNeeded ? (await import('../service/ingest/matching.ts')).createMatching : undefined;

const coldOf = ({ cold, hotDays }: Config) => cold && { objects: openObjects(cold), hotDays };

const IN_MEMORY = ':memory:';

/** The lock of a store that is a file keeps every other server from opening it at the same time. */
function lockOf(parts: AsyncDisposableStack, config: Config, clock: Clock): StoreLock | undefined {
  const file = fileOf(config);
  if (file === undefined || file === IN_MEMORY) return undefined;
  return parts.use(lockStore(file, { now: clock.now(), pid: process.pid }));
}

async function checked(store: Store, now: Date, config: Config): Promise<string | undefined> {
  await store.check();
  await checkAgreed(store, config);
  if (config.cold === undefined && (await store.coldFigures()).objects > 0)
    throw new ConfigError('Old matches of this database lie in objects: set SLUICE_COLD to where they lie.');
  return ensureFirstKey(store, now, config.apiKey);
}

/** A rehearsal of all recent events never takes so long, however many are kept. */
const BACKGROUND_MS = 24 * 3_600_000;

interface Threads {
  readonly compute?: ComputeThreads;
  /** One thread of its own: no request waits until a rehearsal has ended. */
  readonly background?: ComputeThreads;
}

/** A database in memory has one connection, so no other thread can read it. */
function computeOf(
  config: Config,
  { settings, platforms, delivery }: ReturnType<typeof serviceParts>,
  { clock, log, metrics }: CoreDeps,
  store: Store,
): Threads {
  const { storeUrl, computeThreads: threads = Math.max(1, Math.floor(availableParallelism() / 2)) } = config;
  if (threads === 0 || fileOf(config) === IN_MEMORY) return {};
  const shapes = { x: platforms.x.shape, firehose: platforms.firehose.shape };
  const language = languageOptions(meaningOf(config));
  const cold = config.cold && { place: config.cold, textKey: textKeyOf(config) };
  const order = { storeUrl, settings, shapes, language, sealingKey: delivery.sealingKey, cold };
  const deps = { order, clock, log, metrics, ready: store.recentKept };
  return {
    compute: createComputeThreads({ ...deps, threads }),
    background: createComputeThreads({ ...deps, threads: 1, limits: { jobMs: BACKGROUND_MS } }),
  };
}

/** Makes the parts of the service that come from the configuration. */
function serviceParts(config: Config, { log, clock, metrics }: CoreDeps, store: Store) {
  return {
    settings: {
      version: VERSION,
      startedAt: clock.now(),
      support: config.support ?? '',
      publicUrl: config.publicUrl,
      recentEvents: config.recentEvents,
      retentionDays: config.retentionDays,
      prices: config.prices,
      currency: config.currency,
      database: fileOf(config) === undefined ? ('postgresql' as const) : ('sqlite' as const),
      limits: usualLimits(config),
    },
    platforms: platformsOf(config, { log, clock, store, count: (name, counter) => metrics.stream(name, counter) }),
    matchThreads: config.matchThreads ?? Math.max(1, availableParallelism() - 1),
    roles: config.roles,
    judge: config.judge && { ...config.judge, limits: config.judgeLimits },
    languages: languagesOf(meaningOf(config)),
    oauth: { publicUrl: config.publicUrl, registration: config.oauthRegistration },
    delivery: {
      streams: config.streams,
      allowPrivate: config.webhookAllowPrivate,
      schedule: config.webhookRetries,
      eventSchedule: config.eventRetries,
      eventData,
      eventDigest,
      sealingKey: sealingKeyOf(config),
      ownAddresses: machineAddresses,
      sinks: createSinkThread({ allowPrivate: config.webhookAllowPrivate }),
      publicUrl: config.publicUrl,
      mail: config.mail,
    },
  };
}

/** Brings the rules into the engines and starts the loops. Resolves when every stored rule is matched. */
export function startCore(
  parts: AsyncDisposableStack,
  { store, service, sources, demo, holder, cold }: Core,
  { log, clock }: CoreDeps,
): Promise<void> {
  const stopping = new AbortController();
  const loaded = service.start();
  const byOne = (name: string, work: (signal: AbortSignal) => Promise<void>) =>
    runExclusively({ store, clock, holder, log }, name, stopping.signal, work);
  const coldLoop = (place: NonNullable<typeof cold>, signal: AbortSignal) => {
    const drafts = coldDrafts(service.context.compute, signal);
    return keepCold({ ...place, store, drafts, clock }, { log, signal });
  };
  const beside = [
    byOne('house', (signal) => keepHouse(store, { clock, log, signal })),
    // Another node may run sources that this one does not know.
    ...(sources.count > 0 || !store.isShared
      ? [byOne('sources', (signal) => sources.run(service.context, signal))]
      : []),
    ...(cold === undefined ? [] : [byOne('cold', (signal) => coldLoop(cold, signal))]),
    demo.play(service.context, stopping.signal),
  ];
  parts.defer(async () => {
    stopping.abort();
    await Promise.all(beside);
  });
  return loaded;
}

async function openHistory(config: Config, clock: Clock): Promise<HistoryAccess> {
  const archive = archiveFrom(config, clock);
  if (archive !== undefined) await loadLanguages();
  return { files: config.historyDir === undefined ? undefined : historyFiles(config.historyDir), archive };
}

/** That of the first source that has one; with a key alone, that of Bluesky's own hosts. */
function archiveFrom({ sources, jetstreamKey }: Config, clock: Clock): HistoryArchive | undefined {
  const usual: SourceConfig = { name: 'jetstream', kind: 'jetstream', options: { key: jetstreamKey }, platforms: [] };
  const all = jetstreamKey === undefined ? sources : [...sources, usual];
  for (const source of all.filter(({ kind }) => kind === 'jetstream')) {
    const { allow_private: _, ...given } = source.options;
    const options = jetstreamOptions.parse(given);
    // All posts: the accounts that the source follows are no part of the question.
    const host = archiveOf({ ...options, dids: [] }, options.url);
    if (host !== undefined) return jetstreamHistory(sourceHttp(clock, source), host, source.name);
  }
  return undefined;
}
