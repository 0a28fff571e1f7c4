/**
 * The service: operations over a context, and the loops behind them. `createService` puts the parts together; `start`
 * repairs what a crash left and brings the rules into the engines; `close` stores what waits and stops.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { createNamedLocks } from '../base/named-lock.ts';
import { createChainSigner } from '../base/signed-chain.ts';
import type { Tracer } from '../base/tracing.ts';
import type { Broker } from '../broker/broker.ts';
import { SEALING_KEY_BYTES } from '../delivery/webhooks/seal.ts';
import type { CoverageReason } from '../domain/coverage-reasons.ts';
import type { Gap } from '../domain/gap.ts';
import type { Platform } from '../domain/platform.ts';
import { ROLES, type Role } from '../domain/role.ts';
import type { Rule } from '../domain/rule.ts';
import type { LostThread } from '../engine/threads/match-threads.ts';
import { localPlatform } from '../platforms/local/local.ts';
import type { LivePlatform } from '../platforms/platform.ts';
import type { Language } from '../rules/language.ts';
import type { SourceStatus } from '../sources/source-status.ts';
import type { Store } from '../store/store.ts';
import { createCpuUse } from './access/cpu-use.ts';
import { createCallers } from './access/keys.ts';
import { createSessions } from './access/sessions.ts';
import { createEntryTickets, createStreamTickets } from './access/tickets.ts';
import { createWatcher, type Watcher } from './alerts/watcher.ts';
import { loadRules, type RuleSnapshots } from './cluster/load-rules.ts';
import { createRuleFollower, type RuleFollower } from './cluster/rule-follower.ts';
import { createStartRetry, type StartRetry } from './cluster/start-retry.ts';
import { type Compute, computeHere } from './compute.ts';
import type { Context, ReadContext, Settings } from './context.ts';
import { type CoverageAssessor, createCoverage } from './coverage/coverage.ts';
import { createFeedReports } from './coverage/feed-reports.ts';
import { recentCoverage } from './coverage/recent-coverage.ts';
import { createDeadTexts } from './ingest/dead-texts.ts';
import { createDemo, type Demo, NO_DEMO } from './ingest/demo.ts';
import { createIngest, type Ingest } from './ingest/ingest.ts';
import { ingestByBroker, matchPack } from './ingest/ingest-by-broker.ts';
import { createMatching } from './ingest/matching.ts';
import { createPushedBytes } from './ingest/pushed-bytes.ts';
import type { RecheckOutcome } from './ingest/recheck.ts';
import { createTraffic } from './ingest/traffic.ts';
import type { Holder } from './lease.ts';
import { createOAuth, type OAuthOptions } from './oauth/oauth.ts';
import { createChallengeCounter } from './outlets/challenge-counter.ts';
import { eraseAnnounced } from './outlets/erasure.ts';
import { createMatchSignals, type MatchSignals } from './outlets/match-signals.ts';
import { createNoticeEvents, type NoticeEvents } from './outlets/notice-events.ts';
import { createOutlets, type OutletOptions, type Outlets } from './outlets/outlets.ts';
import { createWakeChains } from './outlets/wake-chains.ts';
import { createReadContext } from './read-context.ts';
import { createMatchPages } from './reader/match-pages.ts';
import type { Relevance } from './reader/relevance.ts';
import { createReadiness, type NotReady } from './readiness.ts';
import { createRegistrations } from './registrations/registrations.ts';
import { createRehearsals, type Rehearsals } from './rehearsal/rehearsals.ts';
import type { HistoryAccess } from './rehearsal/request.ts';
import type { Log, Metrics } from './telemetry.ts';
import { createBudgets } from './upstream/budgets.ts';
import { tellOfRefusedToken } from './upstream/token-refused.ts';
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
  /** This process among those on its store, and what it does there: everything, unless `roles` says otherwise. */
  readonly holder?: Holder;
  readonly roles?: readonly Role[];
  /** Carries events to the matchers; without it they are matched where they arrive. */
  readonly broker?: Broker;
  /** Options of the ways out that differ from the defaults. */
  readonly delivery?: Partial<OutletOptions>;
  /** Without it OAuth is off. */
  readonly oauth?: OAuthOptions;
  /** The state of the open sources, where there are some. */
  readonly sources?: () => readonly SourceStatus[];
  /** What rules can be tried on beside the recent events. */
  readonly history?: HistoryAccess;
  /** Whether the demo feed plays; without it, it never does. */
  readonly demo?: Demo;
  /** Compute threads; without them the thread of the service does their work. */
  readonly compute?: Compute<ReadContext> | undefined;
  /** How relevant matches are: by intents and ratings, unless it is given. */
  readonly relevance?: Relevance;
  /** Without it traces are off. */
  readonly tracer?: Tracer | undefined;
  /** Threads that match beside this one; none unless it is given. */
  readonly matchThreads?: number | undefined;
  /** Without it every start reads the rules one by one. */
  readonly snapshots?: RuleSnapshots | undefined;
}

