/** Deliveries: frozen batches with their attempts. */
import type { Delivery } from '../../domain/webhook.ts';
import { type AttemptRow, attemptOf, type DeliveryRow, deliveryOf } from '../rows/deliveries.ts';
import { encodeText } from '../rows/texts.ts';
import type { AttemptRecord, Batch, Store } from '../store.ts';
import type { Database, Db } from './connection.ts';
import { ring } from './nodes.ts';
import { oweStored } from './owed.ts';

/** A delivery that was asked for again and again shows its last attempts. */
const ATTEMPTS_SHOWN = 20;
const ACCOUNT = '(SELECT number FROM accounts WHERE id = $1)';
const SELECT = `SELECT d.number, d.id, w.id AS webhook_id, d.created_at, d.matches, d.status, d.reason, d.next_at
  FROM deliveries d JOIN webhooks w ON w.number = d.webhook WHERE w.status <> 'deleted' AND d.account = ${ACCOUNT}`;
const AGAIN = `UPDATE deliveries SET status = 'pending', reason = NULL, made = 0, next_at = $2`;

type DeliveryStore = Pick<
  Store,
  | 'deliveries'
  | 'delivery'
  | 'redeliver'
  | 'redeliverSince'
  | 'freeze'
  | 'pendingDeliveries'
  | 'pendingBody'
  | 'recordAttempt'
>;

export const deliveryStore = (database: Database): DeliveryStore => ({
  async deliveries({ accountId, webhookId, status, before, limit }) {
    const values: unknown[] = [accountId, before ?? Number.MAX_SAFE_INTEGER, limit + 1];
    const narrow = (column: string, value: string | undefined): string =>
      value === undefined ? '' : `AND ${column} = $${values.push(value)}`;
    const rows = await database.rows<DeliveryRow>(
      `${SELECT} AND d.number < $2 ${narrow('w.id', webhookId)} ${narrow('d.status', status)}
       ORDER BY d.number DESC LIMIT $3`,
      values,
    );
    const page = rows.slice(0, limit);
    return {
      deliveries: await withAttempts(database, page),
      next: rows.length > limit ? page.at(-1)!.number : undefined,
    };
  },
  async delivery(accountId, id) {
    const rows = await database.rows<DeliveryRow>(`${SELECT} AND d.id = $2`, [accountId, id]);
    return (await withAttempts(database, rows))[0];
  },
  async redeliver(accountId, id, now) {
    const again = await database.run(`${AGAIN} WHERE id = $3 AND account = ${ACCOUNT} AND body IS NOT NULL`, [
      accountId,
      now.getTime(),
      id,
    ]);
    await ring(database, [accountId]);
    return again === 1;
  },
  async redeliverSince(accountId, webhookId, since, now) {
    const deliveries = await database.run(
      `${AGAIN} WHERE webhook = (SELECT number FROM webhooks WHERE id = $3 AND account = ${ACCOUNT})
         AND created_at >= $4 AND body IS NOT NULL`,
      [accountId, now.getTime(), webhookId, since.getTime()],
    );
    const matches = await oweStored(database, accountId, webhookId, since);
    await ring(database, [accountId]);
    return { deliveries, matches };
  },
  freeze: (batch) => database.transaction((db) => freeze(db, batch)),
  pendingDeliveries: async (webhookId, limit) =>
    (
      await database.rows<{ id: string; next_at: number; made: number }>(
        `SELECT id, next_at, made FROM deliveries WHERE webhook = (SELECT number FROM webhooks WHERE id = $1)
         AND status = 'pending' ORDER BY next_at LIMIT $2`,
        [webhookId, limit],
      )
    ).map(({ id, next_at, made }) => ({ id, nextAt: new Date(next_at), made })),
  async pendingBody(id) {
    const [row] = await database.rows<{ body: string }>(
      `SELECT body FROM deliveries WHERE id = $1 AND status = 'pending'`,
      [id],
    );
    return row?.body;
  },
  recordAttempt: (record) => database.transaction((db) => recordAttempt(db, record)),
});

