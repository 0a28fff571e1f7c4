/** How deliveries leave the disk: those past retention and those of deleted webhooks, in slices. */
import type { Sql } from './sql.ts';
import { forgetWakeStories } from './wakes.ts';

const SLICE = 500;
/** Matches of deliveries that leave in one transaction: a digest alone may have ten thousand. */
const MOST_MATCHES = 50_000;

interface Numbered {
  readonly number: number;
}

interface Leaving extends Numbered {
  readonly matches: number;
}

/** False when none was past its time. */
export const removeOldDeliveries = (sql: Sql, before: number): boolean =>
  remove(
    sql,
    sql.rows<Leaving>(
      `SELECT number, matches FROM deliveries WHERE created_at < ? AND status <> 'pending' ORDER BY created_at LIMIT ${SLICE}`,
      [before],
    ),
  );

/** A slice of a deleted webhook; the webhook itself goes last. False when there is none. */
export function removeDeletedWebhook(sql: Sql): boolean {
  const webhook = sql.row<Numbered>(`SELECT number FROM webhooks WHERE status = 'deleted' LIMIT 1`)?.number;
  if (webhook === undefined) return false;
  const deliveries = sql.rows<Leaving>(`SELECT number, matches FROM deliveries WHERE webhook = ? LIMIT ${SLICE}`, [
    webhook,
  ]);
  const waiting = sql.rows<{ position: number }>(
    `SELECT position FROM owed WHERE webhook = ? AND delivery IS NULL LIMIT ${SLICE}`,
    [webhook],
  );
  for (const { position } of waiting)
    sql.run('DELETE FROM owed WHERE position = ? AND webhook = ?', [position, webhook]);
  const isKnowing = forgetWakeStories(sql, webhook);
  if (!remove(sql, deliveries) && waiting.length === 0 && !isKnowing)
    sql.run('DELETE FROM webhooks WHERE number = ?', [webhook]);
  return true;
}

function remove(sql: Sql, deliveries: readonly Leaving[]): boolean {
  let left = MOST_MATCHES;
  for (const { number, matches } of deliveries) {
    if (left <= 0) break;
    left -= matches;
    sql.run('DELETE FROM owed WHERE delivery = ?', [number]);
    sql.run('DELETE FROM attempts WHERE delivery = ?', [number]);
    sql.run('DELETE FROM deliveries WHERE number = ?', [number]);
  }
  return deliveries.length > 0;
}
