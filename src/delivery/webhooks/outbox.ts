/** What deliveries need of a store. */
import type { Match } from '../../domain/match.ts';
import type { Attempt, Webhook } from '../../domain/webhook.ts';
import type { Check } from './agenda.ts';
import type { Owed } from './batching.ts';
import type { PreparedNotice } from './notices.ts';
import type { Judgement } from './outcome.ts';

export interface OwedToWebhook extends Owed {
  readonly webhook: Webhook;
}

export interface Outbox {
  agenda(of: Check): Promise<OwedToWebhook[]>;
  /** WebhookClaims a webhook until a time, unless another process holds it: one process works on it. Answers the holder. */
  claimWebhook(webhookId: string, claim: { holder: string; now: Date; until: Date }): Promise<string | undefined>;
  releaseWebhooks(holder: string): Promise<void>;
  /** The list ends at `limit` matches, or with the match that brings it to `bytes` of payload. */
  owedMatches(webhookId: string, until: Date, limit: number, bytes: number): Promise<Match[]>;
  /** False when one of the matches is no longer owed. */
  freeze(batch: FrozenBatch): Promise<boolean>;
  pendingDeliveries(webhookId: string, limit: number): Promise<DueDelivery[]>;
  pendingBody(deliveryId: string): Promise<string | undefined>;
  recordAttempt(record: AttemptEntry): Promise<void>;
  /** Nothing more is sent to the subscriber; what is pending has failed. */
  endSubscription(webhookId: string, reason: string): Promise<boolean>;
  /** Everything up to this position is delivered or given up. */
  watermark(webhookId: string): Promise<number>;
  /** All webhooks of an account. */
  webhooks(accountId: string): Promise<Webhook[]>;
}

export interface FrozenBatch {
  readonly id: string;
  readonly webhookId: string;
  readonly positions: readonly number[];
  readonly body: string;
  readonly at: Date;
}

export interface DueDelivery {
  readonly id: string;
  readonly nextAt: Date;
  /** Attempts so far. */
  readonly made: number;
}

export interface AttemptEntry extends Judgement {
  readonly deliveryId: string;
  readonly attempt: Attempt;
  /** What other webhooks are told of it. */
  readonly notices: readonly PreparedNotice[];
}