async function withAttempts(db: Db, rows: readonly DeliveryRow[]): Promise<Delivery[]> {
  const attempts = await db.rows<AttemptRow & { delivery: number }>(
    `SELECT a.* FROM unnest($1::bigint[]) AS d (number) CROSS JOIN LATERAL
       (SELECT delivery, number, at, milliseconds, status_code, error, response FROM attempts
        WHERE delivery = d.number ORDER BY number DESC LIMIT ${ATTEMPTS_SHOWN}) a ORDER BY a.number`,
    [rows.map(({ number }) => number)],
  );
  const byDelivery = Map.groupBy(attempts, ({ delivery }) => delivery);
  return rows.map((row) => deliveryOf(row, (byDelivery.get(row.number) ?? []).map(attemptOf)));
}

async function freeze(db: Db, { id, webhookId, positions, body, at }: Batch): Promise<boolean> {
  const [webhook] = await db.rows<{ number: number; account: number }>(
    `SELECT number, account FROM webhooks WHERE id = $1 AND status = 'active' FOR UPDATE`,
    [webhookId],
  );
  if (webhook === undefined) return false;
  // Under locks: once a rule's deletion has returned, no batch takes a match of it, and no two batches take the same.
  const waiting = await db.rows(
    `SELECT 1 FROM owed o JOIN matches m ON m.position = o.position JOIN rules r ON r.number = m.rule
     WHERE o.webhook = $2 AND o.position = ANY($1) AND m.position = ANY($1) AND o.delivery IS NULL AND r.deleted = 0
     ORDER BY o.position FOR UPDATE OF o FOR SHARE OF r`,
    [positions, webhook.number],
  );
  if (waiting.length !== positions.length) return false;
  const [added] = await db.rows<{ number: number }>(
    `INSERT INTO deliveries (id, webhook, account, created_at, matches, status, made, next_at, body)
     VALUES ($1, $2, $3, $4, $5, 'pending', 0, $4, $6) RETURNING number`,
    [id, webhook.number, webhook.account, at.getTime(), positions.length, body],
  );
  await db.run('UPDATE owed SET delivery = $1 WHERE webhook = $2 AND position = ANY($3)', [
    added!.number,
    webhook.number,
    positions,
  ]);
  return true;
}

async function recordAttempt(db: Db, record: AttemptRecord): Promise<void> {
  const { deliveryId, attempt, outcome, health, recovered, disable } = record;
  const [delivery] = await db.rows<{ number: number; webhook: number }>(
    'SELECT number, webhook FROM deliveries WHERE id = $1 FOR UPDATE',
    [deliveryId],
  );
  if (delivery === undefined) return;
  const { at, milliseconds, statusCode, error, response } = attempt;
  await db.run(
    'INSERT INTO attempts (delivery, at, milliseconds, status_code, error, response) VALUES ($1, $2, $3, $4, $5, $6)',
    [
      delivery.number,
      at.getTime(),
      milliseconds,
      statusCode ?? null,
      error === undefined ? null : encodeText(error),
      encodeText(response),
    ],
  );
  await db.run(
    `UPDATE deliveries SET status = $2, reason = $3, next_at = $4, made = made + 1 WHERE number = $1 AND status = 'pending'`,
    [
      delivery.number,
      outcome.status,
      outcome.status === 'failed' ? encodeText(outcome.reason) : null,
      outcome.status === 'pending' ? outcome.nextAt.getTime() : null,
    ],
  );
  await db.run('UPDATE webhooks SET last_failure_at = $2, failing_since = $3 WHERE number = $1', [
    delivery.webhook,
    health.lastFailureAt?.getTime() ?? null,
    health.failingSince?.getTime() ?? null,
  ]);
  if (recovered)
    await db.run(`UPDATE deliveries SET next_at = $2 WHERE webhook = $1 AND status = 'pending' AND next_at > $2`, [
      delivery.webhook,
      at.getTime() + milliseconds,
    ]);
  if (disable === undefined) return;
  await db.run(
    `UPDATE webhooks SET status = 'disabled', reason = $2 WHERE number = $1 AND status IN ('active', 'paused')`,
    [delivery.webhook, encodeText(disable)],
  );
  await db.run(
    `UPDATE deliveries SET status = 'failed', reason = $2, next_at = NULL WHERE webhook = $1 AND status = 'pending'`,
    [delivery.webhook, encodeText(`The webhook was disabled: ${disable}`)],
  );
}
