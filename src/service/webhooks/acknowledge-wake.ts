/** Acknowledge Wake: the reader of a wake says that it was woken by it. */
import { z } from 'zod';
import type { Caller } from '../access/caller.ts';
import { ServiceError } from '../errors.ts';
import { exampleWake } from './list-wakes.ts';
import { operation, type WebhooksRoom } from './room.ts';

const wakeId = z.string().describe('The id of a wake: `wake_id` in it, or `eventId`, or the header `webhook-id`.');

export const acknowledgeWake = operation({
  name: 'acknowledgeWake',
  summary: 'Acknowledge a wake',
  description:
    'Says that the reader of this wake was woken by it: it is offered no more. `first` is true for one call alone, so that an agent that finds it false knows that this wake already had its turn. An agent with a token acknowledges the wakes of its own subscriptions.',
  access: 'read',
  grants: 'rules',
  input: z.strictObject({ wake_id: wakeId }),
  output: z.object({ first: z.boolean().describe('False: it was acknowledged before.') }),
  example: { input: { wake_id: exampleWake.id }, output: { first: true } },
  run: async (context, caller, { wake_id }) => ({ first: await acknowledge(context, caller, wake_id) }),
});

/** True for the first time. */
export async function acknowledge(
  { store, clock, matchSignals }: Pick<WebhooksRoom, 'store' | 'clock' | 'matchSignals'>,
  { account, grant, key }: Caller,
  id: string,
): Promise<boolean> {
  const unknown = new ServiceError('not_found', 'There is no such wake.');
  if (grant !== undefined) {
    const delivery = await store.delivery(account.id, id);
    const webhook = delivery && (await store.webhook(account.id, delivery.webhookId));
    if (webhook?.subscription?.ownerId !== key.id) throw unknown;
  }
  const acknowledged = await store.acknowledgeWake(account.id, id, clock.now());
  if (acknowledged === undefined) throw unknown;
  matchSignals.acknowledged(account.id);
  return acknowledged === 'first';
}
