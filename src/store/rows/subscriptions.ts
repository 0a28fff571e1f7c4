/** Columns of webhooks that agents subscribed with. */
import type { EventName, EventSubscription } from '../../domain/webhook.ts';
import { parseColumn } from './texts.ts';

interface SubscriptionColumns {
  readonly subscription: string | null;
  readonly owner: string | null;
  readonly event: EventName | null;
  readonly expires_at: number | null;
  readonly brief: number;
  readonly terms: string | null;
}

/** What is read with the row alone. */
interface Terms {
  readonly arguments: string;
  readonly start: number;
  readonly verifiedAt: number;
  readonly refreshedAt: number;
}

export const subscriptionValues = (subscription: EventSubscription) => ({
  subscription: subscription.id,
  owner: subscription.ownerId,
  event: subscription.event,
  expiresAt: subscription.expiresAt.getTime(),
  brief: subscription.isBrief ? 1 : 0,
  terms: JSON.stringify({
    arguments: subscription.arguments,
    start: subscription.start,
    verifiedAt: subscription.verifiedAt.getTime(),
    refreshedAt: subscription.refreshedAt.getTime(),
  } satisfies Terms),
});

export function subscriptionOf(row: SubscriptionColumns): EventSubscription | undefined {
  const { subscription, owner, event, expires_at, terms } = row;
  if (subscription === null || owner === null || event === null || expires_at === null || terms === null)
    return undefined;
  const { start, verifiedAt, refreshedAt, ...rest } = parseColumn<Terms>(terms);
  return {
    id: subscription,
    ownerId: owner,
    event,
    arguments: rest.arguments,
    start,
    expiresAt: new Date(expires_at),
    verifiedAt: new Date(verifiedAt),
    refreshedAt: new Date(refreshedAt),
    isBrief: row.brief === 1,
  };
}

/** Why pending deliveries of an ended subscription are given up. */
export const endedReason = (reason: string): string => `The subscription ended: ${reason}`;

export const REVOKED = 'What allowed it was revoked.';
export const EXPIRED = 'It was not refreshed in time.';
/** An ended subscription stays in sight this long, with its log. */
export const ENDED_KEPT_MS = 7 * 24 * 60 * 60 * 1_000;
/** Subscriptions that end, or go, in one transaction. */
export const ENDED_SLICE = 100;
