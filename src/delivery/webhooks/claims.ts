/** Claims on webhooks: among the processes on one store, one works on a webhook at a time. */
import type { Clock } from '../../base/clock.ts';
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

export function createWebhookClaims({ outbox, clock, holder }: ClaimsDeps): WebhookClaims {
  /** When each of our claims ends, by the clock that is never set. */
  const ends = new Map<string, number>();

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
