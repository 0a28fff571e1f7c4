/**
 * The store: everything durable, behind one interface that SQLite and PostgreSQL both satisfy. It knows nothing of rule
 * languages, engines or HTTP. A promise that resolves means that the change survives a power cut. Every call is scoped by
 * account; the few that are not say so. The folder `nouns` has a file for each noun: its interface, its rows, its statements.
 */
import type { Clock } from '../base/clock.ts';
import type { ColdReader } from './db.ts';
import type { ColdObjectStore } from './nouns/cold/cold-objects.ts';
import type { CommitStore } from './nouns/commits.ts';
import type { ErasureStore } from './nouns/erasure/erasure.ts';
import type { NodeStore } from './nouns/nodes.ts';
import type { RecentLimits } from './nouns/recent.ts';
import type { NounStore } from './nouns.ts';

export type { ColdObject } from './db.ts';
export type * from './nouns/account-use.ts';
export type * from './nouns/accounts.ts';
export type * from './nouns/alerts.ts';
export type * from './nouns/answers.ts';
export type * from './nouns/attempts.ts';
export type * from './nouns/certificate-log.ts';
export type * from './nouns/changes.ts';
export type * from './nouns/cold/cold-drafts.ts';
export type * from './nouns/cold/cold-merges.ts';
export type * from './nouns/cold/cold-objects.ts';
export type * from './nouns/commits.ts';
export type * from './nouns/coverage.ts';
export type * from './nouns/deliveries.ts';
export type { ErasureNote } from './nouns/erasure/erasing.ts';
export type * from './nouns/erasure/erasure.ts';
export type * from './nouns/erasure/tombstones.ts';
export type * from './nouns/grants.ts';
export type * from './nouns/inbox.ts';
export type * from './nouns/judging/judgements.ts';
export type * from './nouns/judging/spending.ts';
export type * from './nouns/matches.ts';
export type * from './nouns/minutes.ts';
export type * from './nouns/nodes.ts';
export type * from './nouns/owed.ts';
export type * from './nouns/passes.ts';
export type * from './nouns/ratings.ts';
export type * from './nouns/readings.ts';
export type * from './nouns/recent.ts';
export type * from './nouns/registrations.ts';
export type * from './nouns/rehearsals.ts';
export type * from './nouns/rule-texts.ts';
export type * from './nouns/rules.ts';
export type * from './nouns/shared-feeds.ts';
export type * from './nouns/silences.ts';
export type * from './nouns/sources/source-fetches.ts';
export type { SourceUse } from './nouns/sources/source-use.ts';
export type * from './nouns/sources/sources.ts';
export type * from './nouns/stories.ts';
export type * from './nouns/subscriptions.ts';
export type * from './nouns/trash.ts';
export type * from './nouns/upstreams.ts';
export type * from './nouns/usage.ts';
export type * from './nouns/views.ts';
export type * from './nouns/wakes.ts';
export type * from './nouns/webhooks.ts';
export type { Position } from './order.ts';
export type * from './rows/rule-rows.ts';
export type * from './rows/walk.ts';

/** The calls of all nouns, and those that each database answers in its own way. */
export type Store = NounStore &
  ColdObjectStore &
  CommitStore &
  ErasureStore &
  HouseStore &
  Pick<NodeStore, 'isShared' | 'bell'> &
  AsyncDisposable;

export interface StoreOptions {
  readonly clock?: Clock;
  /** Matches older than this go. */
  readonly retentionDays?: number;
  /** An erased post is refused for this long, and not less than matches are kept. */
  readonly erasureDays?: number;
  /** Each of the two rings of recent events, for each platform. */
  readonly recent?: Partial<RecentLimits>;
  /** Matches whose counts and stories SQLite writes together, at least. */
  readonly settleAfter?: number;
  /** Digests of erased texts are keyed with it: without it, nothing is erased by its text. */
  readonly textKey?: Uint8Array;
  /** Whether commits ring the bell of other nodes; `false` where somebody else tells them of matches. */
  readonly notify?: boolean;
  /** The reader of old matches. */
  readonly cold?: ColdReader | undefined;
}

/** Keeping house. Not scoped by account. */
export interface HouseStore {
  /** Two equal answers mean that nothing was changed in between, by any process: what was read then is still true. */
  version(): Promise<string>;
  /** Takes a slice of what must leave the disk, and says whether there is more. */
  removeSlice(now: Date): Promise<{ more: boolean }>;
  /** How far removal lags behind: a rise over hours means that matches come faster than old ones can be removed. */
  retentionBacklog(now: Date): Promise<RetentionBacklog>;
  /** Resolves when the events of all commits until now are among the recent ones. Some stores write them after a commit. */
  recentKept(): Promise<void>;
  /** How much room the database takes on its disk, free pages and the log included. */
  databaseBytes(): Promise<number>;
  /** Counts of what this process has asked of the database, since it opened it and now. */
  figures(): StoreFigures;
  backup(path: string): Promise<void>;
  /**
   * Throws unless the database is writable, its settings are the required ones, and a commit of so many bytes fits on
   * the disk: a row of them is really stored, and removed.
   */
  check(room?: number): Promise<void>;
}

export interface StoreFigures {
  /** Connections of this process, and callers that wait for one. SQLite has one that writes. */
  readonly connections: { readonly open: number; readonly idle: number; readonly waiting: number };
  /** How often something waited for the one place where matches are given their positions, and for how long in all. */
  readonly lock: { readonly waits: number; readonly seconds: number };
}

export interface RetentionBacklog {
  /** How long the oldest row that should be gone has been past its time; 0 when nothing is late. */
  readonly lateMs: number;
}
