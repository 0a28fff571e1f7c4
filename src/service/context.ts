/**
 * What operations and loops work with. `createService` puts it together; tests may build one of their own parts.
 */
import type { Clock } from '../base/clock.ts';
import type { Turns } from '../base/named-lock.ts';
import type { Platform } from '../domain/platform.ts';
import type { LivePlatform } from '../platforms/platform.ts';
import type { Language } from '../rules/language.ts';
import type { SourceStatus } from '../sources/run.ts';
import type { Store } from '../store/store.ts';
import type { Caller } from './access/caller.ts';
import type { Sessions } from './access/sessions.ts';
import type { Tickets } from './access/tickets.ts';
import type { Follow } from './cluster/rule-follower.ts';
import type { Ingest } from './ingest/ingest.ts';
import type { Matching } from './ingest/matching.ts';
import type { Traffic } from './ingest/traffic.ts';
import type { MatchNews } from './outlets/match-signals.ts';
import type { Deliveries, DeliveryOptions } from './outlets/outlets.ts';
import type { Registrations } from './registrations/registrations.ts';
import type { Log, Metrics } from './telemetry.ts';
import type { Budgets } from './upstream/budgets.ts';
import type { Upstreams } from './upstream/upstreams.ts';
import type { Kept } from './versioned-cache.ts';

export interface Context {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly settings: Settings;
  readonly deliveryLimits: Pick<DeliveryOptions, 'streams' | 'allowPrivate'>;
  readonly languages: Readonly<Record<Platform, Language>>;
  readonly platforms: Readonly<Record<Platform, LivePlatform>>;
  /** Who holds what on the platforms. */
  readonly registrations: Registrations;
  /** The live rules: one engine for each platform. */
  readonly matching: Matching;
  /** The way in for events. */
  readonly ingest: Ingest;
  /** What accounts may spend on upstreams. */
  readonly budgets: Budgets;
  /** The streams of upstreams. */
  readonly upstreams: Upstreams;
  /** News of stored matches, for whoever waits for some. */
  readonly matchNews: MatchNews;
  /** Who called lately, by the digest of the key. */
  readonly callers: Kept<Caller | undefined>;
  /** Rendered pages of List Matches, by account and input. */
  readonly matchPages: Kept<Buffer>;
  /** The other processes on the store. */
  readonly nodes: Pick<Follow, 'caughtUp' | 'apis'>;
  readonly sessions: Sessions;
  /** What stands for a key when a browser opens a stream. */
  readonly streamTickets: Tickets;
  /** What opens the console in a browser without a key. */
  readonly entryTickets: Tickets;
  /** The ways out for matches: live subscribers and webhooks. */
  readonly live: Deliveries['live'];
  readonly dispatcher: Deliveries['dispatcher'];
  readonly send: Deliveries['send'];
  readonly seal: Deliveries['seal'];
  /** Requests that must not overlap wait for each other here. */
  readonly turns: Turns;
  /** Events and matches of the last minutes, for Status. */
  readonly traffic: Traffic;
  /** How the open sources do, for Status. */
  readonly sources: () => readonly SourceStatus[];
}

/** The values of the configuration that the service itself needs. */
export interface Settings {
  readonly version: string;
  readonly startedAt: Date;
  /** Where a caller asks for higher limits. */
  readonly support: string;
  /** What one post or page costs that an upstream delivers; nothing when it is not set. */
  readonly prices?: Readonly<Record<Platform, number>>;
  /** Events kept for preview, of each platform. */
  readonly recentEvents: number;
}
