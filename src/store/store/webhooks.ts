/** Webhooks, what they are owed, and the deliveries made of it. A `note` goes into the audit log with the change. */
import type { Change } from '../../domain/change.ts';
import type { Match } from '../../domain/match.ts';
import type { WakeAccount, WakeContract, WakeStory } from '../../domain/wake.ts';
import type { Attempt, Delivery, DeliveryStatus, EventName, Webhook, WebhookHealth } from '../../domain/webhook.ts';
import type { Position } from './position.ts';

export interface WebhookStore {
  /** False when the account has `limit` webhooks already. */
  addWebhook(webhook: Webhook, limit: number, note?: Change): Promise<boolean>;
  /** Oldest first. */
  webhooks(accountId: string): Promise<Webhook[]>;
  webhook(accountId: string, webhookId: string): Promise<Webhook | undefined>;
  /** Changes the given fields. False when the account has no such webhook. */
  changeWebhook(accountId: string, webhookId: string, change: WebhookChange, note?: Change): Promise<boolean>;
  /** Out of sight at once, with its deliveries; they leave the disk through `removeSlice`. */
  deleteWebhook(accountId: string, webhookId: string, note?: Change): Promise<boolean>;
}

/** Webhooks that agents subscribed with. `webhooks` does not list them, and `addWebhook` does not count them. */
export interface SubscriptionStore {
  /** Oldest first, ended ones too until they are forgotten. */
  subscriptions(accountId: string): Promise<Webhook[]>;
  /** Adds the webhook, or replaces the one with the same subscription. Answers the limit that is reached instead. */
  saveSubscription(webhook: Webhook, limits: SubscriptionLimits): Promise<'account' | 'owner' | undefined>;
  /** Nothing more is sent; what is pending has failed. False when it had ended. Not scoped. */
  endSubscription(webhookId: string, reason: string): Promise<boolean>;
  /** The live ones to an event, of every account. */
  subscribers(event: EventName): Promise<Webhook[]>;
  /**
   * Owes the newest matches of a rule after a position once more, but for those that the receiver has accepted, and
   * drops what waits before them. Answers where they begin.
   */
  replay(webhookId: string, after: Position, limit: number): Promise<Position>;
  /** Matches that wait for the webhook are not owed to it any more. */
  dropOwed(webhookId: string, positions: readonly Position[]): Promise<void>;
  /** Of these positions, those of matches that are the first of their rule in a story. Not scoped. */
  storyBeginnings(positions: readonly Position[]): Promise<Position[]>;
  /** Everything up to here is delivered or given up. `now`, for events that are no matches. */
  watermark(webhookId: string, now?: Date): Promise<Position>;
}

export interface SubscriptionLimits {
  /** Live subscriptions of an account, and of one grant or key. */
  readonly ofAccount: number;
  readonly ofOwner: number;
  /** Of those that ended, the oldest is forgotten beyond this many of an account. */
  readonly ended: number;
}

export interface DeliveryStore {
  /** Newest first. */
  deliveries(query: DeliveryQuery): Promise<{ deliveries: Delivery[]; next: number | undefined }>;
  delivery(accountId: string, deliveryId: string): Promise<Delivery | undefined>;
  /** Makes a delivery of one match for an active webhook. False, and nothing done, when one of them is not there any more. */
  sendMatch(sending: SentMatch): Promise<boolean>;
  /** Attempts to deliver to a webhook within a time, the newest first. */
  attemptsOf(query: AttemptQuery): Promise<{ attempts: TimedAttempt[]; next: AttemptPlace | undefined }>;
  /** Makes a delivery due again, with the same id and bytes. False when its bytes are gone, or it is. */
  redeliver(accountId: string, deliveryId: string, now: Date): Promise<boolean>;
  /** Makes every delivery of a webhook since a time due again, and owes it what was stored since and is in none. */
  redeliverSince(
    accountId: string,
    webhookId: string,
    since: Date,
    now: Date,
  ): Promise<{ deliveries: number; matches: number }>;
}

/** What is owed, for the process that delivers it. Not scoped. */
export interface OwedStore {
  /** Active webhooks that are owed something: all of them, of an account, or one. */
  agenda(of: { accountId?: string; webhookId?: string }): Promise<Agenda[]>;
  /** Takes an active webhook for one holder until a time, unless another has it. Answers who has it now. */
  claimWebhook(webhookId: string, claim: { holder: string; now: Date; until: Date }): Promise<string | undefined>;
  /** Gives back what a holder has. */
  releaseWebhooks(holder: string): Promise<void>;
  /** What waits for a batch, oldest first: matches stored before a time, of rules that are still there. */
  owedMatches(webhookId: string, until: Date, limit: number, bytes?: number): Promise<Match[]>;
  /**
   * Makes a delivery of matches that waited, and puts held ones into a digest. False, and nothing done, when one of them is
   * gone or taken meanwhile, or when the webhook's contract has decided or was changed meanwhile.
   */
  freeze(batch: Batch): Promise<boolean>;
  /** What a webhook knows of these stories; those it knows nothing of are left out. */
  wakeStories(webhookId: string, stories: readonly string[]): Promise<Map<string, WakeStory>>;
  /** Nothing joins the digest from now on. Answers what is in it, of rules that are still there. */
  closeDigest(deliveryId: string): Promise<HeldMatch[]>;
  /** Matches by their positions, of rules that are still there, in no order. */
  matchesAt(positions: readonly Position[]): Promise<Match[]>;
  /** Gives a closed digest its bytes, or drops one that is empty. False, and nothing done, when matches have left it. */
  sealDigest(sealed: SealedDigest): Promise<boolean>;
  /** The next ones due, soonest first. */
  pendingDeliveries(webhookId: string, limit: number): Promise<PendingDelivery[]>;
  /** The frozen bytes; undefined when the delivery is gone or no longer pending. */
  pendingBody(deliveryId: string): Promise<string | undefined>;
  /** An attempt with all that follows from it, in one transaction. */
  recordAttempt(record: AttemptRecord): Promise<void>;
  /** Makes deliveries of bytes that hold no match. One with the same id that is there already stays as it is. */
  addNotices(notices: readonly NoticeDelivery[]): Promise<void>;
  /** Webhooks that matches wait for, in whatever state, the longest wait first. */
  owedBacklog(limit: number): Promise<OwedBacklog[]>;
}

