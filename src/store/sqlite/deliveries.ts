/** Deliveries when they are read: frozen batches with their attempts. */
import type { Delivery } from '../../domain/webhook.ts';
import {
  type AttemptRow,
  attemptOf,
  attemptPage,
  type DeliveryRow,
  deliveryOf,
  type PendingRow,
  pendingOf,
  type TimedAttemptRow,
} from '../rows/deliveries.ts';
import type { AttemptQuery, DeliveryQuery, PendingDelivery } from '../store.ts';
import type { Sql } from './sql.ts';

/** A delivery that was asked for again and again shows its last attempts. */
const ATTEMPTS_SHOWN = 20;

const ACCOUNT = '(SELECT number FROM accounts WHERE id = :account)';
const select = (which: string): string =>
  `SELECT d.number, d.id, w.id AS webhook_id, d.created_at, d.matches, d.status, d.reason, d.next_at, d.digest
   FROM deliveries d JOIN webhooks w ON w.number = d.webhook WHERE w.status <> 'deleted' AND ${which}`;

/** Newest first, of an account or of one of its webhooks, in any state or in one. */
function listSql(ofWebhook: boolean, ofStatus: boolean): string {
  const subject = ofWebhook
    ? `d.webhook = (SELECT number FROM webhooks WHERE id = :webhook AND account = ${ACCOUNT})`
    : `d.account = ${ACCOUNT}`;
  const status = ofStatus ? 'AND d.status = :status ' : '';
  return `${select(subject)} ${status}AND d.number < :before ORDER BY d.number DESC LIMIT :limit`;
}

export const deliveryReads = (sql: Sql) => ({
  deliveries({ accountId, webhookId, status, before, limit }: DeliveryQuery): {
    deliveries: Delivery[];
    next: number | undefined;
  } {
    const rows = sql.rows<DeliveryRow>(listSql(webhookId !== undefined, status !== undefined), {
      account: accountId,
      before: before ?? Number.MAX_SAFE_INTEGER,
      limit: limit + 1,
      ...(webhookId !== undefined && { webhook: webhookId }),
      ...(status !== undefined && { status }),
    });
    const page = rows.slice(0, limit);
    return {
      deliveries: page.map((row) => withAttempts(sql, row)),
      next: rows.length > limit ? page.at(-1)!.number : undefined,
    };
  },
  delivery(accountId: string, id: string): Delivery | undefined {
    const row = sql.row<DeliveryRow>(`${select('d.id = :id')} AND d.account = ${ACCOUNT}`, { id, account: accountId });
    return row && withAttempts(sql, row);
  },
  attemptsOf: ({ accountId, webhookId, from, to, before, limit }: AttemptQuery) =>
    attemptPage(
      sql.rows<TimedAttemptRow>(
        `SELECT number, at, milliseconds, error FROM attempts INDEXED BY attempts_of_webhook
         WHERE webhook = (SELECT number FROM webhooks WHERE id = :webhook AND account = ${ACCOUNT})
           AND at >= :from AND at < :to AND (at, number) < (:at, :number)
         ORDER BY at DESC, number DESC LIMIT :limit`,
        {
          webhook: webhookId,
          account: accountId,
          from: from.getTime(),
          to: to.getTime(),
          at: before?.at ?? to.getTime(),
          number: before?.number ?? Number.MAX_SAFE_INTEGER,
          limit,
        },
      ),
      limit,
    ),
  pendingDeliveries: (webhookId: string, limit: number): PendingDelivery[] =>
    sql
      .rows<PendingRow>(
        `SELECT id, next_at, made, digest IS NOT NULL AND body IS NULL AS unwritten FROM deliveries WHERE webhook = (SELECT number FROM webhooks WHERE id = ?)
         AND status = 'pending' ORDER BY next_at LIMIT ?`,
        [webhookId, limit],
      )
      .map(pendingOf),
  pendingBody: (id: string): string | undefined =>
    sql.row<{ body: string | null }>(`SELECT body FROM deliveries WHERE id = ? AND status = 'pending'`, [id])?.body ??
    undefined,
});

function withAttempts(sql: Sql, row: DeliveryRow): Delivery {
  const attempts = sql.rows<AttemptRow>(
    `SELECT at, milliseconds, status_code, error, response FROM attempts WHERE delivery = ? ORDER BY number DESC LIMIT ${ATTEMPTS_SHOWN}`,
    [row.number],
  );
  return deliveryOf(row, attempts.map(attemptOf).toReversed());
}
