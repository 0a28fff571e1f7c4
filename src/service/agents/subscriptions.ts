/** List Subscriptions and End Subscription: what agents subscribed to, for the people who answer for the account. */
import { z } from 'zod';
import { shownAddress } from '../../delivery/webhooks/addresses.ts';
import { EVENT_NAMES, type Webhook } from '../../domain/webhook.ts';
import { byCaller } from '../access/change-notes.ts';
import { ServiceError } from '../errors.ts';
import { areGone, RULES_GONE, rulesGone } from '../rules/rules-gone.ts';
import { time } from '../shapes.ts';
import { type AgentsRoom, operation } from './room.ts';
import { isLive, subscriptionNote } from './subscription-terms.ts';

export const listedSubscription = z.object({
  id: z.string(),
  webhook_id: z.string().describe('What List Deliveries takes: the log of the subscription.'),
  agent: z.string().nullable().describe('The name of the connected agent or the key; null when it is gone.'),
  owner_id: z.string().describe('The id of the grant or the key that it belongs to.'),
  event: z.enum(EVENT_NAMES),
  arguments: z.record(z.string(), z.unknown()),
  url: z
    .string()
    .describe(
      'Where events are sent: scheme and host, with `***` for the rest, which may be a secret. `wake:resource` and `wake:poll` for agents that ask instead.',
    ),
  status: z.enum(['active', 'ended']),
  reason: z.string().nullable().describe('Why it ended, or nothing comes to it.'),
  rules_gone: rulesGone,
  failing_since: time.nullable().describe('Since when every attempt has failed.'),
  created_at: time,
  refreshed_at: time,
  expires_at: time.describe('It ends then unless the agent refreshes it.'),
});

const exampleSubscription: z.input<typeof listedSubscription> = {
  id: 'sub_6e9b1e636eb3b7346e9b1e636eb3b734',
  webhook_id: 'hook_01k3zqc4d6f8h0k2m4p6r8t0v2',
  agent: 'ChatGPT',
  owner_id: 'grant_01k3zqa1b2c3d4e5f6g7h8j9k0',
  event: 'match.created',
  arguments: { rule_id: 'rule_01k3zq8f6s5v1m9c2x7d4b0n3h' },
  url: 'https://hooks.agent.example/***',
  status: 'active',
  reason: null,
  failing_since: null,
  created_at: '2026-11-15T08:30:00.123Z',
  refreshed_at: '2026-11-15T08:30:00.123Z',
  expires_at: '2026-11-16T08:30:00.123Z',
};

export const listSubscriptions = operation({
  name: 'listSubscriptions',
  summary: 'List subscriptions',
  description:
    'What agents subscribed to at `/mcp`, with `events/subscribe` or as a resource, oldest first. Those that ended are listed for another week.',
  access: 'read',
  input: z.strictObject({}),
  output: z.object({ subscriptions: z.array(listedSubscription) }),
  example: { input: {}, output: { subscriptions: [exampleSubscription] } },
  async run(context, { account }) {
    const { store, clock } = context;
    const [keys, grants] = await Promise.all([store.keys(account.id), store.grants(account.id, clock.now())]);
    const names = new Map([
      ...keys.map(({ id, name }): [string, string] => [id, name]),
      ...grants.map(({ id, clientName }): [string, string] => [id, clientName]),
    ]);
    const subscriptions = await store.subscriptions(account.id);
    const shown: z.input<typeof listedSubscription>[] = [];
    for (const webhook of subscriptions) {
      const isLeft = await areGone(context, account.id, webhook.ruleIds);
      shown.push(...subscriptionToJson(context, names, webhook, isLeft));
    }
    return { subscriptions: shown };
  },
});

function subscriptionToJson(
  { clock }: AgentsRoom,
  names: ReadonlyMap<string, string>,
  webhook: Webhook,
  isLeft: boolean,
): z.input<typeof listedSubscription>[] {
  const { subscription, id, reason, health, createdAt } = webhook;
  if (subscription === undefined) return [];
  const live = isLive(webhook, clock.now());
  return [
    {
      id: subscription.id,
      webhook_id: id,
      agent: names.get(subscription.ownerId) ?? null,
      owner_id: subscription.ownerId,
      event: subscription.event,
      arguments: JSON.parse(subscription.arguments) as Record<string, unknown>,
      url: shownAddress(webhook.url),
      status: live ? 'active' : 'ended',
      reason: live ? (isLeft ? RULES_GONE : null) : (reason ?? 'It was not refreshed in time.'),
      ...(live && isLeft && { rules_gone: true as const }),
      failing_since: health.failingSince?.toISOString() ?? null,
      created_at: createdAt.toISOString(),
      refreshed_at: subscription.refreshedAt.toISOString(),
      expires_at: subscription.expiresAt.toISOString(),
    },
  ];
}

export const endSubscription = operation({
  name: 'endSubscription',
  summary: 'End a subscription',
  description: 'Nothing more is sent to its receiver, and what is pending is given up. The agent may subscribe again.',
  access: 'full',
  input: z.strictObject({ subscription_id: z.string() }),
  output: z.object({}),
  example: { input: { subscription_id: exampleSubscription.id }, output: {} },
  async run({ store, clock }, caller, { subscription_id }) {
    const all = await store.subscriptions(caller.account.id);
    const found = all.find(({ subscription }) => subscription?.id === subscription_id);
    if (found === undefined) throw new ServiceError('not_found', 'There is no such subscription.');
    const note = subscriptionNote({ clock }, byCaller(caller), 'deleted', found);
    await store.endSubscription(found.id, 'A person ended it.', note);
    return {};
  },
});
