/** Test Webhook, List Deliveries and Redeliver Webhook. */
import { z } from 'zod';
import { sendTest } from '../../delivery/webhooks/attempts.ts';
import type { Match } from '../../domain/match.ts';
import { DELIVERY_STATUSES, type Webhook } from '../../domain/webhook.ts';
import { invalidArgument, ServiceError } from '../errors.ts';
import { exampleMatch } from '../matches/matches.ts';
import { matchText } from '../reader/reader.ts';
import { instant } from '../shapes.ts';
import { operation } from './room.ts';
import {
  attemptToJson,
  deliveryId,
  deliveryToJson,
  exampleWebhook,
  listedAttempt,
  listedDelivery,
  webhookId,
} from './webhook-shapes.ts';
import { findWebhook, unknownWebhook } from './webhooks.ts';

const SAMPLE: Match = {
  id: exampleMatch.id,
  createdAt: new Date(exampleMatch.created_at),
  position: 0,
  platform: exampleMatch.platform,
  platformPostId: exampleMatch.platform_post_id,
  ruleId: exampleMatch.rule_id,
  ruleName: exampleMatch.rule_name,
  ruleVersion: exampleMatch.rule_version,
  payload: exampleMatch.payload,
  highlights: exampleMatch.highlights,
};

const exampleAttempt: z.input<typeof listedAttempt> = {
  at: '2026-11-15T08:30:01.200Z',
  milliseconds: 84,
  status_code: 200,
  error: null,
  response: 'ok',
};

export const exampleDelivery: z.input<typeof listedDelivery> = {
  id: 'dlv_01k3zqd1e3g5j7m9p1r3t5w7y9',
  webhook_id: exampleWebhook.id,
  created_at: '2026-11-15T08:30:01.123Z',
  status: 'delivered',
  reason: null,
  matches: 3,
  first_match: { id: exampleMatch.id, rule_id: exampleMatch.rule_id, rule_name: exampleMatch.rule_name },
  next_attempt_at: null,
  attempts: [exampleAttempt],
};

export const testWebhook = operation({
  name: 'testWebhook',
  summary: 'Test a webhook',
  description:
    'Sends one invented match now, as `type: "test"`, and returns the result. The test is signed like a delivery, sent once, and not listed.',
  access: 'full',
  input: z.strictObject({ webhook_id: webhookId }),
  output: z.object({ delivered: z.boolean(), ...listedAttempt.shape }),
  example: { input: { webhook_id: exampleWebhook.id }, output: { delivered: true, ...exampleAttempt } },
  async run(context, caller, { webhook_id }, { signal }) {
    const webhook = await findWebhook(context, caller, webhook_id);
    const { clock, send, seal, settings } = context;
    // Without the page to rate at: there is no such match.
    const sampled = Object.assign((match: Match) => matchText(match), { server: settings.publicUrl });
    const deps = { clock, send, seal, version: settings.version, encode: sampled };
    const attempt = await sendTest(deps, webhook, SAMPLE, signal);
    return { delivered: attempt.error === undefined, ...attemptToJson(attempt) };
  },
});

/** In a query string a number is text. */
export const limit = z.preprocess(
  (value) => (typeof value === 'string' && /^\d{1,4}$/.test(value) ? Number(value) : value),
  z.int().min(1).max(200).default(50),
);

export const listDeliveries = operation({
  name: 'listDeliveries',
  summary: 'List deliveries',
  description:
    'The sent and pending deliveries to the webhooks of the account, newest first, each with its attempts. All fields are optional.',
  access: 'read',
  input: z.strictObject({
    webhook_id: webhookId.optional(),
    status: z.enum(DELIVERY_STATUSES).optional(),
    limit: limit.describe('How many to return.'),
    cursor: z.string().optional().describe('`next_cursor` of an earlier answer.'),
  }),
  output: z.object({ deliveries: z.array(listedDelivery), next_cursor: z.string().optional() }),
  example: {
    input: { webhook_id: exampleWebhook.id, limit: 1 },
    output: {
      deliveries: [exampleDelivery],
    },
  },
  async run(context, caller, input) {
    const accountId = caller.account.id;
    if (input.webhook_id !== undefined && (await context.store.webhook(accountId, input.webhook_id)) === undefined)
      throw unknownWebhook();
    const { deliveries, next } = await context.store.deliveries({
      accountId,
      limit: input.limit,
      ...(input.webhook_id !== undefined && { webhookId: input.webhook_id }),
      ...(input.status !== undefined && { status: input.status }),
      ...(input.cursor !== undefined && {
        before: context.cursors.read(accountId, 'delivery', 'cursor', input.cursor),
      }),
    });
    return {
      deliveries: deliveries.map(deliveryToJson),
      ...(next !== undefined && { next_cursor: context.cursors.write(accountId, 'delivery', next) }),
    };
  },
});

export const redeliverWebhook = operation({
  name: 'redeliverWebhook',
  summary: 'Redeliver',
  description:
    'Sends one delivery again (`delivery_id`), or everything since a time (`since`): every delivery made since then, with the same id and content, and every match stored since then that was in no delivery, because the webhook was disabled or did not exist.',
  access: 'full',
  input: z.strictObject({ webhook_id: webhookId, delivery_id: deliveryId.optional(), since: instant.optional() }),
  output: z.object({
    deliveries: z.int().describe('How many deliveries are sent again.'),
    matches: z.int().describe('How many matches are sent that were in no delivery.'),
  }),
  example: {
    input: { webhook_id: exampleWebhook.id, since: '2026-11-15T08:00:00Z' },
    output: { deliveries: 4, matches: 17 },
  },
  async run(context, caller, { webhook_id, delivery_id, since }) {
    if ((delivery_id === undefined) === (since === undefined)) {
      throw invalidArgument([{ path: 'delivery_id', message: 'Give either `delivery_id` or `since`.' }]);
    }
    const { store, clock, dispatcher } = context;
    const webhook = await findWebhook(context, caller, webhook_id);
    checkEnabled(webhook);
    const queued =
      since === undefined
        ? { deliveries: await one(), matches: 0 }
        : await store.redeliverSince(caller.account.id, webhook.id, new Date(since), clock.now());
    dispatcher.changed(webhook.id);
    return queued;

    async function one(): Promise<number> {
      const delivery = await store.delivery(caller.account.id, delivery_id!);
      if (delivery?.webhookId !== webhook.id) throw new ServiceError('not_found', 'There is no such delivery.');
      if (await store.redeliver(caller.account.id, delivery.id, clock.now())) return 1;
      throw new ServiceError(
        'failed_precondition',
        'The content of this delivery was erased, so it cannot be sent again.',
        {
          details: { reason: 'delivery_erased' },
        },
      );
    }
  },
});

export function checkEnabled({ status, reason }: Webhook): void {
  if (status !== 'disabled') return;
  throw new ServiceError(
    'failed_precondition',
    `The webhook is disabled. ${reason ?? ''} To enable it, call Update Webhook with \`paused: false\`.`,
    { details: { reason: 'webhook_disabled' } },
  );
}
