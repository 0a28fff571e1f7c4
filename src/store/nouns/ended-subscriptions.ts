/** How subscriptions of agents end: with what allowed them, when their time is over, and for good. */
import type { Db } from '../db.ts';
import { encodeText } from '../rows/texts.ts';

/** Why pending deliveries of an ended subscription are given up. */
const endedReason = (reason: string): string => `The subscription ended: ${reason}`;

const REVOKED = 'What allowed it was revoked.';
const EXPIRED = 'It was not refreshed in time.';
/** An ended subscription stays in sight this long, with its log. */
const ENDED_KEPT_MS = 7 * 24 * 60 * 60 * 1_000;
/** Subscriptions that end, or go, in one transaction. */
const SLICE = 100;

/** Nothing more is sent, and what is pending has failed. */
export async function endSubscribed(db: Db, webhook: number, reason: string): Promise<void> {
  await db.run(`UPDATE webhooks SET status = 'disabled', reason = $2 WHERE number = $1`, [webhook, encodeText(reason)]);
  await db.run(
    `UPDATE deliveries SET status = 'failed', reason = $2, next_at = NULL WHERE webhook = $1 AND status = 'pending'`,
    [webhook, encodeText(endedReason(reason))],
  );
}

/** A grant or a key was revoked. */
export async function endSubscriptionsOf(db: Db, owner: string): Promise<void> {
  const live = await db.rows<{ number: number }>(
    `SELECT number FROM webhooks WHERE owner = $1 AND status IN ('active', 'paused') ORDER BY number FOR UPDATE`,
    [owner],
  );
  for (const { number } of live) await endSubscribed(db, number, REVOKED);
}

/** False when no subscription was past its time. */
export async function endExpired(db: Db, now: number): Promise<boolean> {
  const over = await db.rows<{ number: number }>(
    `SELECT number FROM webhooks WHERE status = 'active' AND expires_at <= $1 ORDER BY expires_at LIMIT ${SLICE}
     FOR UPDATE SKIP LOCKED`,
    [now],
  );
  for (const { number } of over) await endSubscribed(db, number, EXPIRED);
  return over.length > 0;
}

/** False when none ended long ago. */
export const forgetEnded = async (db: Db, now: number): Promise<boolean> =>
  (await db.run(
    `UPDATE webhooks SET status = 'deleted' WHERE number IN
       (SELECT number FROM webhooks WHERE status = 'disabled' AND expires_at <= $1 ORDER BY expires_at LIMIT ${SLICE})`,
    [now - ENDED_KEPT_MS],
  )) > 0;
