/**
 * Subscribe and Unsubscribe: an agent names an event and an address, and each event is posted there. A subscription is a
 * webhook of the agent's own; the same request again refreshes it.
 */
import { newId } from '../../base/ids.ts';
import { webhookUrlProblem } from '../../delivery/webhooks/egress.ts';
import { EXPIRED_SUBSCRIPTION } from '../../delivery/webhooks/events.ts';
import type { Webhook } from '../../domain/webhook.ts';
import type { Caller } from '../access/caller.ts';
import { stillWorks } from '../access/grants.ts';
import { unauthenticated } from '../access/keys.ts';
import type { Context } from '../context.ts';
import { invalidArgument, ServiceError } from '../errors.ts';
import { limitReached, MAX_ACCOUNT_SUBSCRIPTIONS, MAX_AGENT_SUBSCRIPTIONS, MAX_CHALLENGES } from '../limits.ts';
import { type EventArguments, type EventType, eventTypeOf } from './event-types.ts';
import { checkInput } from './perform.ts';
import { ruleOf } from './read-rules.ts';
import { type DeliveryHealth, healthOf } from './subscription-health.ts';
import { beginAfter, placeOf, settledCursor } from './subscription-replay.ts';
import {
  canonicalJson,
  expiryOf,
  isLive,
  isProven,
  maySubscribe,
  secretsAfter,
  subscriptionIdOf,
} from './subscription-terms.ts';
import { verifyReceiver } from './verify-receiver.ts';
import { wakeContractOf } from './wake-shapes.ts';

export interface SubscriptionRequest {
  readonly name: string;
  readonly arguments: unknown;
  readonly url: string;
  readonly secret: string;
  readonly cursor: string | null | undefined;
  readonly maxAgeMs: number | undefined;
  readonly ttlMs: number | null | undefined;
}

export interface Subscribed {
  readonly id: string;
  readonly refreshBefore: Date;
  readonly cursor: string;
  readonly truncated: boolean;
  /** Of one that was there before. */
  readonly health: DeliveryHealth | undefined;
}

export async function subscribe(
  context: Context,
  caller: Caller,
  request: SubscriptionRequest,
  signal: AbortSignal,
): Promise<Subscribed> {
  const { type, chosen } = await allowed(context, caller, request);
  const url = receiverUrl(context, request.url);
  checkSecret(request.secret);
  const place = placeOf(context, caller, request);
  const key = { ownerId: caller.key.id, url, event: type.name, arguments: canonicalJson(request.arguments) };
  const id = subscriptionIdOf(key);
  return context.turns.inTurn(id, async () => {
    const { store, clock, dispatcher } = context;
    const mine = (await store.subscriptions(caller.account.id)).filter(
      ({ subscription }) => subscription?.ownerId === caller.key.id,
    );
    const before = mine.find(({ subscription }) => subscription?.id === id);
    const live = before !== undefined && isLive(before, clock.now());
    if (before !== undefined && !live) await store.endSubscription(before.id, EXPIRED_SUBSCRIPTION);
    const verifiedAt = await proofOf(context, mine, { url, secret: request.secret, subscriptionId: id }, signal);
    const begin = live ? undefined : await beginAfter(context, caller, type, chosen, place);
    const now = clock.now();
    const webhook: Webhook = {
      ...(before ?? (await newWebhook(context, caller, type, chosen, url))),
      status: 'active',
      reason: undefined,
      secrets: secretsAfter(context, before, request.secret),
      health: { lastFailureAt: undefined, failingSince: undefined },
      subscription: {
        id,
        ownerId: key.ownerId,
        event: type.name,
        arguments: key.arguments,
        start: begin?.start ?? before?.subscription?.start ?? 0,
        expiresAt: await expiryOf(context, caller, request.ttlMs),
        verifiedAt,
        refreshedAt: now,
        isBrief: before?.subscription?.isBrief ?? false,
      },
    };
    await save(context, caller, webhook);
    const { cursor, truncated } =
      begin === undefined ? await settledCursor(context, webhook) : await begin.carryOut(webhook);
    dispatcher.changed(webhook.id);
    context.noticeEvents.look();
    const health = before === undefined ? undefined : await healthOf(context, before);
    return { id, refreshBefore: webhook.subscription!.expiresAt, cursor, truncated, health };
  });
}

/** Nothing more is sent. An unknown subscription is answered alike. */
export async function unsubscribe(
  context: Context,
  caller: Caller,
  request: Pick<SubscriptionRequest, 'name' | 'arguments' | 'url'>,
): Promise<void> {
  if (!maySubscribe(caller)) throw forbidden();
  if (!URL.canParse(request.url)) return;
  const url = new URL(request.url).href;
  const id = subscriptionIdOf({
    ...{ ownerId: caller.key.id, url, event: request.name },
    arguments: canonicalJson(request.arguments),
  });
  await context.turns.inTurn(id, async () => {
    const all = await context.store.subscriptions(caller.account.id);
    const found = all.find(({ subscription }) => subscription?.id === id);
    if (found !== undefined) await context.store.endSubscription(found.id, 'The agent unsubscribed.');
  });
}

