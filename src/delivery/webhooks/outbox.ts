/** The part of a store that deliveries need. */
import type { Match } from '../../domain/match.ts';
import type { Silence, WakeAccount, WakeStory } from '../../domain/wake.ts';
import type { Attempt, DueDelivery, PreparedNotice, Webhook } from '../../domain/webhook.ts';
import type { Check } from './agenda.ts';
import type { Owed } from './batching.ts';
import type { Judgement } from './outcome.ts';

export interface OwedToWebhook extends Owed {
  readonly webhook: Webhook;
  /** When the first wake that its receiver took, and has not acknowledged, is given up. */
  readonly acknowledgeBy?: Date | undefined;
}

export interface Outbox {
  agenda(of: Check): Promise<OwedToWebhook[]>;
  /** WebhookClaims a webhook until a time, unless another process holds it: one process works on it. Answers the holder. */
  claimWebhook(webhookId: string, claim: { holder: string; now: Date; until: Date }): Promise<string | undefined>;
  releaseWebhooks(holder: string): Promise<void>;
  /** False when one of the matches is no longer owed, or another decision of the webhook's contract came first. */
  freeze(batch: FrozenBatch): Promise<boolean>;
  /** Answers what a webhook knows of these stories. */
  wakeStories(webhookId: string, stories: readonly string[]): Promise<ReadonlyMap<string, WakeStory>>;
  /** The first matches of a rule after a position. */
  matchesAfter(query: {
    accountId: string;
    ruleId: string;
    after: number;
    limit: number;
  }): Promise<{ readonly matches: readonly { readonly position: number; readonly createdAt: Date }[] }>;
  /** Answers the silences of an account that hold at a time. */
  silences(accountId: string, now: Date): Promise<readonly Silence[]>;
  /** Nothing joins the digest from now on. Answers what is in it. */
  closeDigest(deliveryId: string): Promise<readonly HeldEntry[]>;
  /** Gives a digest its bytes, or drops an empty one. False when matches have left it meanwhile. */
  sealDigest(sealed: {
    deliveryId: string;
    body: string | undefined;
    madeFor?: string;
    matches: number;
    note?: string | undefined;
  }): Promise<boolean>;
  pendingDeliveries(webhookId: string, limit: number): Promise<DueDelivery[]>;
  pendingBody(deliveryId: string): Promise<string | undefined>;
  /** Forgets bytes that are for another kind of receiver: what they told of is written anew, or has failed for this reason. */
  writeAnew(deliveryId: string, reason: string): Promise<void>;
  recordAttempt(record: AttemptEntry): Promise<void>;
  /** An agent that asks was handed this delivery. */
  offerWake(deliveryId: string): Promise<void>;
  /**
   * Deliveries that wait for another attempt become due now. So do failed ones since a time that used up more than so
   * many attempts and were not acknowledged.
   */
  offerAgain(webhookId: string, failed: { since: Date; attempts: number; now: Date }): Promise<void>;
  /** Answers deliveries that the receiver took and was to acknowledge before a time. */
  unacknowledged(webhookId: string, until: Date, limit: number): Promise<{ id: string; nextAt: Date }[]>;
  /** Nobody acknowledged the delivery in time. The notices are stored with that, or not at all. */
  expireWake(deliveryId: string, expiry: { reason: string; notices: readonly PreparedNotice[] }): Promise<void>;
  /** Matches that wait for the webhook are not owed to it any more. */
  dropOwed(webhookId: string, positions: readonly number[]): Promise<void>;
  /** Answers the positions of matches that are the first of their rule in a story. */
  storyBeginnings(positions: readonly number[]): Promise<number[]>;
  /** Nothing more is sent to the subscriber; what is pending has failed. False when its time is not over by `expiredBy`. */
  endSubscription(webhookId: string, reason: string, note: undefined, expiredBy: Date): Promise<boolean>;
  /** Everything up to this position is delivered or given up. */
  watermark(webhookId: string): Promise<number>;
  /** All webhooks of an account. */
  webhooks(accountId: string): Promise<Webhook[]>;
}

/** Matches as they are given out. */
export interface OwedMatches {
  /** The list ends at `limit` matches, or with the match that brings it to `bytes` of payload. */
  owed(webhookId: string, until: Date, limit: number, bytes: number): Promise<readonly Match[]>;
  at(positions: readonly number[]): Promise<readonly Match[]>;
}

export interface FrozenBatch {
  readonly id: string;
  readonly webhookId: string;
  readonly positions: readonly number[];
  readonly body: string;
  readonly madeFor?: string;
  /** Why the body is not as its owner wanted it. */
  readonly note?: string | undefined;
  readonly at: Date;
  /** The decision of the webhook's contract. */
  readonly wake?: WakeOutcome;
}

export interface WakeOutcome {
  /** The turn of the webhook that it was decided from. */
  readonly turn: number;
  readonly account: WakeAccount;
  readonly stories: ReadonlyMap<string, WakeStory>;
  readonly held: readonly {
    readonly position: number;
    readonly story: string | undefined;
    readonly silence: string | undefined;
  }[];
  /** The digest for what is held, unless one for the same time is open. */
  readonly digest: {
    readonly id: string;
    readonly dueAt: Date;
    readonly most: number;
    /** It is full, and due then. */
    readonly fullAt?: Date;
    /** It waits for the end of this silence: nothing is stored when that has ended meanwhile. */
    readonly silence?: string;
  };
}

export interface HeldEntry {
  readonly id: string;
  readonly position: number;
  readonly at: Date;
  readonly story: string | undefined;
  /** The silence that held it. */
  readonly silence?: string | undefined;
}

export interface AttemptEntry extends Judgement {
  readonly deliveryId: string;
  readonly attempt: Attempt;
  /** The notices that other webhooks get about it. */
  readonly notices: readonly PreparedNotice[];
}
