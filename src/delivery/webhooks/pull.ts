/**
 * Wakes for agents that ask. An agent has one open wake at a time: the same one, with the same id and the same bytes, until it
 * is acknowledged or has expired. What matches meanwhile is owed, and is the next wake; so nothing is written, sent or counted
 * while an agent is away.
 */
import type { DueDelivery, PreparedNotice, Webhook } from '../../domain/webhook.ts';
import { UNACKNOWLEDGED, WAKE_TTL_MS } from '../../wakes/wake-state.ts';
import type { DeliverDeps } from './deliver.ts';
import { writeDigest } from './digests.ts';
import { madeForOther } from './formats.ts';
import { noticeDeliveries, noticeOfExpiry } from './notices.ts';
import type { Outbox } from './outbox.ts';
import { wakeText } from './wires.ts';

export interface OpenWake {
  readonly id: string;
  readonly text: string;
}

interface PullDeps extends Omit<DeliverDeps, 'outbox'> {
  readonly outbox: DeliverDeps['outbox'] &
    Pick<Outbox, 'pendingDeliveries' | 'offerWake' | 'expireWake' | 'unacknowledged'>;
  /** Hears of the notices that were stored. */
  onNotices(notices: readonly PreparedNotice[]): void;
}

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Digests that wait for their hour may come before the open wake. */
const LOOKED_AT = 10;
/** The rows may change between two looks; who asks meets that seldom. */
const MOST_LOOKS = 20;

const isOpen = ({ isUnwritten }: DueDelivery): boolean => isUnwritten !== true;

/** When an open wake that was handed over is given up. */
const endOf = ({ nextAt }: DueDelivery): Date => new Date(nextAt.getTime() + WAKE_TTL_MS);

/** Wakes that are given up at a time; there may be more. */
const MOST_EXPIRED = 100;

/** Gives up wakes that a receiver took, where nobody acknowledged them in time. Answers when to look again. */
export async function expireTakenWakes(deps: PullDeps, webhook: Webhook, first: Date): Promise<Date> {
  const now = deps.clock.now();
  if (first > now) return first;
  for (const { id, nextAt } of await deps.outbox.unacknowledged(webhook.id, now, MOST_EXPIRED))
    await expire(deps, webhook, { id, at: nextAt });
  return now;
}

/** Gives up the open wake when nobody acknowledged it in time. Answers when to look again. */
export async function expireOpenWake(deps: PullDeps, webhook: Webhook): Promise<Date> {
  const now = deps.clock.now();
  const open = (await deps.outbox.pendingDeliveries(webhook.id, LOOKED_AT)).find(isOpen);
  if (open === undefined || open.made === 0) return new Date(now.getTime() + WAKE_TTL_MS);
  if (endOf(open) > now) return endOf(open);
  await expire(deps, webhook, { id: open.id, at: endOf(open) });
  return new Date(now.getTime() + WAKE_TTL_MS);
}

/** The owner is told with it, once for each wake. */
async function expire(
  { outbox, clock, server, onNotices }: PullDeps,
  webhook: Webhook,
  wake: { readonly id: string; readonly at: Date },
) {
  const notice = noticeOfExpiry(webhook, wake.id, wake.at);
  const notices = noticeDeliveries(await outbox.webhooks(webhook.accountId), notice, clock.now(), server);
  await outbox.expireWake(wake.id, { reason: UNACKNOWLEDGED, notices });
  onNotices(notices);
}

/** Returns undefined when nothing is owed. `freeze` makes a delivery of the owed matches. */
export async function openWake(
  deps: PullDeps,
  webhook: Webhook,
  freeze: (until: Date) => Promise<boolean>,
): Promise<OpenWake | undefined> {
  const { outbox, clock } = deps;
  for (let look = 0; look < MOST_LOOKS; look++) {
    const now = clock.now().getTime();
    const waiting = await outbox.pendingDeliveries(webhook.id, LOOKED_AT);
    const open = waiting.find(isOpen);
    const digest = waiting.find(({ isUnwritten, nextAt }) => isUnwritten === true && nextAt.getTime() <= now);
    if (open !== undefined && open.made > 0 && endOf(open).getTime() <= now)
      await expire(deps, webhook, { id: open.id, at: endOf(open) });
    else if (open !== undefined) {
      const other = madeForOther(webhook, open.madeFor);
      if (other !== undefined) await outbox.writeAnew(open.id, other);
      const body = await outbox.pendingBody(open.id);
      if (body === undefined) continue;
      await outbox.offerWake(open.id);
      return { id: open.id, text: wakeText(open.id, body) };
    } else if (digest !== undefined) await writeDigest(deps, webhook, digest.id);
    // Positions may be ahead of a clock that was set back.
    else if (!(await freeze(new Date(now + DAY_MS)))) return undefined;
  }
  return undefined;
}
