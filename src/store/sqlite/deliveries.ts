/** Deliveries: frozen batches with their attempts. */
import type { DatabaseSync } from 'node:sqlite';
import type { Delivery, WebhookHealth } from '../../domain/webhook.ts';
import { type AttemptRow, attemptOf, type DeliveryRow, deliveryOf } from '../rows/deliveries.ts';
import { encodeText } from '../rows/texts.ts';
import type { AttemptRecord, Batch, DeliveryQuery, PendingDelivery } from '../store.ts';
import { transaction } from './connection.ts';

/** Deliveries made due again in one transaction. */
const SLICE = 500;
/** A delivery that was asked for again and again shows its last attempts. */
const ATTEMPTS_SHOWN = 20;

const ACCOUNT = '(SELECT number FROM accounts WHERE id = :account)';
const select = (which: string): string =>
  `SELECT d.number, d.id, w.id AS webhook_id, d.created_at, d.matches, d.status, d.reason, d.next_at
   FROM deliveries d JOIN webhooks w ON w.number = d.webhook WHERE w.status <> 'deleted' AND ${which}`;

/** Newest first, of an account or of one of its webhooks, in any state or in one. */
function listSql(ofWebhook: boolean, ofStatus: boolean): string {
  const subject = ofWebhook
    ? `d.webhook = (SELECT number FROM webhooks WHERE id = :webhook AND account = ${ACCOUNT})`
    : `d.account = ${ACCOUNT}`;
  const status = ofStatus ? 'AND d.status = :status ' : '';
  return `${select(subject)} ${status}AND d.number < :before ORDER BY d.number DESC LIMIT :limit`;
}

export function deliveryReads(db: DatabaseSync) {
  const lists = new Map(
    [true, false].flatMap((ofWebhook) =>
      [true, false].map((ofStatus) => [`${ofWebhook} ${ofStatus}`, db.prepare(listSql(ofWebhook, ofStatus))] as const),
    ),
  );
  const one = db.prepare(`${select('d.id = :id')} AND d.account = ${ACCOUNT}`);
  const attempts = db.prepare(
    `SELECT at, milliseconds, status_code, error, response FROM attempts WHERE delivery = ? ORDER BY number DESC LIMIT ${ATTEMPTS_SHOWN}`,
  );
  const pending = db.prepare(
    `SELECT id, next_at, made FROM deliveries WHERE webhook = (SELECT number FROM webhooks WHERE id = ?)
     AND status = 'pending' ORDER BY next_at LIMIT ?`,
  );
  const body = db.prepare(`SELECT body FROM deliveries WHERE id = ? AND status = 'pending'`);

  const whole = (row: DeliveryRow): Delivery =>
    deliveryOf(row, (attempts.all(row.number) as unknown as AttemptRow[]).map(attemptOf).toReversed());

  return {
    deliveries({ accountId, webhookId, status, before, limit }: DeliveryQuery): {
      deliveries: Delivery[];
      next: number | undefined;
    } {
      const list = lists.get(`${webhookId !== undefined} ${status !== undefined}`)!;
      const rows = list.all({
        account: accountId,
        before: before ?? Number.MAX_SAFE_INTEGER,
        limit: limit + 1,
        ...(webhookId !== undefined && { webhook: webhookId }),
        ...(status !== undefined && { status }),
      }) as unknown as DeliveryRow[];
      const page = rows.slice(0, limit);
      return { deliveries: page.map(whole), next: rows.length > limit ? page.at(-1)!.number : undefined };
    },
    delivery(accountId: string, id: string): Delivery | undefined {
      const row = one.get({ id, account: accountId }) as DeliveryRow | undefined;
      return row === undefined ? undefined : whole(row);
    },
    pendingDeliveries: (webhookId: string, limit: number): PendingDelivery[] =>
      (pending.all(webhookId, limit) as { id: string; next_at: number; made: number }[]).map((row) => ({
        id: row.id,
        nextAt: new Date(row.next_at),
        made: row.made,
      })),
    pendingBody: (id: string): string | undefined => (body.get(id) as { body: string } | undefined)?.body,
  };
}

