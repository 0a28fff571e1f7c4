/**
 * Subscribe and Unsubscribe: an agent names an event and an address, and each event is posted there. A subscription is a
 * webhook of the agent's own; the same request again refreshes it.
 */
import { parseUrl } from '../../base/parse-url.ts';
import { EXPIRED_SUBSCRIPTION } from '../../delivery/webhooks/events.ts';
import type { Attempt, Webhook } from '../../domain/webhook.ts';
import type { CatchUp } from '../../store/store.ts';
import type { Caller } from '../access/caller.ts';
import { byCaller, SYSTEM } from '../access/change-notes.ts';
import { stillWorks } from '../access/grants.ts';
import { unauthenticated } from '../access/keys.ts';
import { ServiceError } from '../errors.ts';
import { limitReached, MAX_ACCOUNT_SUBSCRIPTIONS, MAX_AGENT_SUBSCRIPTIONS, MAX_CHALLENGES } from '../limits.ts';
import type { AgentsRoom } from './room.ts';
import { beginAfter, cursorPlace, settledCursor } from './subscription-replay.ts';
import { canonicalJson, expiryOf, isLive, isProven, subscriptionIdOf, subscriptionNote } from './subscription-terms.ts';
import {
  checkedWish,
  checkMaySubscribe,
  type SubscriptionRequest,
  subscribedWebhook,
  type Wish,
} from './subscription-wish.ts';
import { type ReceiverProblem, receiverProblem, verifyReceiver } from './verify-receiver.ts';

/** Subscriptions that ended are listed with their log, up to this many of an account. */
const MOST_ENDED = 400;

export interface Subscribed {
  readonly id: string;
  readonly refreshBefore: Date;
  readonly cursor: string;
  readonly truncated: boolean;
  /** Only a subscription that was there before has a health. */
  readonly health: DeliveryHealth | undefined;
}

export async function subscribe(
  context: AgentsRoom,
  caller: Caller,
  request: SubscriptionRequest,
  signal: AbortSignal,
): Promise<Subscribed> {
  const wish = await checkedWish(context, caller, request);
  const place = cursorPlace(context, caller, request);
  return context.locks.run(wish.id, async () => {
    const { store, clock, dispatcher, noticeEvents } = context;
    const all = await store.subscriptions(caller.account.id);
    const mine = all.filter(({ subscription }) => subscription?.ownerId === caller.key.id);
    const before = mine.find(({ subscription }) => subscription?.id === wish.id);
    const isRefresh = before !== undefined && isLive(before, clock.now());
    if (before !== undefined && !isRefresh) await store.endSubscription(before.id, EXPIRED_SUBSCRIPTION);
    const verifiedAt = await proofOf(context, mine, wish, signal);
    const begin = isRefresh ? undefined : await beginAfter(context, caller, wish, place);
    const terms = { verifiedAt, expiresAt: await expiryOf(context, caller, request.ttlMs), start: begin?.start };
    const webhook = subscribedWebhook(context, caller, wish, before, terms);
    const isRotated = isRefresh && webhook.secrets !== before.secrets;
    await saveSubscription(context, caller, webhook, isRefresh ? isRotated && 'changed' : 'created', begin?.catchUp);
    if (isRefresh) await dispatcher.offerAgain(webhook.id);
    const begun = begin === undefined ? await settledCursor(context, webhook) : await begin.carryOut(webhook);
    dispatcher.changed(webhook.id);
    noticeEvents.look();
    const health = before === undefined ? undefined : await healthOf(context, before);
    return { id: wish.id, refreshBefore: terms.expiresAt, ...begun, health };
  });
}

