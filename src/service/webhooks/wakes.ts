/** List Wakes: one record of every wake, whatever the way by which it goes out. */
import { z } from 'zod';
import { AGENT_NAME, isPulled, PULLED, pulledUrl } from '../../delivery/webhooks/wake-body.ts';
import { WAKE_STATES } from '../../domain/wake.ts';
import type { Delivery, Webhook } from '../../domain/webhook.ts';
import { UNACKNOWLEDGED, wakeState } from '../../wakes/wake-state.ts';
import type { Caller } from '../access/caller.ts';
import { ServiceError } from '../errors.ts';
import { checkWaits, refuseEnded } from '../matches/wait-for-matches.ts';
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

const exampleWake: z.input<typeof listedWake> = {
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

/** Next Wake: what an agent that asks is woken by. */
const LONGEST_WAIT = 50;

const openWake = z.object({
  id: z.string(),
  text: z
    .string()
    .describe(
      'JSON, at most 600 tokens: how many matches of which rules, and the newest. Text by strangers is in `untrusted_content`.',
    ),
});

export const nextWake = operation({
  name: 'nextWake',
  summary: 'Wait for the next wake',
  description:
    'The open wake of an agent that asks, waiting for one if need be. It is the same one, with the same id and text, until it is acknowledged or has expired; what matches meanwhile is in the next. The agent is a webhook with a URL such as wake:my-agent.',
  access: 'read',
  input: z.strictObject({
    agent: z
      .string()
      .regex(AGENT_NAME, { error: 'It must be the name in a URL such as wake:my-agent.' })
      .describe('The name in its URL.'),
    wait_seconds: z.int().min(0).max(LONGEST_WAIT).default(0).describe('How long to wait for one.'),
  }),
  output: z.object({ wake: openWake.nullable().describe('Null: there is none yet.') }),
  example: {
    input: { agent: 'my-agent', wait_seconds: 45 },
    output: { wake: { id: exampleWake.id, text: '{"wake_id":"dlv_…","type":"wake","matches":3}' } },
  },
  async run(context, caller, { agent, wait_seconds }, { signal }) {
    const { clock, matchSignals } = context;
    if (wait_seconds > 0) checkWaits(context, caller.account);
    using watch = matchSignals.watch(caller.account.id);
    const enough = new AbortController();
    const ended = AbortSignal.any([signal, enough.signal]);
    if (wait_seconds > 0) void clock.sleep(wait_seconds * 1_000, ended).then(() => enough.abort());
    try {
      for (;;) {
        // A contract decides from what it has come to, so it is read anew.
        const wake = await openWakeOf(context, await agentOf(context, caller, agent));
        if (wake !== undefined || wait_seconds === 0 || ended.aborted) return { wake: wake ?? null };
        await watch.next(ended);
        await refuseEnded(context, caller);
      }
    } finally {
      enough.abort();
    }
  },
});

/** One look for all requests that wait for it: a match may wake hundreds of them. */
export const openWakeOf = (
  { dispatcher, matchSignals }: Pick<WebhooksRoom, 'dispatcher' | 'matchSignals'>,
  webhook: Webhook,
): ReturnType<typeof dispatcher.openWake> =>
  matchSignals.once(`wake of ${webhook.id}`, () => dispatcher.openWake(webhook));

async function agentOf({ store, matchSignals }: WebhooksRoom, { account }: Caller, agent: string): Promise<Webhook> {
  const url = pulledUrl(agent);
  const agentIn = (all: readonly Webhook[]) => all.find((one) => one.url === url);
  const shared = await matchSignals.once(`webhooks of ${account.id}`, () => store.webhooks(account.id));
  // A look that others began may be older than the webhook.
  const found = agentIn(shared) ?? agentIn(await store.webhooks(account.id));
  if (found !== undefined) return found;
  throw new ServiceError(
    'not_found',
    `No agent has this name. Create Webhook with the URL ${url} and the format wake.`,
  );
}

/** Acknowledge Wake: the reader of a wake says that it was woken by it. */
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
  const delivery = await store.delivery(account.id, id);
  const webhook = delivery && (await store.webhook(account.id, delivery.webhookId));
  if (grant !== undefined && webhook?.subscription?.ownerId !== key.id) throw unknown;
  const acknowledged = await store.acknowledgeWake(account.id, id, clock.now());
  if (acknowledged === undefined) throw unknown;
  // A wake that is acknowledged again and again wakes nobody.
  if (acknowledged === 'first') matchSignals.acknowledged(account.id, webhook?.ruleIds);
  return acknowledged === 'first';
}
