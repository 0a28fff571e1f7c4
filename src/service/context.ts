/** The parts that operations and loops work with. `createService` puts them together; tests may build their own. */
import type { Clock } from '../base/clock.ts';
import type { NamedLocks } from '../base/named-lock.ts';
import type { ChainSigner } from '../base/signed-chain.ts';
import type { Tracer } from '../base/tracing.ts';
import type { VersionedCache } from '../base/versioned-cache.ts';
import type { Platform } from '../domain/platform.ts';
import type { LivePlatform } from '../platforms/platform.ts';
import type { Language } from '../rules/language.ts';
import type { Query } from '../rules/query.ts';
import type { RuleText } from '../rules/rule-text.ts';
import type { SourceConfig } from '../sources/kinds/kinds.ts';
import type { SourceStatus } from '../sources/source-status.ts';
import type { Store } from '../store/store.ts';
import type { Caller } from './access/caller.ts';
import type { CpuUse } from './access/cpu-use.ts';
import type { Sessions } from './access/sessions.ts';
import type { Tickets } from './access/tickets.ts';
import type { AccountUses } from './accounts/account-uses.ts';
import type { Quotas } from './accounts/quotas.ts';
import type { Suspensions } from './accounts/suspensions.ts';
import type { Watcher } from './alerts/watcher.ts';
import type { RuleFollower } from './cluster/rule-follower.ts';
import type { Compute } from './compute.ts';
import type { CoverageAssessor } from './coverage/coverage.ts';
import type { FeedReports } from './coverage/feed-reports.ts';
import type { DeadTexts } from './ingest/dead-texts.ts';
import type { Demo } from './ingest/demo.ts';
import type { Ingest } from './ingest/ingest.ts';
import type { Matching } from './ingest/matching.ts';
import type { PushedBytes } from './ingest/pushed-bytes.ts';
import type { Traffic } from './ingest/traffic.ts';
import type { Judge } from './judging/judge.ts';
import type { AccountLimits } from './limits.ts';
import type { OAuth } from './oauth/oauth.ts';
import type { HeadNotices } from './outlets/certificate-heads.ts';
import type { Cursors } from './outlets/cursors.ts';
import type { ChallengeCounter } from './outlets/mail-outlet.ts';
import type { MatchSignals } from './outlets/match-signals.ts';
import type { NoticeEvents } from './outlets/notice-events.ts';
import type { OutletOptions, Outlets } from './outlets/outlets.ts';
import type { ToldPlaces } from './outlets/told-places.ts';
import type { WakeChains } from './outlets/wake-chains.ts';
import type { PageText, Reader } from './reader/reader.ts';
import type { Relevance } from './reader/relevance.ts';
import type { Readiness } from './readiness.ts';
import type { Registrations } from './registrations/registrations.ts';
import type { Rehearsals } from './rehearsal/rehearsals.ts';
import type { HistoryAccess } from './rehearsal/request.ts';
import type { Log, Metrics } from './telemetry.ts';
import type { Budgets } from './upstream/budgets.ts';
import type { Upstreams } from './upstream/upstreams.ts';
import type { Visits } from './visits/visits.ts';

/** The questions to the store that work in a compute thread may ask. */
export type ReadStore = Pick<
  Store,
  | 'rule'
  | 'matches'
  | 'matchesAfter'
  | 'match'
  | 'owedMatches'
  | 'matchesAt'
  | 'changes'
  | 'isErasing'
  | 'writeColdObject'
  | 'rewriteColdObject'
  | 'mergeColdObjects'
  | 'stories'
  | 'latest'
  | 'matchCounts'
  | 'ratedRule'
  | 'appliedSuggestions'
  | 'recentEvents'
  | 'webhook'
  | 'attemptsOf'
>;

/** The parts for work that only reads and computes. A compute thread has its own. */
export interface ReadContext {
  readonly store: ReadStore;
  readonly clock: Clock;
  readonly settings: Settings;
  readonly languages: Readonly<Record<Platform, Language>>;
  readonly platforms: Readonly<Record<Platform, Pick<LivePlatform, 'shape'>>>;
  readonly cursors: Cursors;
  /** Stored matches as they are given out. */
  readonly reader: Reader;
  /** How relevant matches are. */
  readonly relevance: Relevance;
  /** The query of a stored text; undefined when it does not parse (any more). */
  queryOf(platform: Platform, text: RuleText): Query | undefined;
  /** Throws when nobody wants the answer any more. Loops that take long call it. */
  checkpoint(): void;
}

