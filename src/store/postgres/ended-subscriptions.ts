/** How subscriptions of agents end: with what allowed them, when their time is over, and for good. */
import { ENDED_KEPT_MS, ENDED_SLICE, EXPIRED, endedReason, REVOKED } from '../rows/subscriptions.ts';
import { encodeText } from '../rows/texts.ts';
import type { Db } from './connection.ts';

/** Nothing more is sent, and what is pending has failed. */
export async function endSubscribed(db: Db, webhook: number, reason: string): Promise<void> {
  await db.run(`UPDATE webhooks SET status = 'disabled', reason = $2 WHERE number = $1`, [webhook, encodeText(reason)]);
  await db.run(
    `UPDATE deliveries SET status = 'failed', reason = $2, next_at = NULL WHERE webhook = $1 AND status = 'pending'`,
    [webhook, encodeText(endedReason(reason))],
  );
}

/** A grant or a key was revoked. */
export async function endOwned(db: Db, owner: string): Promise<void> {
  const live = await db.rows<{ number: number }>(
    `SELECT number FROM webhooks WHERE owner = $1 AND status IN ('active', 'paused') ORDER BY number FOR UPDATE`,
    [owner],
  );
  for (const { number } of live) await endSubscribed(db, number, REVOKED);
}

/** False when no subscription was past its time. */
export async function endOverdue(db: Db, now: number): Promise<boolean> {
  const over = await db.rows<{ number: number }>(
    `SELECT number FROM webhooks WHERE status = 'active' AND expires_at <= $1 ORDER BY expires_at LIMIT ${ENDED_SLICE}
     FOR UPDATE SKIP LOCKED`,
    [now],
  );
  for (const { number } of over) await endSubscribed(db, number, EXPIRED);
  return over.length > 0;
}

/** False when none ended long ago. */
export const dropEnded = async (db: Db, now: number): Promise<boolean> =>
  (await db.run(
    `UPDATE webhooks SET status = 'deleted' WHERE number = ANY(ARRAY
       (SELECT number FROM webhooks WHERE status = 'disabled' AND expires_at <= $1 ORDER BY expires_at LIMIT ${ENDED_SLICE}))`,
    [now - ENDED_KEPT_MS],
  )) > 0;
