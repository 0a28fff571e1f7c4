/** Wakes: deliveries of matches, from the first time they are handed over until their receiver says that it was woken. */
import type { PreparedNotice } from '../../domain/webhook.ts';
import type { Db } from '../db.ts';
import type { Position } from '../order.ts';
import { encodeText } from '../rows/texts.ts';
import { putNotices } from './attempts.ts';
import { AGAIN } from './deliveries.ts';

export interface AcknowledgementStore {
  /**
   * Notes that the receiver was woken by this delivery; it is sent no more. `again` when that was known. Undefined when the
   * account has no such delivery of matches.
   */
  acknowledgeWake(accountId: string, deliveryId: string, at: Date): Promise<'first' | 'again' | undefined>;
}

/** For the process that delivers, and for agents that poll. Not scoped. */
export interface OfferStore {
  /** The agent has all matches up to a position: what was handed over and tells of no later one is acknowledged. */
  acknowledgeUpTo(webhookId: string, position: Position, at: Date): Promise<void>;
  /** An agent that asks was handed this delivery. */
  offerWake(deliveryId: string): Promise<void>;
  /** Deliveries that their receiver took, and that were to be acknowledged before a time. */
  unacknowledged(webhookId: string, until: Date, limit: number): Promise<{ id: string; nextAt: Date }[]>;
  /** Nobody acknowledged the delivery in time. Of one that is over already, the notices are not stored. */
  expireWake(
    deliveryId: string,
    expiry: { readonly reason: string; readonly notices: readonly PreparedNotice[] },
  ): Promise<void>;
  /**
   * Makes deliveries that wait for another attempt due now, and those since a time that failed after more than so many
   * attempts without being acknowledged.
   */
  offerAgain(
    webhookId: string,
    failed: { readonly since: Date; readonly attempts: number; readonly now: Date },
  ): Promise<void>;
}

/** An agent that asks has one open wake; one whose record was changed by hand may have some more. */
const MOST_OPEN = 20;

const OWN = `id = $2 AND account = (SELECT number FROM accounts WHERE id = $1) AND matches > 0
  AND NOT (digest IS NOT NULL AND body IS NULL AND status = 'pending')`;

export const acknowledgementWrites = (db: Db): AcknowledgementStore & OfferStore => ({
  acknowledgeWake: (accountId, deliveryId, at) =>
    db.transaction(async (tx) => {
      const first = await tx.run(
        `UPDATE deliveries SET acknowledged_at = $3, status = 'delivered', reason = NULL, next_at = NULL
         WHERE ${OWN} AND acknowledged_at IS NULL`,
        [accountId, deliveryId, at],
      );
      if (first === 1) return 'first';
      const known = await tx.row(`SELECT 1 FROM deliveries WHERE ${OWN}`, [accountId, deliveryId]);
      return known === undefined ? undefined : 'again';
    }),
  async acknowledgeUpTo(webhookId, position, at) {
    await db.run(
      `UPDATE deliveries SET acknowledged_at = $3, status = 'delivered', next_at = NULL
       WHERE number IN (SELECT number FROM deliveries WHERE webhook = (SELECT number FROM webhooks WHERE id = $1)
           AND status = 'pending' AND made > 0 ORDER BY next_at LIMIT ${MOST_OPEN})
         AND NOT EXISTS (SELECT 1 FROM owed WHERE delivery = deliveries.number AND position > $2)`,
      [webhookId, position, at],
    );
  },
  async unacknowledged(webhookId, until, limit) {
    const rows = await db.rows<{ id: string; next_at: number }>(
      `SELECT id, next_at FROM deliveries WHERE webhook = (SELECT number FROM webhooks WHERE id = $1)
         AND status = 'delivered' AND next_at IS NOT NULL AND next_at <= $2 ORDER BY next_at LIMIT $3`,
      [webhookId, until, limit],
    );
    return rows.map(({ id, next_at }) => ({ id, nextAt: new Date(next_at) }));
  },
  async offerWake(deliveryId) {
    await db.run(`UPDATE deliveries SET made = 1 WHERE id = $1 AND status = 'pending' AND made = 0`, [deliveryId]);
  },
  expireWake: (deliveryId, expiry) => db.transaction((tx) => expireWake(tx, deliveryId, expiry)),
  offerAgain: (webhookId, failed) => db.transaction((tx) => offerAgain(tx, webhookId, failed)),
});

async function expireWake(
  db: Db,
  deliveryId: string,
  { reason, notices }: Parameters<OfferStore['expireWake']>[1],
): Promise<void> {
  const values = [deliveryId, encodeText(reason)];
  const expired = await db.run(
    `UPDATE deliveries SET status = 'failed', reason = $2, next_at = NULL WHERE id = $1 AND status = 'pending'`,
    values,
  );
  const taken = await db.run(
    `UPDATE deliveries SET reason = $2, next_at = NULL
     WHERE id = $1 AND status = 'delivered' AND next_at IS NOT NULL AND acknowledged_at IS NULL`,
    values,
  );
  if (expired + taken > 0) await putNotices(db, notices);
}

async function offerAgain(
  db: Db,
  webhookId: string,
  { since, attempts, now }: Parameters<OfferStore['offerAgain']>[1],
): Promise<void> {
  await db.run(
    `UPDATE deliveries SET next_at = $2 WHERE webhook = (SELECT number FROM webhooks WHERE id = $1)
       AND status = 'pending' AND next_at > $2 AND made > 0`,
    [webhookId, now],
  );
  await db.run(
    `${AGAIN} WHERE webhook = (SELECT number FROM webhooks WHERE id = $1) AND status = 'failed' AND created_at >= $3
       AND made > $4 AND matches > 0 AND body IS NOT NULL AND acknowledged_at IS NULL`,
    [webhookId, now, since, attempts],
  );
}
