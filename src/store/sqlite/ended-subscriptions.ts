/** How subscriptions of agents end: with what allowed them, when their time is over, and for good. */
import { ENDED_KEPT_MS, ENDED_SLICE, EXPIRED, endedReason, REVOKED } from '../rows/subscriptions.ts';
import { encodeText } from '../rows/texts.ts';
import type { Sql } from './sql.ts';

/** Nothing more is sent, and what is pending has failed. */
export function endRow(sql: Sql, webhook: number, reason: string): void {
  sql.run(`UPDATE webhooks SET status = 'disabled', reason = ? WHERE number = ?`, [encodeText(reason), webhook]);
  sql.run(
    `UPDATE deliveries SET status = 'failed', reason = ?, next_at = NULL WHERE webhook = ? AND status = 'pending'`,
    [encodeText(endedReason(reason)), webhook],
  );
}

/** A grant or a key was revoked. */
export function endSubscriptionsOf(sql: Sql, owner: string): void {
  const live = sql.rows<{ number: number }>(
    `SELECT number FROM webhooks WHERE owner = ? AND status IN ('active', 'paused')`,
    [owner],
  );
  for (const { number } of live) endRow(sql, number, REVOKED);
}

/** False when no subscription was past its time. */
export function endExpired(sql: Sql, now: number): boolean {
  const over = sql.rows<{ number: number }>(
    `SELECT number FROM webhooks WHERE status = 'active' AND expires_at <= ? LIMIT ${ENDED_SLICE}`,
    [now],
  );
  for (const { number } of over) endRow(sql, number, EXPIRED);
  return over.length > 0;
}

/** False when none ended long ago. */
export const forgetEnded = (sql: Sql, now: number): boolean =>
  sql.run(
    `UPDATE webhooks SET status = 'deleted' WHERE number IN
       (SELECT number FROM webhooks WHERE status = 'disabled' AND expires_at <= ? LIMIT ${ENDED_SLICE})`,
    [now - ENDED_KEPT_MS],
  ) > 0;
