/**
 * Claims on webhooks: among the processes on one store, one works on a webhook at a time. And how many deliveries one
 * has under way.
 */
import type { Clock } from '../../base/clock.ts';
import { createLru } from '../../base/lru.ts';
import type { Outbox } from './outbox.ts';

export interface WebhookClaims {
  /** True when this process holds the webhook now. */
  hold(webhookId: string): Promise<boolean>;
  /** Renews the claim until the signal aborts: an attempt may take longer than a claim lasts. */
  keep(webhookId: string, ended: AbortSignal): Promise<void>;
  /** Lets other processes take over at once. */
  releaseAll(): Promise<void>;
}

export interface ClaimsDeps {
  readonly outbox: Pick<Outbox, 'claimWebhook' | 'releaseWebhooks'>;
  readonly clock: Clock;
  /** This process, among those on the store. */
  readonly holder: { readonly id: string; isGone(id: string): boolean };
}

/** With the pause of those that ask, below ten seconds: then the webhooks of a frozen process are another's. */
export const CLAIM_MS = 7_500;
export const RENEW_AFTER_MS = 2_500;
/** A process asks this often for a webhook that another holds. */
export const ASK_AGAIN_MS = 2_000;
/** Claims that are remembered: webhooks come and go. */
export const MOST_KNOWN = 10_000;

export function createWebhookClaims({ outbox, clock, holder }: ClaimsDeps): WebhookClaims {
  /** When each of our claims ends, by the clock that is never set. One that is forgotten is asked for again. */
  const ends = createLru<string, number>({ limit: MOST_KNOWN });

  /** Answers who holds the webhook. The claims of a process that was killed are released on its behalf. */
  async function claim(webhookId: string, now: Date, until: Date): Promise<string | undefined> {
    const ask = () => outbox.claimWebhook(webhookId, { holder: holder.id, now, until });
    const heldBy = await ask();
    if (heldBy === undefined || heldBy === holder.id || !holder.isGone(heldBy)) return heldBy;
    await outbox.releaseWebhooks(heldBy);
    return ask();
  }

  async function hold(webhookId: string): Promise<boolean> {
    const asked = clock.elapsed();
    if ((ends.get(webhookId) ?? -Infinity) - asked > CLAIM_MS - RENEW_AFTER_MS) return true;
    const now = clock.now();
    const until = new Date(now.getTime() + CLAIM_MS);
    const isOurs = (await claim(webhookId, now, until)) === holder.id;
    if (isOurs) ends.set(webhookId, asked + CLAIM_MS);
    else ends.delete(webhookId);
    return isOurs;
  }

  return {
    hold,
    async keep(webhookId, ended) {
      for (;;) {
        await clock.sleep(RENEW_AFTER_MS, ended);
        if (ended.aborted) return;
        // A claim that cannot be renewed is tried again; at worst another process makes the attempt too.
        await hold(webhookId).catch(() => {});
      }
    },
    async releaseAll() {
      // Claims that cannot be released run out by themselves.
      if (ends.size > 0) await outbox.releaseWebhooks(holder.id).catch(() => {});
    },
  };
}

/**
 * Limits how many deliveries are under way, of all webhooks together. Failing webhooks share half of the slots, so that
 * receivers that never answer cannot take all slots from those that do.
 */
const SLOTS = 64;
const SLOTS_FOR_FAILING = SLOTS / 2;

export interface Slots {
  /** False when no slot is free now; the webhook is then named when one becomes free. */
  take(deliveryId: string, webhookId: string, isFailing: boolean): boolean;
  /** Answers which webhooks found no free slot meanwhile. */
  free(deliveryId: string): string[];
  has(deliveryId: string): boolean;
  /** Slots that one webhook holds. */
  countOf(webhookId: string): number;
}

export function createSlots(): Slots {
  const held = new Map<string, { webhookId: string; isFailing: boolean }>();
  const counts = new Map<string, number>();
  let failing = 0;
  let waiting = new Set<string>();

  function add(webhookId: string, isFailing: boolean, change: 1 | -1): void {
    const count = (counts.get(webhookId) ?? 0) + change;
    if (count === 0) counts.delete(webhookId);
    else counts.set(webhookId, count);
    if (isFailing) failing += change;
  }

  return {
    take(deliveryId, webhookId, isFailing) {
      if (held.size >= SLOTS || (isFailing && failing >= SLOTS_FOR_FAILING)) {
        waiting.add(webhookId);
        return false;
      }
      held.set(deliveryId, { webhookId, isFailing });
      add(webhookId, isFailing, 1);
      return true;
    },
    free(deliveryId) {
      const { webhookId, isFailing } = held.get(deliveryId)!;
      held.delete(deliveryId);
      add(webhookId, isFailing, -1);
      const woken = [...waiting];
      waiting = new Set();
      return woken;
    },
    has: (deliveryId) => held.has(deliveryId),
    countOf: (webhookId) => counts.get(webhookId) ?? 0,
  };
}
