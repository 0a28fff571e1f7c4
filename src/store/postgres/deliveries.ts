/** Deliveries when they are read, and asked for again: frozen batches with their attempts. */
import type { Delivery } from '../../domain/webhook.ts';
import {
  type AttemptRow,
  attemptOf,
  type DeliveryRow,
  deliveryOf,
  type PendingRow,
  pendingOf,
} from '../rows/deliveries.ts';
import type { DeliveryQuery, DeliveryStore, OwedStore } from '../store.ts';
import type { AttemptStore } from './attempts.ts';
import type { Database, Db } from './connection.ts';
import { ring } from './nodes.ts';
import { oweStored } from './owed.ts';

/** A delivery that was asked for again and again shows its last attempts. */
const ATTEMPTS_SHOWN = 20;
/** Deliveries made due again in one statement. */
const SLICE = 500;

const ACCOUNT = '(SELECT number FROM accounts WHERE id = $1)';
const SELECT = `SELECT d.number, d.id, w.id AS webhook_id, d.created_at, d.matches, d.status, d.reason, d.next_at, d.digest
  FROM deliveries d JOIN webhooks w ON w.number = d.webhook WHERE w.status <> 'deleted' AND d.account = ${ACCOUNT}`;
const AGAIN = `UPDATE deliveries SET status = 'pending', reason = NULL, made = 0, next_at = $2`;

export const deliveryStore = (database: Database): Omit<DeliveryStore, keyof AttemptStore> => ({
  deliveries: (query) => list(database, query),
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
    let deliveries = 0;
    for (let next: number | undefined = 0; next !== undefined; ) {
      const slice: Slice = await againSlice(database, accountId, webhookId, since, now, next);
      deliveries += slice.queued;
      next = slice.next;
    }
    const matches = await oweStored(database, accountId, webhookId, since);
    await ring(database, [accountId]);
    return { deliveries, matches };
  },
});

async function list(
  db: Db,
  { accountId, webhookId, status, before, limit }: DeliveryQuery,
): Promise<{ deliveries: Delivery[]; next: number | undefined }> {
  const values: unknown[] = [accountId, before ?? Number.MAX_SAFE_INTEGER, limit + 1];
  const ofWebhook =
    webhookId === undefined
      ? ''
      : `AND d.webhook = (SELECT number FROM webhooks WHERE id = $${values.push(webhookId)} AND account = ${ACCOUNT})`;
  const ofStatus = status === undefined ? '' : `AND d.status = $${values.push(status)}`;
  const rows = await db.rows<DeliveryRow>(
    `${SELECT} AND d.number < $2 ${ofWebhook} ${ofStatus} ORDER BY d.number DESC LIMIT $3`,
    values,
  );
  const page = rows.slice(0, limit);
  return {
    deliveries: await withAttempts(db, page),
    next: rows.length > limit ? page.at(-1)!.number : undefined,
  };
}

interface Slice {
  readonly queued: number;
  readonly next: number | undefined;
}

async function againSlice(
  db: Db,
  accountId: string,
  webhookId: string,
  since: Date,
  now: Date,
  after: number,
): Promise<Slice> {
  const found = await db.rows<{ number: number }>(
    `SELECT number FROM deliveries WHERE webhook = (SELECT number FROM webhooks WHERE id = $2 AND account = ${ACCOUNT})
     AND number > $4 AND created_at >= $3 ORDER BY number LIMIT ${SLICE}`,
    [accountId, webhookId, since.getTime(), after],
  );
  const numbers = found.map(({ number }) => number);
  const queued = await db.run(`${AGAIN} WHERE number = ANY($1) AND body IS NOT NULL`, [numbers, now.getTime()]);
  return { queued, next: numbers.length < SLICE ? undefined : numbers.at(-1) };
}

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

export const pendingStore = (database: Database): Pick<OwedStore, 'pendingDeliveries' | 'pendingBody'> => ({
  pendingDeliveries: async (webhookId, limit) =>
    (
      await database.rows<PendingRow>(
        `SELECT id, next_at, made, digest IS NOT NULL AND body IS NULL AS unwritten FROM deliveries WHERE webhook = (SELECT number FROM webhooks WHERE id = $1)
         AND status = 'pending' ORDER BY next_at LIMIT $2`,
        [webhookId, limit],
      )
    ).map(pendingOf),
  async pendingBody(id) {
    const [row] = await database.rows<{ body: string | null }>(
      `SELECT body FROM deliveries WHERE id = $1 AND status = 'pending'`,
      [id],
    );
    return row?.body ?? undefined;
  },
});
