/** The wish of an agent, once it is found to be allowed and right; and the webhook that it becomes. */

import { newId } from '../../base/ids.ts';
import { parseUrl } from '../../base/parse-url.ts';
import { webhookUrlProblem } from '../../delivery/webhooks/egress.ts';
import type { Webhook } from '../../domain/webhook.ts';
import type { Caller } from '../access/caller.ts';
import { invalidArgument, ServiceError } from '../errors.ts';
import { unseenRules, wakeContractOf } from '../outlets/wake-shapes.ts';
import { checkInput } from '../perform/perform.ts';
import { ruleOf } from '../rules/read-rules.ts';
import { type EventArguments, type EventType, eventTypeOf } from '../webhooks/event-types.ts';
import type { AgentsRoom } from './room.ts';
import { canonicalJson, maySubscribe, secretsAfter, subscriptionIdOf } from './subscription-terms.ts';

export interface SubscriptionRequest {
  readonly name: string;
  readonly arguments: unknown;
  readonly url: string;
  readonly secret: string;
  readonly cursor: string | null | undefined;
  readonly maxAgeMs: number | undefined;
  readonly ttlMs: number | null | undefined;
}

export interface Wish {
  /** The id of the subscription. */
  readonly id: string;
  readonly url: string;
  readonly secret: string;
  readonly type: EventType;
  readonly chosen: EventArguments;
  /** The arguments as canonical JSON. */
  readonly canonical: string;
}

export function checkMaySubscribe(caller: Caller): void {
  if (maySubscribe(caller)) return;
  throw new ServiceError('permission_denied', 'Events need the scope `events`, or a key of scope `full`.');
}

/** First what the caller may, then what is wrong with the request. */
export async function checkedWish(context: AgentsRoom, caller: Caller, request: SubscriptionRequest): Promise<Wish> {
  const { type, chosen } = await allowedEvent(context, caller, request);
  const url = receiverUrl(context, request.url);
  checkSecret(request.secret);
  const canonical = canonicalJson(request.arguments);
  const id = subscriptionIdOf({ ownerId: caller.key.id, url, event: type.name, arguments: canonical });
  return { id, url, secret: request.secret, type, chosen, canonical };
}

interface Terms {
  readonly verifiedAt: Date;
  readonly expiresAt: Date;
  /** It is undefined for a subscription that goes on. */
  readonly start: number | undefined;
}

export const subscribedWebhook = (
  context: AgentsRoom,
  caller: Caller,
  wish: Wish,
  before: Webhook | undefined,
  { verifiedAt, expiresAt, start }: Terms,
): Webhook => ({
  ...(before ?? newWebhook(context, caller, wish)),
  status: 'active',
  reason: undefined,
  secrets: secretsAfter(context, before, wish.secret),
  health: { lastFailureAt: undefined, failingSince: undefined },
  subscription: {
    id: wish.id,
    ownerId: caller.key.id,
    event: wish.type.name,
    arguments: wish.canonical,
    start: start ?? before?.subscription?.start ?? 0,
    expiresAt,
    verifiedAt,
    refreshedAt: context.clock.now(),
    isBrief: before?.subscription?.isBrief ?? false,
  },
});

function newWebhook({ clock }: AgentsRoom, { account, key, grant }: Caller, { url, type, chosen }: Wish): Webhook {
  const rules = chosen.rule_id === undefined ? grant?.ruleIds : [chosen.rule_id];
  return {
    id: newId('hook', clock.now()),
    accountId: account.id,
    url,
    description: key.name,
    ruleIds: rules,
    platforms: chosen.platform === undefined ? undefined : [chosen.platform],
    // Notices are given to a subscription one by one.
    events: type.isMatch ? ['match'] : [],
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

/** The event and its arguments, when the caller may hear of it. */
export async function allowedEvent(
  context: AgentsRoom,
  caller: Caller,
  { name, arguments: given }: Pick<SubscriptionRequest, 'name' | 'arguments'>,
): Promise<{ type: EventType; chosen: EventArguments }> {
  checkMaySubscribe(caller);
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
  const unseen = unseenRules(chosen.wake, [chosen.rule_id ?? '']);
  if (unseen.length > 0) throw invalidArgument(unseen);
  return { type, chosen };
}

function receiverUrl({ deliveryLimits }: AgentsRoom, text: string): string {
  const url = parseUrl(text);
  const problem =
    url === null
      ? 'The URL is not valid.'
      : url.hash === ''
        ? webhookUrlProblem(url, deliveryLimits.allowPrivate)
        : 'The URL must not have a fragment.';
  if (url !== null && problem === undefined) return url.href;
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
