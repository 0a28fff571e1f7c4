/** The owner of a subscription, its id, its secrets and how long it lasts. */
import { createHash } from 'node:crypto';
import type { Change } from '../../domain/change.ts';
import type { EventSubscription, Webhook } from '../../domain/webhook.ts';
import type { Caller } from '../access/caller.ts';
import { type ChangedBy, changeNote, subscriptionFields } from '../access/change-notes.ts';
import type { AgentsRoom } from './room.ts';

const MINUTE = 60_000;
const LONGEST = 24 * 60 * MINUTE;
const SHORTEST = 5 * MINUTE;
/** Both secrets sign for this long after a rotation. */
const OVERLAP = 15 * MINUTE;
/** A receiver that proved itself within this time is not asked again. */
const PROOF_MS = 24 * 60 * MINUTE;

/** A grant must include events. A key must be one that could make a webhook. */
export const maySubscribe = ({ grant, key }: Caller): boolean =>
  grant === undefined ? key.scope === 'full' : grant.scopes.includes('events');

/** The entry of the audit log that a subscription begins, gets another secret, or ends. A mere refresh has none. */
export function subscriptionNote(
  { clock }: Pick<AgentsRoom, 'clock'>,
  by: ChangedBy,
  what: 'created' | 'changed' | 'deleted',
  webhook: Webhook,
): Change {
  const fields = subscriptionFields(webhook);
  const states = {
    created: { after: fields },
    changed: { before: fields, after: { ...fields, secret: 'rotated' } },
    deleted: { before: fields },
  };
  return changeNote(clock.now(), by, `subscription.${what}`, webhook.subscription!.id, states[what]);
}

export interface SubscriptionKey {
  readonly ownerId: string;
  readonly url: string;
  readonly event: string;
  readonly arguments: string;
}

/** Equal keys give one subscription. The id is no secret, and no request is answered by it. */
export const subscriptionIdOf = ({ ownerId, url, event, arguments: chosen }: SubscriptionKey): string => {
  const digest = createHash('sha256')
    .update(JSON.stringify([ownerId, url, event, chosen]))
    .digest('hex');
  return `sub_${digest.slice(0, 32)}`;
};

/** JSON with its keys in order at every depth. Depth is bounded by the reader of requests. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
}

/** As long as was wished for, within bounds, and never longer than what allows it. */
export async function expiryOf(
  context: Pick<AgentsRoom, 'store' | 'clock'>,
  caller: Caller,
  wish: number | null | undefined,
): Promise<Date> {
  const granted = Math.min(Math.max(wish ?? LONGEST, SHORTEST), LONGEST);
  return expiryWithin(context, caller, granted);
}

/** After so many milliseconds, or with what allows it. */
export async function expiryWithin(
  { store, clock }: Pick<AgentsRoom, 'store' | 'clock'>,
  { account, key, grant }: Caller,
  milliseconds: number,
): Promise<Date> {
  const now = clock.now();
  const grants = grant === undefined ? [] : await store.grants(account.id, now);
  const end = grant === undefined ? key.expiresAt : grants.find(({ id }) => id === key.id)?.endsAt;
  return new Date(Math.min(now.getTime() + milliseconds, end?.getTime() ?? Number.POSITIVE_INFINITY));
}

export function secretsAfter(
  { seal, clock }: Pick<AgentsRoom, 'seal' | 'clock'>,
  before: Webhook | undefined,
  secret: string,
): Webhook['secrets'] {
  if (before === undefined) return { current: seal.seal(secret), previous: undefined, previousUntil: undefined };
  if (seal.unseal(before.secrets.current) === secret) return before.secrets;
  return {
    current: seal.seal(secret),
    previous: before.secrets.current,
    previousUntil: new Date(clock.now().getTime() + OVERLAP),
  };
}

export const isProven = ({ verifiedAt }: EventSubscription, now: Date): boolean =>
  now.getTime() - verifiedAt.getTime() < PROOF_MS;

export const isLive = ({ status, subscription }: Webhook, now: Date): boolean =>
  status === 'active' && subscription !== undefined && subscription.expiresAt > now;
