import type { Platform } from './platform.ts';

/** A URL that wants matches. */
export interface Webhook {
  readonly id: string;
  readonly accountId: string;
  readonly url: string;
  readonly description: string;
  /** Only matches of these rules; all when undefined. */
  readonly ruleIds: readonly string[] | undefined;
  readonly platforms: readonly Platform[] | undefined;
  readonly format: WebhookFormat;
  /** Milliseconds of a digest; undefined when matches go out as they come. */
  readonly every: number | undefined;
  readonly status: WebhookStatus;
  /** Why it is disabled. */
  readonly reason: string | undefined;
  readonly createdAt: Date;
  readonly secrets: WebhookSecrets;
  readonly health: WebhookHealth;
}

export const WEBHOOK_FORMATS = ['json', 'slack', 'discord'] as const;
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];

/** What is owed to a paused webhook waits; a disabled one is owed nothing new until somebody enables it. */
export const WEBHOOK_STATUSES = ['active', 'paused', 'disabled'] as const;
export type WebhookStatus = (typeof WEBHOOK_STATUSES)[number];

/** Sealed: whoever has the database alone cannot sign. */
export interface WebhookSecrets {
  readonly current: string;
  /** The one before, which signs as well for a while after a rotation. */
  readonly previous: string | undefined;
  readonly previousUntil: Date | undefined;
}

export interface WebhookHealth {
  readonly lastFailureAt: Date | undefined;
  /** Since when nothing has succeeded; undefined until failures are more than an accident. */
  readonly failingSince: Date | undefined;
}

/** What is owed to a webhook: a batch of matches that was frozen before its first attempt. */
export interface Delivery {
  readonly id: string;
  readonly webhookId: string;
  readonly createdAt: Date;
  readonly matches: number;
  readonly status: DeliveryStatus;
  /** Why it failed for good. */
  readonly reason: string | undefined;
  readonly nextAt: Date | undefined;
  readonly attempts: readonly Attempt[];
}

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** One try. */
export interface Attempt {
  readonly at: Date;
  readonly milliseconds: number;
  readonly statusCode: number | undefined;
  /** What went wrong; undefined when the answer was a success. */
  readonly error: string | undefined;
  /** The beginning of the answer. */
  readonly response: string;
}
