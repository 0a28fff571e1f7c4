/** How the deliveries of a subscription do, for its subscriber. */
import type { Attempt, Webhook } from '../../domain/webhook.ts';
import type { AgentsRoom } from './room.ts';
import { type ReceiverProblem, receiverProblem } from './verify-receiver.ts';

export interface DeliveryHealth {
  readonly lastDeliveryAt: Date | undefined;
  /** Undefined after a success. */
  readonly lastError: ReceiverProblem | undefined;
  readonly failedSince: Date | undefined;
}

/** `webhook` as it was before a refresh, which gives it a clean record. */
export async function healthOf(
  { store }: Pick<AgentsRoom, 'store'>,
  { accountId, id: webhookId, health }: Webhook,
): Promise<DeliveryHealth> {
  const of = { accountId, webhookId, limit: 1 };
  const [delivered] = (await store.deliveries({ ...of, status: 'delivered' })).deliveries;
  const [newest] = (await store.deliveries(of)).deliveries;
  return {
    lastDeliveryAt: delivered?.attempts.at(-1)?.at,
    lastError: problemOf(newest?.attempts.at(-1)),
    failedSince: health.failingSince,
  };
}

const problemOf = (attempt: Attempt | undefined): ReceiverProblem | undefined =>
  attempt && receiverProblem({ ...attempt, overloaded: false, retryAfter: undefined });
