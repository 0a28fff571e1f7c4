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
