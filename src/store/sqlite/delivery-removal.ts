/** How deliveries leave the disk: those past retention and those of deleted webhooks, in small slices. */
import type { DatabaseSync } from 'node:sqlite';

const SLICE = 100;

/** Each answers whether it removed anything. */
export function deliveryRemoval(db: DatabaseSync): { old: (before: number) => boolean; deleted: () => boolean } {
  const old = db.prepare(
    `SELECT number FROM deliveries WHERE created_at < ? AND status <> 'pending' ORDER BY created_at LIMIT ${SLICE}`,
  );
  const deletedWebhook = db.prepare(`SELECT number FROM webhooks WHERE status = 'deleted' LIMIT 1`);
  const ofWebhook = db.prepare(`SELECT number FROM deliveries WHERE webhook = ? LIMIT ${SLICE}`);
  const removeWaiting = db.prepare(
    `DELETE FROM owed WHERE webhook = :webhook AND position IN
       (SELECT position FROM owed WHERE webhook = :webhook AND delivery IS NULL LIMIT ${SLICE})`,
  );
  const removeOwed = db.prepare('DELETE FROM owed WHERE delivery = ?');
  const removeAttempts = db.prepare('DELETE FROM attempts WHERE delivery = ?');
  const removeDelivery = db.prepare('DELETE FROM deliveries WHERE number = ?');
  const removeWebhook = db.prepare('DELETE FROM webhooks WHERE number = ?');

  function remove(deliveries: readonly unknown[]): boolean {
    for (const { number } of deliveries as { number: number }[]) {
      removeOwed.run(number);
      removeAttempts.run(number);
      removeDelivery.run(number);
    }
    return deliveries.length > 0;
  }
  return {
    old: (before) => remove(old.all(before)),
    deleted() {
      const webhook = (deletedWebhook.get() as { number: number } | undefined)?.number;
      if (webhook === undefined) return false;
      const more = remove(ofWebhook.all(webhook)) || removeWaiting.run({ webhook }).changes > 0;
      if (!more) removeWebhook.run(webhook);
      return true;
    },
  };
}