/** Nothing more is sent. An unknown subscription is answered alike. */
export async function unsubscribe(
  context: AgentsRoom,
  caller: Caller,
  request: Pick<SubscriptionRequest, 'name' | 'arguments' | 'url'>,
): Promise<void> {
  checkMaySubscribe(caller);
  const url = parseUrl(request.url)?.href;
  if (url === undefined) return;
  const id = subscriptionIdOf({
    ownerId: caller.key.id,
    url,
    event: request.name,
    arguments: canonicalJson(request.arguments),
  });
  await context.locks.run(id, async () => {
    const found = await context.store.subscription(caller.account.id, id);
    if (found !== undefined) await endByAgent(context, caller, found);
  });
}

/** The audit log has it, unless it had ended before. */
export async function endByAgent(context: AgentsRoom, caller: Caller, webhook: Webhook): Promise<void> {
  const note = subscriptionNote(context, byCaller(caller), 'deleted', webhook);
  await context.store.endSubscription(webhook.id, 'The agent unsubscribed.', note);
}

/** When the receiver proved that it wants events: lately, or now. */
async function proofOf(
  context: AgentsRoom,
  mine: readonly Webhook[],
  { id, url, secret }: Wish,
  signal: AbortSignal,
): Promise<Date> {
  const { clock, challenges } = context;
  const proven = mine.find(
    (one) => one.url === url && one.subscription !== undefined && isProven(one.subscription, clock.now()),
  );
  if (proven?.subscription !== undefined) return proven.subscription.verifiedAt;
  if (!challenges.allow(new URL(url).host))
    throw limitReached('challenges', `This host was asked ${MAX_CHALLENGES} times within a minute.`, {
      details: { max: MAX_CHALLENGES },
      retryAfter: 60,
    });
  const problem = await verifyReceiver(context, { url, secret, subscriptionId: id }, signal);
  if (problem === undefined) return clock.now();
  // Then nothing is known of the receiver, and its subscriber must not look for a fault there.
  if (signal.aborted)
    throw new ServiceError('unavailable', 'The server is stopping. Subscribe again.', { retryAfter: 1 });
  throw new ServiceError('failed_precondition', 'The receiver did not prove that it wants events.', {
    details: { receiver: problem },
  });
}

/**
 * The caller's key or grant may have been revoked while the receiver was asked. A revocation from here on finds the
 * subscription stored.
 */
export async function saveSubscription(
  context: AgentsRoom,
  caller: Caller,
  webhook: Webhook,
  what: 'created' | 'changed' | false,
  begins: CatchUp | undefined,
): Promise<void> {
  const note = what === false ? undefined : subscriptionNote(context, byCaller(caller), what, webhook);
  const limits = { ofAccount: MAX_ACCOUNT_SUBSCRIPTIONS, ofOwner: MAX_AGENT_SUBSCRIPTIONS, ended: MOST_ENDED };
  const reached = await context.store.saveSubscription(webhook, limits, note, begins);
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
  const endNote = subscriptionNote(context, SYSTEM, 'deleted', webhook);
  await context.store.endSubscription(webhook.id, 'What allowed it has ended.', endNote);
  throw unauthenticated();
}

/** How the deliveries of a subscription do, for its subscriber. */
interface DeliveryHealth {
  readonly lastDeliveryAt: Date | undefined;
  /** It is undefined after a success. */
  readonly lastError: ReceiverProblem | undefined;
  readonly failedSince: Date | undefined;
}

/** `webhook` as it was before a refresh, which gives it a clean record. */
async function healthOf(
  { store }: Pick<AgentsRoom, 'store'>,
  { accountId, id: webhookId, health }: Webhook,
): Promise<DeliveryHealth> {
  const of = { accountId, webhookId, limit: 1 };
  const [delivered] = (await store.deliveries({ ...of, status: 'delivered' })).deliveries;
  const [newest] = (await store.deliveries(of)).deliveries;
  return {
    lastDeliveryAt: delivered?.attempts.at(-1)?.at,
    lastError: problemOf(newest?.attempts.at(-1)),
    failedSince: health.failingSince,
  };
}

const problemOf = (attempt: Attempt | undefined): ReceiverProblem | undefined =>
  attempt && receiverProblem({ ...attempt, overloaded: false, retryAfter: undefined });