export function deliveryWrites(db: DatabaseSync) {
  const active = db.prepare(`SELECT number, account FROM webhooks WHERE id = ? AND status = 'active'`);
  const stillWaiting = db.prepare(
    `SELECT count(*) AS rows FROM json_each(?) p JOIN owed o ON o.position = p.value AND o.webhook = ?
     JOIN matches m ON m.position = o.position JOIN rules r ON r.number = m.rule
     WHERE o.delivery IS NULL AND r.deleted = 0`,
  );
  const insert = db.prepare(
    `INSERT INTO deliveries (id, webhook, account, created_at, matches, status, made, next_at, body)
     VALUES (?, ?, ?, ?, ?, 'pending', 0, ?, ?)`,
  );
  const take = db.prepare('UPDATE owed SET delivery = ? WHERE position = ? AND webhook = ?');
  const find = db.prepare('SELECT number, webhook FROM deliveries WHERE id = ?');
  const addAttempt = db.prepare(
    'INSERT INTO attempts (delivery, at, milliseconds, status_code, error, response) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const settle = db.prepare(
    `UPDATE deliveries SET status = ?, reason = ?, next_at = ?, made = made + 1 WHERE number = ? AND status = 'pending'`,
  );
  const setHealth = db.prepare('UPDATE webhooks SET last_failure_at = ?, failing_since = ? WHERE number = ?');
  const hurry = db.prepare(
    `UPDATE deliveries SET next_at = :now WHERE webhook = :webhook AND status = 'pending' AND next_at > :now`,
  );
  const disable = db.prepare(
    `UPDATE webhooks SET status = 'disabled', reason = ? WHERE number = ? AND status IN ('active', 'paused')`,
  );
  const giveUp = db.prepare(
    `UPDATE deliveries SET status = 'failed', reason = ?, next_at = NULL WHERE webhook = ? AND status = 'pending'`,
  );
  const AGAIN = `UPDATE deliveries SET status = 'pending', reason = NULL, made = 0, next_at = :now`;
  const again = db.prepare(`${AGAIN} WHERE id = :id AND account = ${ACCOUNT} AND body IS NOT NULL`);
  const since = db.prepare(
    `SELECT d.number FROM deliveries d WHERE d.webhook = (SELECT number FROM webhooks WHERE id = :webhook AND account = ${ACCOUNT})
     AND d.number > :after AND d.created_at >= :since ORDER BY d.number LIMIT ${SLICE}`,
  );
  const againByNumber = db.prepare(`${AGAIN} WHERE number = :number AND body IS NOT NULL`);

  const healthOf = ({ lastFailureAt, failingSince }: WebhookHealth): [number | null, number | null] => [
    lastFailureAt?.getTime() ?? null,
    failingSince?.getTime() ?? null,
  ];

  return {
    freeze: ({ id, webhookId, positions, body, at }: Batch): boolean =>
      transaction(db, () => {
        const webhook = active.get(webhookId) as { number: number; account: number } | undefined;
        if (webhook === undefined) return false;
        // Under the lock: once a rule's deletion has returned, no batch takes a match of it.
        const { rows } = stillWaiting.get(JSON.stringify(positions), webhook.number) as { rows: number };
        if (rows !== positions.length) return false;
        const now = at.getTime();
        const { lastInsertRowid } = insert.run(id, webhook.number, webhook.account, now, positions.length, now, body);
        for (const position of positions) take.run(lastInsertRowid, position, webhook.number);
        return true;
      }),

    recordAttempt: ({ deliveryId, attempt, outcome, health, recovered, disable: reason }: AttemptRecord): void =>
      transaction(db, () => {
        const delivery = find.get(deliveryId) as { number: number; webhook: number } | undefined;
        if (delivery === undefined) return;
        const { at, milliseconds, statusCode, error, response } = attempt;
        const said = error === undefined ? null : encodeText(error);
        addAttempt.run(delivery.number, at.getTime(), milliseconds, statusCode ?? null, said, encodeText(response));
        const nextAt = outcome.status === 'pending' ? outcome.nextAt.getTime() : null;
        const why = outcome.status === 'failed' ? encodeText(outcome.reason) : null;
        settle.run(outcome.status, why, nextAt, delivery.number);
        setHealth.run(...healthOf(health), delivery.webhook);
        if (recovered) hurry.run({ now: at.getTime() + milliseconds, webhook: delivery.webhook });
        if (reason === undefined) return;
        disable.run(encodeText(reason), delivery.webhook);
        giveUp.run(encodeText(`The webhook was disabled: ${reason}`), delivery.webhook);
      }),

    redeliver: (accountId: string, id: string, now: Date): boolean =>
      again.run({ id, account: accountId, now: now.getTime() }).changes === 1,

    redeliverSlice: (
      accountId: string,
      webhookId: string,
      from: Date,
      now: Date,
      after: number,
    ): { queued: number; next: number | undefined } =>
      transaction(db, () => {
        const found = since.all({ account: accountId, webhook: webhookId, since: from.getTime(), after }) as {
          number: number;
        }[];
        let queued = 0;
        for (const { number } of found) queued += Number(againByNumber.run({ number, now: now.getTime() }).changes);
        return { queued, next: found.length < SLICE ? undefined : found.at(-1)!.number };
      }),
  };
}
