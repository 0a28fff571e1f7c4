/** How deliveries leave the disk: those past retention and those of deleted webhooks, in slices. */
import type { Sql } from './sql.ts';

const SLICE = 500;

interface Numbered {
  readonly number: number;
}

/** False when none was past its time. */
export const removeOldDeliveries = (sql: Sql, before: number): boolean =>
  remove(
    sql,
    sql.rows<Numbered>(
      `SELECT number FROM deliveries WHERE created_at < ? AND status <> 'pending' ORDER BY created_at LIMIT ${SLICE}`,
      [before],
    ),
  );

/** A slice of a deleted webhook; the webhook itself goes last. False when there is none. */
export function removeDeletedWebhook(sql: Sql): boolean {
  const webhook = sql.row<Numbered>(`SELECT number FROM webhooks WHERE status = 'deleted' LIMIT 1`)?.number;
  if (webhook === undefined) return false;
  const deliveries = sql.rows<Numbered>(`SELECT number FROM deliveries WHERE webhook = ? LIMIT ${SLICE}`, [webhook]);
  const waiting = sql.rows<{ position: number }>(
    `SELECT position FROM owed WHERE webhook = ? AND delivery IS NULL LIMIT ${SLICE}`,
    [webhook],
  );
  for (const { position } of waiting)
    sql.run('DELETE FROM owed WHERE position = ? AND webhook = ?', [position, webhook]);
  if (!remove(sql, deliveries) && waiting.length === 0) sql.run('DELETE FROM webhooks WHERE number = ?', [webhook]);
  return true;
}

function remove(sql: Sql, deliveries: readonly Numbered[]): boolean {
  for (const { number } of deliveries) {
    sql.run('DELETE FROM owed WHERE delivery = ?', [number]);
    sql.run('DELETE FROM attempts WHERE delivery = ?', [number]);
    sql.run('DELETE FROM deliveries WHERE number = ?', [number]);
  }
  return deliveries.length > 0;
}