export interface OwedBacklog {
  readonly accountId: string;
  readonly webhookId: string;
  readonly status: Webhook['status'];
  /** Whether matches are collected for a batch, and wait on purpose. */
  readonly isBatched: boolean;
  /** How many wait, counted up to a thousand. */
  readonly matches: number;
  /** When the oldest of them was stored. */
  readonly since: Date;
}

/** A null takes the value away. */
export interface WebhookChange {
  readonly url?: string;
  readonly description?: string;
  readonly ruleIds?: Webhook['ruleIds'] | null;
  readonly platforms?: Webhook['platforms'] | null;
  readonly format?: Webhook['format'];
  readonly events?: Webhook['events'];
  readonly every?: number | null;
  readonly wake?: WakeContract | null;
  /** Made active, a webhook starts with a clean record. */
  readonly status?: Webhook['status'];
  /** Why it is disabled from now on. */
  readonly reason?: string;
  readonly secrets?: Webhook['secrets'];
  readonly credential?: string | null;
  readonly confirmedUrl?: string | null;
}

export interface DeliveryQuery {
  readonly accountId: string;
  readonly webhookId?: string;
  readonly status?: DeliveryStatus;
  readonly before?: number;
  readonly limit: number;
}

export interface SentMatch {
  readonly id: string;
  readonly accountId: string;
  readonly webhookId: string;
  readonly position: Position;
  readonly body: string;
  readonly at: Date;
}

/** A place in the order of attempts. */
export interface AttemptPlace {
  readonly at: number;
  readonly number: number;
}

export interface AttemptQuery {
  readonly accountId: string;
  readonly webhookId: string;
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
  readonly before?: AttemptPlace;
  readonly limit: number;
}

export interface TimedAttempt {
  readonly at: Date;
  readonly milliseconds: number;
  readonly isDelivered: boolean;
}

export interface Agenda {
  readonly webhook: Webhook;
  /** When the oldest match that waits for a batch was stored. */
  readonly owedSince: Date | undefined;
  /** How many wait, counted up to a full batch. */
  readonly owed: number;
  /** Deliveries under way, counted up to a thousand. */
  readonly pending: number;
  readonly nextAt: Date | undefined;
}

export interface Batch {
  readonly id: string;
  readonly webhookId: string;
  readonly positions: readonly Position[];
  readonly body: string;
  readonly at: Date;
  /** With a webhook that has a contract, and with no other. Then `positions` may be empty. */
  readonly wake?: WakeTurn;
}

/** What a contract decided. */
export interface WakeTurn {
  /** The webhook's turn that it was decided from. */
  readonly turn: number;
  readonly account: WakeAccount;
  readonly stories: ReadonlyMap<string, WakeStory>;
  readonly held: readonly { readonly position: Position; readonly story: string | undefined }[];
  /** For the held matches, unless a digest for the same time is open and has room. */
  readonly digest: { readonly id: string; readonly dueAt: Date; readonly most: number };
}

export interface HeldMatch {
  readonly id: string;
  readonly position: Position;
  readonly at: Date;
  readonly story: string | undefined;
}

export interface SealedDigest {
  readonly deliveryId: string;
  /** Undefined for an empty one. */
  readonly body: string | undefined;
  /** How many matches the body tells of. */
  readonly matches: number;
}

export interface NoticeDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly body: string;
  readonly at: Date;
}

export interface PendingDelivery {
  readonly id: string;
  readonly nextAt: Date;
  /** Attempts made since it was created or asked for again. */
  readonly made: number;
  /** A digest whose bytes are not written yet. */
  readonly isUnwritten?: boolean;
}

export interface AttemptRecord {
  readonly deliveryId: string;
  readonly attempt: Attempt;
  readonly outcome:
    | { readonly status: 'delivered' }
    | { readonly status: 'pending'; readonly nextAt: Date }
    | { readonly status: 'failed'; readonly reason: string };
  readonly health: WebhookHealth;
  /** The webhook works again: what waits for its next attempt need not wait. */
  readonly recovered: boolean;
  /** Why the webhook is disabled from now on. */
  readonly disable: string | undefined;
  /** The receiver wants shorter events from now on. */
  readonly shorten?: boolean;
  /** What other webhooks are told of it. */
  readonly notices: readonly NoticeDelivery[];
}
