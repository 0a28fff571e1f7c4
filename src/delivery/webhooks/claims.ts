/** WebhookClaims on webhooks: among the processes on one store, one works on a webhook at a time. */
import type { Clock } from '../../base/clock.ts';
import type { Outbox } from './outbox.ts';

export interface WebhookClaims {
  /** True when this process holds the webhook now. */
  hold(webhookId: string): Promise<boolean>;
  /** Lets other processes take over at once. */
  releaseAll(): Promise<void>;
}

export interface ClaimsDeps {
  readonly outbox: Pick<Outbox, 'claimWebhook' | 'releaseWebhooks'>;
  readonly clock: Clock;
  /** This process, among those on the store. */
  readonly holder: { readonly id: string; isGone(id: string): boolean };
}

/** Longer than any attempt takes. A claim is renewed when half of it is over. */
export const CLAIM_MS = 40_000;

export function createWebhookClaims({ outbox, clock, holder }: ClaimsDeps): WebhookClaims {
  /** When each of our claims ends. */
  const ends = new Map<string, number>();

  /** Answers who holds the webhook. The claims of a process that was killed are released on its behalf. */
  async function claim(webhookId: string, now: Date, until: Date): Promise<string | undefined> {
    const ask = () => outbox.claimWebhook(webhookId, { holder: holder.id, now, until });
    const heldBy = await ask();
    if (heldBy === undefined || heldBy === holder.id || !holder.isGone(heldBy)) return heldBy;
    await outbox.releaseWebhooks(heldBy);
    return ask();
  }

  return {
    async hold(webhookId) {
      const now = clock.now();
      if ((ends.get(webhookId) ?? 0) - now.getTime() > CLAIM_MS / 2) return true;
      const until = new Date(now.getTime() + CLAIM_MS);
      const isOurs = (await claim(webhookId, now, until)) === holder.id;
      if (isOurs) ends.set(webhookId, until.getTime());
      else ends.delete(webhookId);
      return isOurs;
    },
    async releaseAll() {
      // WebhookClaims that cannot be released run out by themselves.
      if (ends.size > 0) await outbox.releaseWebhooks(holder.id).catch(() => {});
    },
  };
}
