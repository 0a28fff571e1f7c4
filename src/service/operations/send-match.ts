/** Send Match: one match to one webhook, now. */
import { z } from 'zod';
import { ServiceError } from '../errors.ts';
import { exampleDelivery } from './deliveries.ts';
import { exampleMatch } from './matches.ts';
import { operation } from './operation.ts';
import { exampleWebhook, listedDelivery, webhookId } from './webhook-shapes.ts';

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
  run: () => Promise.reject(new ServiceError('unavailable', 'Not yet.')),
});
