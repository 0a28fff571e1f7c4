/** Send Match: one match to one webhook, now. */
import { z } from 'zod';
import { newId } from '../../base/ids.ts';
import { deliveryBody } from '../../delivery/webhooks/formats.ts';
import type { Webhook } from '../../domain/webhook.ts';
import { ServiceError } from '../errors.ts';
import { exampleMatch } from '../matches/matches.ts';
import { unknownMatch } from '../matches/rate-match.ts';
import { checkEnabled, exampleDelivery } from './deliveries.ts';
import { operation } from './room.ts';
import { deliveryToJson, exampleWebhook, listedDelivery, webhookId } from './webhook-shapes.ts';
import { findWebhook } from './webhooks.ts';

export const sendMatch = operation({
  name: 'sendMatch',
  summary: 'Send a match to a webhook',
  description:
    'Sends one match to one webhook at once, in the format of the webhook, whatever its rules, its batch and its wake contract say. It is a delivery like others: signed, tried again when it fails, and listed. A paused or disabled webhook is refused.',
  access: 'full',
  input: z.strictObject({ match_id: z.string().describe('The id of a match.'), webhook_id: webhookId }),
  output: listedDelivery,
  example: {
    input: { match_id: exampleMatch.id, webhook_id: exampleWebhook.id },
    output: {
      ...exampleDelivery,
      status: 'pending',
      matches: 1,
      next_attempt_at: exampleDelivery.created_at,
      attempts: [],
    },
  },
  async run(context, caller, { match_id, webhook_id }) {
    const { store, reader, clock, dispatcher, encode } = context;
    const accountId = caller.account.id;
    const webhook = await findWebhook(context, caller, webhook_id);
    checkActive(webhook);
    const match = await reader.one(accountId, match_id);
    if (match === undefined) throw unknownMatch();
    const at = clock.now();
    const id = newId('dlv', at);
    const { text: body, note } = deliveryBody(webhook, [match], encode);
    const sending = { id, accountId, webhookId: webhook.id, position: match.position, body, note, at };
    // Changed since it was looked at: looked at again, it says how.
    if (!(await store.sendMatch(sending))) {
      checkActive(await findWebhook(context, caller, webhook_id));
      throw unknownMatch();
    }
    dispatcher.changed(webhook.id);
    const delivery = await store.delivery(accountId, id);
    if (delivery === undefined) throw unknownMatch();
    return deliveryToJson(delivery);
  },
});

function checkActive(webhook: Webhook): void {
  checkEnabled(webhook);
  if (webhook.status === 'active') return;
  throw new ServiceError(
    'failed_precondition',
    'The webhook is paused. To resume it, call Update Webhook with `paused: false`.',
    { details: { reason: 'webhook_paused' } },
  );
}
