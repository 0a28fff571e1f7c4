/** Gaps of the ledger, for agents: as events, and as messages to receivers of matches that take them. */
import { createHash } from 'node:crypto';
import { agentEventId, eventBody, type SubscribedWebhook } from '../../delivery/webhooks/events.ts';
import type { Gap } from '../../domain/coverage.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { PreparedNotice } from '../../domain/webhook.ts';
import { timeOf } from '../../store/order.ts';
import type { Store } from '../../store/store.ts';

/** A gap that ended is told of for this long. */
const TOLD_MS = 24 * 60 * 60 * 1_000;
/** The newest gaps on a platform of an account, or of the rules that a subscriber may know of. */
const MOST_GAPS = 50;

export const takesControl = ({ subscription }: SubscribedWebhook): boolean =>
  (JSON.parse(subscription.arguments) as { control_messages?: unknown }).control_messages === true;

/** Gaps that last since before the subscription are told too. */
export async function gapEvents(
  store: NoticeStore,
  webhook: SubscribedWebhook,
  reads: NoticeReads,
  now: Date,
): Promise<ToTell[]> {
  const began = timeOf(webhook.subscription.start);
  const gaps = await gapsOf(store, webhook, webhook.platforms ?? PLATFORMS, reads, now);
  return gaps.filter(({ to }) => to === undefined || to.getTime() > began).map((gap) => eventOf(webhook, gap));
}

/** Matches may be missing since the subscription began. */
export async function gapMessages(
  store: NoticeStore,
  webhook: SubscribedWebhook,
  reads: NoticeReads,
  now: Date,
): Promise<ToTell[]> {
  const began = timeOf(webhook.subscription.start);
  const { accountId, ruleIds } = webhook;
  const rule = ruleIds?.[0] === undefined ? undefined : await store.rule(accountId, ruleIds[0]);
  const platforms = PLATFORMS.filter((platform) => rule?.platforms[platform] !== undefined);
  const gaps = await gapsOf(store, webhook, platforms, reads, now);
  return gaps.filter(({ from }) => from.getTime() > began).map((gap) => messageOf(webhook, gap));
}

async function gapsOf(
  store: NoticeStore,
  { accountId, ruleIds }: SubscribedWebhook,
  platforms: readonly Platform[],
  reads: NoticeReads,
  now: Date,
): Promise<Gap[]> {
  const since = new Date(now.getTime() - TOLD_MS);
  const asked = { since, accountId, limit: MOST_GAPS, ...(ruleIds && { ruleIds }) };
  const found = await Promise.all(
    platforms.map((platform) =>
      reads(`gaps ${accountId} ${platform} ${ruleIds?.join() ?? ''}`, () => store.gaps({ platform, ...asked })),
    ),
  );
  return found.flat();
}

function eventOf({ id: webhookId, subscription }: SubscribedWebhook, gap: Gap): ToTell {
  const id = agentEventId(subscription.id, gap.from, nameOf(gap));
  const { platform, from, to, cause, ruleId } = gap;
  const data = {
    platform,
    from: from.toISOString(),
    to: to?.toISOString() ?? null,
    cause,
    ...(ruleId !== undefined && { rule_id: ruleId }),
  };
  return { id, webhookId, subject: 'gap', body: (cursor) => eventBody(subscription, { id, at: from, data, cursor }) };
}

function messageOf({ id: webhookId, subscription }: SubscribedWebhook, gap: Gap): ToTell {
  const digest = createHash('sha256')
    .update(`${subscription.id} ${nameOf(gap)}`)
    .digest('hex')
    .slice(0, 16);
  return {
    id: `msg_gap_${digest}`,
    webhookId,
    subject: 'gap',
    body: (cursor) => JSON.stringify({ type: 'gap', cursor }),
  };
}

const nameOf = ({ platform, from, ruleId, source }: Gap): string =>
  JSON.stringify([platform, from.toISOString(), ruleId ?? '', source ?? '']);

export type NoticeStore = Pick<Store, 'gaps' | 'rule' | 'alerts'>;

/** A notice to a subscriber. It is written with a cursor when it is told. */
export interface ToTell extends Pick<PreparedNotice, 'id' | 'webhookId' | 'subject'> {
  body(cursor: string): string;
}

/** One read of an account for all of its subscribers. */
export type NoticeReads = <T>(key: string, read: () => Promise<T>) => Promise<T>;
