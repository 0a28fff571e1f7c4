/** List Wakes: one record of every wake, whatever the way by which it goes out. */
import { z } from 'zod';
import { isPulled, PULLED } from '../../delivery/webhooks/wake-body.ts';
import { WAKE_STATES } from '../../domain/wake.ts';
import type { Delivery, Webhook } from '../../domain/webhook.ts';
import { UNACKNOWLEDGED, wakeState } from '../../wakes/wake-state.ts';
import { time } from '../shapes.ts';
import { exampleDelivery, limit } from './deliveries.ts';
import { operation, type WebhooksRoom } from './room.ts';
import { webhookId } from './webhook-shapes.ts';
import { unknownWebhook } from './webhooks.ts';

const listedWake = z.object({
  id: z.string(),
  webhook_id: z.string().describe('The webhook, or the subscription of an agent, by which it goes out.'),
  state: z
    .enum(WAKE_STATES)
    .describe(
      '`pending`: not handed over yet. `offered`: handed over at least once. `acknowledged`: its reader said that it was woken. `expired`: it was given up, or nobody acknowledged it within 24 hours although it asks for that.',
    ),
  matches: z.int(),
  created_at: time,
  acknowledged_at: time.nullable(),
  reason: z.string().nullable().describe('Why it expired.'),
});

const waitingAgent = z.object({
  webhook_id: z.string(),
  agent: z.string(),
  matches: z.int().describe('Counted up to 100.'),
  since: time.describe('When the oldest of them was stored.'),
});

export const exampleWake: z.input<typeof listedWake> = {
  id: exampleDelivery.id,
  webhook_id: exampleDelivery.webhook_id,
  state: 'acknowledged',
  matches: 3,
  created_at: exampleDelivery.created_at,
  acknowledged_at: '2026-11-15T08:30:04.500Z',
  reason: null,
};

export const listWakes = operation({
  name: 'listWakes',
  summary: 'List wakes',
  description:
    'The wakes of the account, newest first: every delivery of matches, whatever the way by which it goes out, and what became of it. `waiting` has agents that ask for their wakes and have none open: what is owed to them is their next one.',
  access: 'read',
  input: z.strictObject({
    webhook_id: webhookId.optional(),
    limit: limit.describe('How many to return.'),
    cursor: z.string().optional().describe('`next_cursor` of an earlier answer.'),
  }),
  output: z.object({
    wakes: z.array(listedWake),
    waiting: z.array(waitingAgent),
    next_cursor: z.string().optional(),
  }),
  example: { input: { limit: 1 }, output: { wakes: [exampleWake], waiting: [] } },
  async run(context, { account }, input) {
    const { store, clock, cursors } = context;
    if (input.webhook_id !== undefined && (await store.webhook(account.id, input.webhook_id)) === undefined)
      throw unknownWebhook();
    const { deliveries, next } = await store.deliveries({
      accountId: account.id,
      limit: input.limit,
      ...(input.webhook_id !== undefined && { webhookId: input.webhook_id }),
      ...(input.cursor !== undefined && { before: cursors.read(account.id, 'delivery', 'cursor', input.cursor) }),
    });
    const agents = await pulledOf(context, account.id);
    const waiting = await store.agenda({ accountId: account.id });
    return {
      wakes: deliveries
        .filter(({ matches }) => matches > 0)
        .map((delivery) => wakeToJson(delivery, clock.now(), agents.has(delivery.webhookId))),
      waiting: waiting.flatMap(({ webhook, owed, owedSince }) =>
        owedSince === undefined || !isPulled(webhook) ? [] : [waitingToJson(webhook, owed, owedSince)],
      ),
      ...(next !== undefined && { next_cursor: cursors.write(account.id, 'delivery', next) }),
    };
  },
});

const pulledOf = async ({ store }: WebhooksRoom, accountId: string): Promise<ReadonlySet<string>> =>
  new Set(
    [...(await store.webhooks(accountId)), ...(await store.subscriptions(accountId))]
      .filter(isPulled)
      .map(({ id }) => id),
  );

const waitingToJson = ({ id, url }: Webhook, matches: number, since: Date): z.input<typeof waitingAgent> => ({
  webhook_id: id,
  agent: url.slice(PULLED.length),
  matches,
  since: since.toISOString(),
});

function wakeToJson(delivery: Delivery, now: Date, pulled: boolean): z.input<typeof listedWake> {
  const state = wakeState(delivery, now, pulled);
  return {
    id: delivery.id,
    webhook_id: delivery.webhookId,
    state,
    matches: delivery.matches,
    created_at: delivery.createdAt.toISOString(),
    acknowledged_at: delivery.acknowledgedAt?.toISOString() ?? null,
    reason: state === 'expired' ? (delivery.reason ?? UNACKNOWLEDGED) : null,
  };
}
