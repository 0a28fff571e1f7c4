/** Webhook Stats: how the deliveries to a webhook went over time. */
import { z } from 'zod';
import { ServiceError } from '../errors.ts';
import { instant, time } from '../shapes.ts';
import { operation } from './operation.ts';
import { exampleWebhook, webhookId } from './webhook-shapes.ts';

export const webhookStats = operation({
  name: 'webhookStats',
  summary: 'Count the attempts of a webhook over time',
  description:
    'The stored attempts to deliver to a webhook, by the time they were made: how many succeeded and failed, and how long the receiver took. Of each delivery the last twenty attempts are stored, as long as the delivery. The default is the last 24 hours.',
  access: 'read',
  input: z.strictObject({ webhook_id: webhookId, from: instant.optional(), to: instant.optional() }),
  output: z.object({
    bucket_seconds: z.int().describe('The length of a bucket.'),
    buckets: z.array(
      z.object({
        start: time,
        delivered: z.int().describe('Attempts that succeeded.'),
        failed: z.int().describe('Attempts that failed.'),
        attempts: z.int(),
        p50_ms: z.int().nullable().describe('Half of the attempts took this long or less. Null without an attempt.'),
        p95_ms: z.int().nullable().describe('95 of 100 attempts took this long or less. Null without an attempt.'),
      }),
    ),
  }),
  example: {
    input: { webhook_id: exampleWebhook.id, from: '2026-11-15T08:00:00Z', to: '2026-11-15T08:01:00Z' },
    output: {
      bucket_seconds: 60,
      buckets: [{ start: '2026-11-15T08:00:00.000Z', delivered: 11, failed: 1, attempts: 12, p50_ms: 84, p95_ms: 210 }],
    },
  },
  run: () => Promise.reject(new ServiceError('unavailable', 'Not yet.')),
});