export interface Context extends ReadContext {
  readonly store: Store;
  /** Runs work that only reads and computes, where it holds nobody up. */
  readonly compute: Compute<ReadContext>;
  /** The CPU time that this work has taken. */
  readonly cpuUse: CpuUse;
  /** Signs certificates with the key of this installation. */
  readonly signer: ChainSigner;
  readonly log: Log;
  readonly metrics: Metrics;
  /** It is undefined when traces are off. */
  readonly tracer?: Tracer | undefined;
  readonly deliveryLimits: Pick<OutletOptions, 'streams' | 'allowPrivate'>;
  readonly deadTexts: DeadTexts;
  readonly platforms: Readonly<Record<Platform, LivePlatform>>;
  /** The texts that are held on the platforms. */
  readonly registrations: Registrations;
  /** The live rules: one engine for each platform. */
  readonly matching: Matching;
  /** The way in for events. */
  readonly ingest: Ingest;
  /** The bytes that each account has pushed lately. */
  readonly pushedBytes: PushedBytes;
  /** The figures of what each account uses of this process. */
  readonly accountUses: AccountUses;
  /** Accounts that the operator has suspended. */
  readonly suspensions: Suspensions;
  /** Matches a day and the room that they take, of each account. */
  readonly quotas: Quotas;
  /** The budgets of accounts for upstreams. */
  readonly budgets: Budgets;
  /** The streams of upstreams. */
  readonly upstreams: Upstreams;
  /** Wakes requests that wait for matches. */
  readonly matchSignals: MatchSignals;
  /** How far callers were told of matches. */
  readonly toldPlaces: ToldPlaces;
  /** The memory of the wake contracts of those requests. */
  readonly wakeChains: WakeChains;
  /** Callers that were found lately, by the digest of the key. */
  readonly callers: VersionedCache<Caller | undefined>;
  /** Rendered pages of List Matches, by account and input. */
  readonly matchPages: VersionedCache<PageText>;
  /** The other processes on the store. */
  readonly nodes: Pick<RuleFollower, 'caughtUp' | 'presence' | 'trouble'>;
  /** Whether this process should get requests. */
  readonly readiness: Readiness;
  readonly sessions: Sessions;
  /** A browser opens a stream with such a ticket in place of a key. */
  readonly streamTickets: Tickets;
  /** A browser opens the console with such a ticket, without a key. */
  readonly entryTickets: Tickets;
  /** The grants that people give to agents. */
  readonly oauth: OAuth;
  /** The ways out for matches: live subscribers and webhooks. */
  readonly live: Outlets['live'];
  readonly dispatcher: Outlets['dispatcher'];
  readonly send: Outlets['send'];
  readonly seal: Outlets['seal'];
  readonly notify: Outlets['notify'];
  readonly encode: Outlets['encode'];
  readonly mail: Outlets['mail'];
  /** How often receivers of agents were asked for a proof. */
  readonly challenges: ChallengeCounter;
  /** Tells agents of gaps and alerts. */
  readonly noticeEvents: Pick<NoticeEvents, 'look'>;
  /** Sends heads of the log of certificates to webhooks. */
  readonly headNotices: HeadNotices;
  /** Requests that must not overlap wait for each other here. */
  readonly locks: NamedLocks;
  /** Events and matches of the last minutes, for Status. */
  readonly traffic: Traffic;
  /** How far answers can be relied on. */
  readonly coverage: CoverageAssessor;
  /** How what feeds the platforms does. */
  readonly feeds: FeedReports;
  /** Looks for surges and silence. */
  readonly watcher: Pick<Watcher, 'figures' | 'wake'>;
  /** Tries rules on history. */
  readonly rehearsals: Pick<Rehearsals, 'wake' | 'cancelled' | 'running'>;
  /** History that rules can be tried on beside the recent events. */
  readonly history: HistoryAccess;
  /** How the open sources do, for Status. */
  readonly sources: () => readonly SourceStatus[];
  /** The sources of the operator as they are configured. */
  readonly operatorSources: readonly SourceConfig[];
  /** Visits the sources of accounts. */
  readonly visits: Visits;
  readonly demo: Demo;
  /** Asks the operator's model about matches; undefined where there is none. */
  readonly judge?: Pick<Judge, 'status' | 'counts'> | undefined;
}

/** The values of the configuration that the service itself needs. */
export interface Settings {
  readonly version: string;
  readonly startedAt: Date;
  /** The contact for callers who need higher limits. */
  readonly support: string;
  /** The address that people reach this installation at. */
  readonly publicUrl?: string | undefined;
  /** The price of one post or page that an upstream delivers; it is free when this is not set. */
  readonly prices?: Readonly<Record<Platform, number>>;
  /** The currency of prices and budgets. */
  readonly currency?: string;
  /** Events kept for preview, of each platform. */
  readonly recentEvents: number;
  /** How long matches are kept. */
  readonly retentionDays: number;
  /** The limits of accounts that the operator sets. */
  readonly limits?: AccountLimits;
  /** The kind of the store, by the name that traces have for it. */
  readonly database?: 'sqlite' | 'postgresql';
}
