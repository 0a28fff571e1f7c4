/**
 * How many deliveries are under way, of all webhooks together. Webhooks that fail share half of the room, so that
 * receivers that never answer cannot take it from those that do. Who found no room is told when there is some.
 */
const MOST = 64;
const MOST_FAILING = MOST / 2;

export interface Gate {
  /** False when there is no room now. */
  enter(deliveryId: string, webhookId: string, isFailing: boolean): boolean;
  /** Answers which webhooks waited for room. */
  leave(deliveryId: string): string[];
  holds(deliveryId: string): boolean;
  /** Under way of one webhook. */
  of(webhookId: string): number;
}

export function createGate(): Gate {
  const inside = new Map<string, { webhookId: string; isFailing: boolean }>();
  const counts = new Map<string, number>();
  let failing = 0;
  let waiting = new Set<string>();

  function count(webhookId: string, by: number): void {
    const left = (counts.get(webhookId) ?? 0) + by;
    if (left === 0) counts.delete(webhookId);
    else counts.set(webhookId, left);
  }

  return {
    enter(deliveryId, webhookId, isFailing) {
      if (inside.size >= MOST || (isFailing && failing >= MOST_FAILING)) {
        waiting.add(webhookId);
        return false;
      }
      inside.set(deliveryId, { webhookId, isFailing });
      count(webhookId, 1);
      if (isFailing) failing++;
      return true;
    },
    leave(deliveryId) {
      const { webhookId, isFailing } = inside.get(deliveryId)!;
      inside.delete(deliveryId);
      count(webhookId, -1);
      if (isFailing) failing--;
      const woken = [...waiting];
      waiting = new Set();
      return woken;
    },
    holds: (deliveryId) => inside.has(deliveryId),
    of: (webhookId) => counts.get(webhookId) ?? 0,
  };
}