const forbidden = (): ServiceError =>
  new ServiceError('permission_denied', 'Events need the scope `events`, or a key of scope `full`.');

async function allowed(
  context: Context,
  caller: Caller,
  { name, arguments: given }: SubscriptionRequest,
): Promise<{ type: EventType; chosen: EventArguments }> {
  if (!maySubscribe(caller)) throw forbidden();
  const type = eventTypeOf(name);
  if (type === undefined)
    throw new ServiceError('not_found', 'There is no such event.', { details: { kind: 'event' } });
  const chosen = checkInput(type.input, given);
  if (chosen.rule_id !== undefined) {
    await ruleOf(context, caller, chosen.rule_id).catch((error: unknown) => {
      if (!(error instanceof ServiceError) || error.code !== 'not_found') throw error;
      throw new ServiceError('permission_denied', 'There is no such rule among those that you may see.');
    });
  }
  return { type, chosen };
}

function receiverUrl({ deliveryLimits }: Context, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const problem =
    url === undefined
      ? 'The URL is not valid.'
      : url.hash === ''
        ? webhookUrlProblem(url, deliveryLimits.allowPrivate)
        : 'The URL must not have a fragment.';
  if (url !== undefined && problem === undefined) return url.href;
  throw invalidArgument([{ path: 'delivery.url', message: problem ?? '' }]);
}

const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

function checkSecret(secret: string): void {
  const encoded = SECRET.exec(secret)?.[1] ?? '';
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length >= 24 && bytes.length <= 64 && bytes.toString('base64') === encoded) return;
  const message = 'It must be `whsec_` and the standard base64 of 24 to 64 bytes.';
  throw invalidArgument([{ path: 'delivery.secret', message }]);
}

/** When the receiver proved that it wants events: lately, or now. */
async function proofOf(
  context: Context,
  mine: readonly Webhook[],
  receiver: Parameters<typeof verifyReceiver>[1],
  signal: AbortSignal,
): Promise<Date> {
  const { clock, challenges } = context;
  const proven = mine.find(
    ({ url, subscription }) =>
      url === receiver.url && subscription !== undefined && isProven(subscription, clock.now()),
  );
  if (proven?.subscription !== undefined) return proven.subscription.verifiedAt;
  if (!challenges.take(new URL(receiver.url).host))
    throw limitReached('challenges', `This host was asked ${MAX_CHALLENGES} times within a minute.`, {
      details: { max: MAX_CHALLENGES },
      retryAfter: 60,
    });
  const problem = await verifyReceiver(context, receiver, signal);
  if (problem === undefined) return clock.now();
  throw new ServiceError('failed_precondition', 'The receiver did not prove that it wants events.', {
    details: { receiver: problem },
  });
}

async function newWebhook(
  { clock }: Context,
  { account, key, grant }: Caller,
  { isMatch }: EventType,
  chosen: EventArguments,
  url: string,
): Promise<Webhook> {
  const rules = chosen.rule_id === undefined ? grant?.ruleIds : [chosen.rule_id];
  return {
    id: newId('hook', clock.now()),
    accountId: account.id,
    url,
    description: key.name,
    ruleIds: rules,
    platforms: chosen.platform === undefined ? undefined : [chosen.platform],
    // Notices are given to a subscription one by one.
    events: isMatch ? ['match'] : [],
    format: 'mcp',
    every: undefined,
    ...(chosen.wake && { wake: wakeContractOf(chosen.wake) }),
    status: 'active',
    reason: undefined,
    createdAt: clock.now(),
    secrets: { current: '', previous: undefined, previousUntil: undefined },
    health: { lastFailureAt: undefined, failingSince: undefined },
  };
}

/** What allows it may have been revoked while the receiver was asked. Who revokes from here on finds it stored. */
async function save(context: Context, caller: Caller, webhook: Webhook): Promise<void> {
  const limits = { ofAccount: MAX_ACCOUNT_SUBSCRIPTIONS, ofOwner: MAX_AGENT_SUBSCRIPTIONS };
  const reached = await context.store.saveSubscription(webhook, limits);
  if (reached !== undefined) {
    const max = reached === 'owner' ? limits.ofOwner : limits.ofAccount;
    const whose = reached === 'owner' ? 'This agent' : 'The account';
    throw limitReached(
      reached === 'owner' ? 'subscriptions_per_agent' : 'subscriptions',
      `${whose} has ${max} subscriptions, which is the limit.`,
      { details: { max } },
    );
  }
  if (await stillWorks(context, caller)) return;
  await context.store.endSubscription(webhook.id, 'What allowed it has ended.');
  throw unauthenticated();
}
