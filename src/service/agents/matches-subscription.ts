/**
 * Agents that are told where something new is, and then read it: subscribers of the resource of a rule's matches, and those that
 * poll. Behind each stands a record of wakes as an agent that asks has it: one is open at a time, until it is acknowledged.
 */
import type { EventName, Webhook } from '../../domain/webhook.ts';
import type { Position } from '../../store/store.ts';
import type { Caller } from '../access/caller.ts';
import { ruleOf } from '../rules/read-rules.ts';
import { eventTypeOf } from '../webhooks/event-types.ts';
import type { AgentsRoom } from './room.ts';
import { endByAgent, saveSubscription } from './subscribe.ts';
import { canonicalJson, expiryWithin, isLive, subscriptionIdOf } from './subscription-terms.ts';
import { subscribedWebhook } from './subscription-wish.ts';

/**
 * A subscription to the matches of a rule. Its addresses are `wake:resource` and `wake:poll`: nothing is sent to them.
 */
export interface Told {
  readonly by: 'resource' | 'poll';
  readonly event: EventName;
  readonly ruleId: string;
  /** The other arguments that the caller chose by. */
  readonly chosen?: Readonly<Record<string, unknown>>;
}

const DAY_MS = 24 * 60 * 60 * 1_000;
/** A subscriber that is away for longer begins anew. */
const LASTS_MS = 7 * DAY_MS;
/** Deliveries that are looked at for the open one. */
const LOOKED_AT = 10;
/** Matches that a record begins with, when it begins in the past. */
const MOST_REPLAYED = 1_000;

const keyOf = ({ key }: Caller, { by, event, ruleId, chosen }: Told) => ({
  ownerId: key.id,
  url: `wake:${by}`,
  event,
  arguments: canonicalJson({ ...chosen, rule_id: ruleId }),
});

function found({ store }: Pick<AgentsRoom, 'store'>, caller: Caller, told: Told): Promise<Webhook | undefined> {
  return store.subscription(caller.account.id, subscriptionIdOf(keyOf(caller, told)));
}

/** The record, which begins after a position, or now, unless there is one. Refreshed when a day of its time is over. */
export async function subscribeToMatches(
  context: AgentsRoom,
  caller: Caller,
  told: Told,
  after?: Position,
): Promise<Webhook> {
  await ruleOf(context, caller, told.ruleId);
  const key = keyOf(caller, told);
  const { url, arguments: canonical } = key;
  const id = subscriptionIdOf(key);
  return context.locks.run(id, async () => {
    const { store, clock } = context;
    const now = clock.now();
    const before = await found(context, caller, told);
    const isLasting = before !== undefined && isLive(before, now);
    if (isLasting && !isToRefresh(before, now)) return before;
    const latest = after ?? (await store.latest());
    const wish = { id, url, secret: '', type: eventTypeOf(told.event)!, chosen: { rule_id: told.ruleId }, canonical };
    const webhook: Webhook = {
      ...subscribedWebhook(context, caller, wish, before, {
        verifiedAt: now,
        expiresAt: await expiryWithin(context, caller, LASTS_MS),
        start: isLasting ? undefined : latest,
      }),
      format: 'wake',
    };
    const begins = isLasting ? undefined : { after: latest, limit: MOST_REPLAYED };
    await saveSubscription(context, caller, webhook, !isLasting && 'created', begins);
    if (!isLasting) await store.replay(webhook.id, latest, MOST_REPLAYED);
    return webhook;
  });
}

export const isToRefresh = ({ subscription }: Webhook, now: Date): boolean =>
  subscription !== undefined && now.getTime() - subscription.refreshedAt.getTime() >= DAY_MS;

export async function unsubscribeFromMatches(context: AgentsRoom, caller: Caller, told: Told): Promise<void> {
  const webhook = await found(context, caller, told);
  if (webhook !== undefined) await endByAgent(context, caller, webhook);
}

/** The open wake that the subscriber was told of: to be acknowledged once it has read what the wake is about. */
export async function wakeToldOf(
  context: Pick<AgentsRoom, 'store'>,
  caller: Caller,
  told: Told,
): Promise<string | undefined> {
  const webhook = await found(context, caller, told);
  if (webhook === undefined) return undefined;
  const waiting = await context.store.pendingDeliveries(webhook.id, LOOKED_AT);
  return waiting.find(({ isUnwritten, made }) => isUnwritten !== true && made > 0)?.id;
}
