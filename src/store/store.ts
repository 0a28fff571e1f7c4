/**
 * The store: everything durable, behind one interface that SQLite and PostgreSQL both satisfy. It knows nothing of rule
 * languages, engines or HTTP. A promise that resolves means that the change survives a power cut. Every call is scoped by
 * account; the few that are not say so. The folder `store` has a part for each noun.
 */
import type { Clock } from '../base/clock.ts';
import type { AccountStore, KeyStore, PassStore } from './store/accounts.ts';
import type { AlertStore, WatchStore } from './store/alerts.ts';
import type { ChangeStore } from './store/changes.ts';
import type { CommitStore } from './store/commits.ts';
import type { CoverageStore } from './store/coverage.ts';
import type { ClientStore, GrantStore } from './store/grants.ts';
import type { HouseStore } from './store/house.ts';
import type { MatchStore } from './store/matches.ts';
import type { NodeStore } from './store/nodes.ts';
import type { RatingStore } from './store/ratings.ts';
import type { RecentStore } from './store/recent.ts';
import type { RegistrationStore } from './store/registrations.ts';
import type { RehearsalStore } from './store/rehearsals.ts';
import type { AnswerStore, RuleStore } from './store/rules.ts';
import type { SharedFeedStore } from './store/shared-feeds.ts';
import type { StoryStore } from './store/stories.ts';
import type { ErasureStore } from './store/tombstones.ts';
import type { UpstreamStore, UsageStore } from './store/upstreams.ts';
import type { ViewStore } from './store/views.ts';
import type { DeliveryStore, OwedStore, SubscriptionStore, WebhookStore } from './store/webhooks.ts';

export type * from './store/accounts.ts';
export type * from './store/alerts.ts';
export type * from './store/changes.ts';
export type * from './store/commits.ts';
export type * from './store/coverage.ts';
export type * from './store/grants.ts';
export type * from './store/house.ts';
export type * from './store/matches.ts';
export type * from './store/nodes.ts';
export type * from './store/position.ts';
export type * from './store/ratings.ts';
export type * from './store/recent.ts';
export type * from './store/registrations.ts';
export type * from './store/rehearsals.ts';
export type * from './store/rules.ts';
export type * from './store/shared-feeds.ts';
export type * from './store/stories.ts';
export type * from './store/tombstones.ts';
export type * from './store/upstreams.ts';
export type * from './store/views.ts';
export type * from './store/webhooks.ts';

export type Store = AccountStore &
  KeyStore &
  PassStore &
  ClientStore &
  GrantStore &
  RuleStore &
  AnswerStore &
  RegistrationStore &
  ChangeStore &
  AlertStore &
  WatchStore &
  RehearsalStore &
  CommitStore &
  MatchStore &
  StoryStore &
  RatingStore &
  ViewStore &
  ErasureStore &
  WebhookStore &
  SubscriptionStore &
  SharedFeedStore &
  DeliveryStore &
  OwedStore &
  UpstreamStore &
  CoverageStore &
  UsageStore &
  NodeStore &
  RecentStore &
  HouseStore &
  AsyncDisposable;

export interface StoreOptions {
  readonly clock?: Clock;
  /** Matches older than this go. */
  readonly retentionDays?: number;
  /** An erased post is refused for this long, and not less than matches are kept. */
  readonly erasureDays?: number;
  /** Each of the two rings of recent events, for each platform. */
  readonly recent?: { readonly events?: number; readonly bytes?: number };
  /** Matches whose counts and stories SQLite writes together, at least. */
  readonly settleAfter?: number;
}
