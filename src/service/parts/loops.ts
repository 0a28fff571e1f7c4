/** The loops behind the operations: each keeps something true while the service runs. */
import type { CoverageReason } from '../../domain/coverage.ts';
import type { Platform } from '../../domain/platform.ts';
import { createCpuUse, loggedCpu, type Spent } from '../access/cpu-use.ts';
import { type AccountUses, createAccountUses } from '../accounts/account-uses.ts';
import { createQuotas } from '../accounts/quotas.ts';
import { createSuspensions, type Suspensions } from '../accounts/suspensions.ts';
import { createWatcher } from '../alerts/watcher.ts';
import { createRuleFollower, type RuleFollower } from '../cluster/rule-follower.ts';
import { computeHere } from '../compute.ts';
import { type CoverageAssessor, createCoverage } from '../coverage/coverage.ts';
import { createFeedReports, type FeedReports } from '../coverage/feed-reports.ts';
import { createLogDrain, type LogDrain } from '../ingest/log-drain.ts';
import { createJudge } from '../judging/judge.ts';
import { eraseAnnounced } from '../outlets/erasure.ts';
import { createLastingNotices } from '../outlets/notify.ts';
import { createRehearsals } from '../rehearsal/rehearsals.ts';
import { type Budgets, createBudgets } from '../upstream/budgets.ts';
import { createUpstreams, tellOfRefusedToken, type Upstreams } from '../upstream/upstreams.ts';
import { createVisits, type Visits } from '../visits/visits.ts';
import type { Ground } from './ground.ts';
import type { WaysIn, WaysOut } from './ways.ts';

export type Loops = ReturnType<typeof createLoops>;

export function createLoops(ground: Ground, waysIn: WaysIn, { outlets, matchSignals }: WaysOut) {
  const { given, isUpstream, holder, roles, reading, hasRules } = ground;
  const [{ store, clock, log, metrics, settings }, { languages }] = [given, reading];
  const [{ matching, registrations, ingest }, { live, dispatcher, notify }] = [waysIn, outlets];
  const stored = { store, ingest, matching, registrations, clock, log };
  const feeds = createFeedReports({ store, clock, log });
  const accountUses = createAccountUses({ store, clock, log });
  const { limits, support, prices = FREE } = settings;
  const isSuspended = (accountId: string) => suspensions.isSuspended(accountId);
  const usualBudget = limits?.xBudget;
  const lasting = createLastingNotices({ store, notify });
  const budgets = createBudgets({ ...stored, isUpstream, prices, notify, lasting, isSuspended, usualBudget });
  const isSpent = (accountId: string, platform: Platform) => budgets.isResting(accountId, platform);
  const suspensions: Suspensions = createSuspensions({ ...stored, live, dispatcher, matchSignals, isSpent });
  const restricted = (accountId: string) => suspensions.restricted(accountId);
  const self = { node: { id: holder.id, roles }, hasRules, broker: given.broker };
  const follower = createRuleFollower({ ...stored, ...self, live, dispatcher, matchSignals, suspensions });
  const coverage = coverageOn(ground, waysIn, { budgets, feeds }, () => troublesOf(waysIn, follower));
  const { history = {}, background = computeHere(() => reading) } = given;
  const cpuUse = createCpuUse();
  /** Charges an account for CPU that no request of it took. */
  const onCpu = (id: string, ms: number, by?: Spent) => cpuUse.note({ account: restricted(id) ?? { id } }, ms, by);
  return {
    feeds,
    budgets,
    suspensions,
    quotas: createQuotas({ ...stored, limits, support, restricted, lasting }),
    accountUses,
    follower,
    upstreams: upstreamsOn(ground, waysIn, outlets, { feeds, follower }),
    coverage,
    watcher: createWatcher({ ...stored, metrics, holder, coverage, live, dispatcher, server: settings.publicUrl }),
    rehearsals: createRehearsals({ ...stored, metrics, languages, holder, history, background, onCpu }),
    cpuUse,
    onCpu,
    visits: visitsOn(ground, waysIn, outlets, { isSuspended, restricted, uses: accountUses }),
    drain: drainOn(ground, waysIn, { feeds, accountUses }),
    judge: given.judge && createJudge({ store, reader: reading.reader, clock, log, holder }, given.judge),
  };
}

function drainOn(
  { given, holder }: Ground,
  { here }: WaysIn,
  { feeds, accountUses }: { readonly feeds: FeedReports; readonly accountUses: AccountUses },
): LogDrain | undefined {
  const { broker } = given;
  if (broker?.log === undefined) return undefined;
  return createLogDrain({
    ...given,
    events: broker.log,
    here,
    holder,
    onStored: feeds.pushed,
    onUsed(accountId, used) {
      accountUses.add(accountId, used);
      // The nodes that take requests charge it to the limit of the account.
      broker.tell(loggedCpu(accountId, used.cpu_ms));
    },
  });
}

const visitsOn = (
  { given, holder }: Ground,
  { ingest }: WaysIn,
  { notify, seal }: WaysOut['outlets'],
  { isSuspended, restricted, uses }: Pick<Suspensions, 'isSuspended' | 'restricted'> & { readonly uses: AccountUses },
): Visits =>
  createVisits({
    ...given,
    ingest,
    holder,
    notify,
    seal,
    isSuspended,
    restricted,
    uses,
    limits: given.settings.limits,
    options: { userAgent: `sluice/${given.settings.version}`, ...given.visits },
  });

function upstreamsOn(
  { given, platforms, holder }: Ground,
  { matching, registrations, ingest }: WaysIn,
  { live, notify }: WaysOut['outlets'],
  { feeds, follower }: { readonly feeds: FeedReports; readonly follower: RuleFollower },
): Upstreams {
  const { store, clock, log, metrics, tracer } = given;
  const onRefused = tellOfRefusedToken({ store, clock, notify });
  return createUpstreams({
    store,
    clock,
    log,
    metrics,
    tracer,
    ingest,
    matching,
    registrations,
    platforms,
    live,
    feeds,
    holder,
    current: () => follower.current(),
    onState: (...told) => void onRefused(...told),
    eraseDeleted: (platform: Platform, postIds: readonly string[]) =>
      eraseAnnounced({ store, live, nodes: follower, clock }, platform, postIds, { onlyStored: true }),
  });
}

/** The troubles of this node: it may lack the latest rules, or be unable to store. */
const troublesOf = ({ matching, here }: WaysIn, follower: RuleFollower): CoverageReason[] => [
  ...(matching.isLoaded && follower.trouble === undefined ? [] : (['node_behind'] as const)),
  ...(here.trouble === undefined ? [] : (['not_stored'] as const)),
];

/** Before the rules are loaded, and where they are not held, a platform may have some. */
const coverageOn = (
  { given: { store, clock }, platforms, hasRules }: Ground,
  { matching }: WaysIn,
  { budgets, feeds }: { readonly budgets: Budgets; readonly feeds: FeedReports },
  troubles: () => CoverageReason[],
): CoverageAssessor =>
  createCoverage({
    store,
    clock,
    platforms,
    feeds,
    hasRules: (platform) => !hasRules || !matching.isLoaded || matching.size(platform) > 0,
    isResting: (accountId, platform) => budgets.isResting(accountId, platform),
    troubles,
  });

const FREE = { x: 0, firehose: 0 };