export interface Service extends AsyncDisposable {
  readonly context: Context;
  /** Resolves when every stored rule is matched. Requests are answered meanwhile; pushes wait. */
  start(): Promise<void>;
  /** Why the service is not ready; empty when it is. */
  notReady(): NotReady[];
  /** It goes on as before, but is no longer ready: those who choose among several choose another one from now on. */
  leave(): void;
  readonly isLeaving: boolean;
  /** Stores what waits, and stops. The store stays open: its opener closes it. */
  close(): Promise<void>;
}

export function createService(parts: ServiceParts): Service {
  const { broker, roles = ROLES } = parts;
  const does = (role: Role): boolean => roles.includes(role);
  const made = createParts(parts);
  const { context, here, follower, outlets, watcher, noticeEvents, rehearsals, stopping } = made;
  const { matching, ingest, registrations, budgets, upstreams, feeds } = context;
  const leaving = new AbortController();
  let starting: Promise<void> = Promise.resolve();
  let watching: Promise<unknown> = Promise.resolve();
  let serving: Promise<void> = Promise.resolve();
  let reporting: Promise<void> = Promise.resolve();
  let alerting: Promise<void> = Promise.resolve();
  let telling: Promise<void> = Promise.resolve();
  let rehearsing: Promise<void> = Promise.resolve();
  let snapshotting: Promise<void> | undefined;
  actOnCommits(made);
  const step = (work: () => Promise<void>): Promise<void> => made.startRetry.retry(work, leaving.signal);

  async function begin(): Promise<void> {
    reporting = feeds.run(stopping.signal);
    if (does('delivery')) outlets.dispatcher.start();
    if (does('delivery')) telling = noticeEvents.run(stopping.signal);
    await step(() => budgets.open());
    if (does('connector')) upstreams.start();
    await step(() => follower.begin());
    watching = Promise.all([budgets.run(stopping.signal), follower.run(stopping.signal)]);
    await step(() => loadRules(context, parts.snapshots, leaving.signal));
    snapshotting = parts.snapshots?.run(matching, stopping.signal);
    if (broker !== undefined && does('matcher')) serving = broker.serve(matchPack(here), leaving.signal);
    await step(() => registrations.open());
    if (does('delivery')) alerting = watcher.run(stopping.signal);
    if (does('matcher')) rehearsing = rehearsals.run(stopping.signal);
  }

  async function close(): Promise<void> {
    // As long as packs are matched here the other nodes count on this one to know the rules.
    leaving.abort();
    // A start that is under way ends first: it uses the store, and it starts what is stopped below.
    await starting.catch(() => {});
    await serving;
    stopping.abort();
    await upstreams.stop();
    await watching;
    await reporting;
    await alerting;
    await telling;
    await rehearsing;
    outlets.live.close();
    await outlets.dispatcher.stop();
    await ingest.close();
    await matching.ahead.close();
    await snapshotting;
  }

  return {
    context,
    start() {
      starting = begin();
      return starting;
    },
    notReady: () => context.readiness.notReady(),
    leave: () => context.readiness.leave(),
    get isLeaving() {
      return context.readiness.isLeaving;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** What happens after every commit, once it is durable, in this order. One step that throws does not stop the others. */
function actOnCommits({ context, outlets }: Parts): void {
  const { ingest, matching, traffic, budgets, matchSignals } = context;
  ingest.onCommit(({ platform }) => matching.rules[platform].live.reanchorSome());
  ingest.onCommit(({ platform, events, matches }) => traffic.count(platform, events, matches));
  ingest.onCommit(({ accountIds }) => outlets.live.committed(accountIds));
  if (outlets.traces !== undefined) ingest.onCommit(outlets.traces.committed);
  ingest.onCommit(({ accountIds }) => {
    for (const accountId of accountIds) outlets.dispatcher.owed(accountId);
  });
  ingest.onCommit(budgets.committed);
  ingest.onCommit(matchSignals.committed);
}

interface Parts {
  readonly context: Context;
  /** Matches and stores in this process, also where events travel over a broker. */
  readonly here: Ingest;
  readonly follower: RuleFollower;
  readonly startRetry: StartRetry;
  readonly outlets: Outlets;
  readonly watcher: Watcher;
  readonly noticeEvents: NoticeEvents;
  readonly rehearsals: Rehearsals;
  readonly stopping: AbortController;
}

function createParts(parts: ServiceParts): Parts {
  const { store, clock, log, metrics, settings, broker, tracer, roles = ROLES, holder = onlyProcess() } = parts;
  const startRetry = createStartRetry({ clock, log });
  const stopping = new AbortController();
  const { signal } = stopping;
  const platforms = parts.platforms ?? { x: localPlatform('x'), firehose: localPlatform('firehose') };
  const isUpstream = (platform: Platform): boolean => platforms[platform].shape === 'upstream';
  const { sealingKey = randomBytes(SEALING_KEY_BYTES) } = parts.delivery ?? {};
  const shapes = { x: platforms.x.shape, firehose: platforms.firehose.shape };
  const reading = createReadContext({ ...parts, shapes, sealingKey });
  const { languages, reader } = reading;
  const onGap = (gap: Gap): void => {
    if (gap.to === undefined) metrics.gap(gap.platform);
    outlets.live.announce(gap);
    noticeEvents.look();
  };
  const registrations = createRegistrations({ store, platforms, languages, clock, log, signal, onGap });
  const onUnreadable = ({ id }: Rule, platform: Platform) => void failRule(parts, id, platform);
  const onRecheck = (platform: Platform, { postId, rules, surplus, missing }: RecheckOutcome): void => {
    metrics.rechecked(platform, rules, surplus.length + missing.length);
    if (surplus.length + missing.length === 0) return;
    log.error({ platform, postId, surplus, missing }, 'the core and the index differ on an event');
  };
  const onThreadLost = ({ error, isReplaced }: LostThread): void => {
    metrics.matchThreadLost();
    log.error(
      { err: error, isReplaced },
      'a thread that matches has ended; its events were matched by the main thread',
    );
  };
  const threads = parts.matchThreads;
  const matching = createMatching({ languages, clock, isUpstream, onUnreadable, onRecheck, threads, onThreadLost });
  const { database } = settings;
  const here = createIngest({
    store,
    clock,
    log,
    metrics,
    matching,
    current: () => follower.current(),
    tracer,
    database,
  });
  const ingest = broker === undefined ? here : ingestByBroker(here, broker, tracer);
  const outlets = createOutlets(
    {
      store,
      reader,
      clock,
      log,
      metrics,
      version: settings.version,
      holder,
      tracer,
      coverage: async (accountId, filter) => JSON.stringify(await recentCoverage(context, accountId, filter)),
    },
    { ...parts.delivery, sealingKey },
  );
  const { live, dispatcher, send, seal, encode, mail, notify } = outlets;
  const noticeEvents = createNoticeEvents({ store, clock, log, cursors: reading.cursors, dispatcher });
  const stored = { store, ingest, matching, registrations, clock, log };
  const feeds = createFeedReports({ store, clock, log });
  const onRefused = tellOfRefusedToken({ store, clock, notify });
  const onState = (...told: Parameters<typeof onRefused>) => void onRefused(...told);
  const current = () => follower.current();
  const eraseDeleted = (platform: Platform, postIds: readonly string[]) =>
    eraseAnnounced({ store, live, nodes: follower }, platform, postIds, { onlyStored: true });
  const upstreams = createUpstreams({
    ...stored,
    platforms,
    live,
    feeds,
    metrics,
    holder,
    tracer,
    current,
    onState,
    eraseDeleted,
  });
  const budgets = createBudgets({ ...stored, isUpstream, prices: settings.prices ?? FREE, notify });
  const matchSignals = createMatchSignals({ store, clock, signal });
  const node = { id: holder.id, roles };
  const follower = createRuleFollower({ ...stored, live, dispatcher, matchSignals, node });
  const nodeTroubles = (): CoverageReason[] => [
    ...(matching.isLoaded && follower.trouble === undefined ? [] : (['node_behind'] as const)),
    ...(here.trouble === undefined ? [] : (['not_stored'] as const)),
  ];
  const coverage = coverageOn({ ...stored, platforms, budgets, feeds }, nodeTroubles);
  const watcher = createWatcher({
    ...stored,
    metrics,
    holder,
    coverage,
    live,
    dispatcher,
    server: settings.publicUrl,
  });
  const { history = {} } = parts;
  const rehearsals = createRehearsals({ ...stored, ...settings, metrics, languages, holder, history });
  const loops = {
    platforms,
    ingest,
    budgets,
    upstreams,
    coverage,
    feeds,
    matchSignals,
    wakeChains: createWakeChains(),
    watcher,
    rehearsals,
    history,
    live,
    dispatcher,
    send,
    seal,
    encode,
    mail,
  };
  const context: Context = {
    ...reading,
    ...stored,
    compute: parts.compute ?? computeHere(() => reading),
    cpuUse: createCpuUse(),
    ...loops,
    signer: createChainSigner(outlets.options.sealingKey, 'sluice certificates'),
    metrics,
    tracer,
    deadTexts: createDeadTexts(languages),
    nodes: follower,
    readiness: createReadiness({ roles, matching, ingest, here, follower, start: startRetry }),
    pushedBytes: createPushedBytes({
      clock,
      limits: settings.limits ?? {},
      sharers: () => follower.apis,
      support: settings.support,
    }),
    traffic: createTraffic(clock),
    callers: createCallers(store),
    matchPages: createMatchPages(store, clock),
    sources: parts.sources ?? (() => []),
    demo: parts.demo ?? createDemo(NO_DEMO, undefined),
    challenges: createChallengeCounter(clock),
    noticeEvents,
    sessions: createSessions(store, clock),
    streamTickets: createStreamTickets(store, clock),
    entryTickets: createEntryTickets(store, clock),
    oauth: oauthOf(parts, outlets, matchSignals),
    deliveryLimits: outlets.options,
    locks: createNamedLocks(),
  };
  return { context, here, follower, startRetry, outlets, watcher, noticeEvents, rehearsals, stopping };
}

/** Before the rules are loaded, a platform may have some. */
const coverageOn = (
  {
    store,
    clock,
    platforms,
    matching,
    budgets,
    feeds,
  }: Pick<Context, 'store' | 'clock' | 'platforms' | 'matching' | 'budgets' | 'feeds'>,
  troubles: () => CoverageReason[],
): CoverageAssessor =>
  createCoverage({
    store,
    clock,
    platforms,
    feeds,
    hasRules: (platform) => !matching.isLoaded || matching.size(platform) > 0,
    isResting: (accountId, platform) => budgets.isResting(accountId, platform),
    troubles,
  });

function oauthOf({ store, clock, log, oauth }: ServiceParts, { options }: Outlets, matchSignals: MatchSignals) {
  return createOAuth({
    store,
    clock,
    log,
    egress: options,
    secret: options.sealingKey,
    onRevoked: (accountId) => matchSignals.committedElsewhere([accountId]),
    ...(oauth ?? { publicUrl: undefined, registration: false }),
  });
}

const FREE = { x: 0, firehose: 0 };

/** Knows of no other process: a lease that another process holds is held until it runs out. */
const onlyProcess = (): Holder => ({ id: randomUUID(), isGone: () => false });

/** The language no longer accepts a stored text, because a limit was lowered or its grammar was corrected. */
async function failRule({ store, log }: ServiceParts, ruleId: string, platform: Platform): Promise<void> {
  log.error({ ruleId, platform }, 'a stored rule is no longer valid and is not matched');
  const error = 'This text is no longer valid. Validate Rule says why; change it with Update Rule.';
  await store.setRuleStatus(ruleId, platform, { status: 'failed', error }).catch(() => {});
}
