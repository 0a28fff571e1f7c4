/** How deliveries are made, tried, and made due again. */
import { type DisabledRow, disabledChange } from '../rows/changes.ts';
import { isWakeTurn, type WakingRow } from '../rows/owed.ts';
import { encodeText, textOrNull, timeOrNull } from '../rows/texts.ts';
import type { AttemptRecord, Batch, NoticeDelivery, SealedDigest, SentMatch } from '../store.ts';
import { noteChange } from './changes.ts';
import { transaction } from './connection.ts';
import type { Sql } from './sql.ts';
import { keepWakeTurn, sealDigest } from './wakes.ts';

/** Deliveries changed in one statement or transaction. */
const SLICE = 500;

const ACCOUNT = '(SELECT number FROM accounts WHERE id = :account)';
const AGAIN = `UPDATE deliveries SET status = 'pending', reason = NULL, made = 0, next_at = :now`;

export const deliveryWrites = (sql: Sql) => ({
  freeze: (batch: Batch): boolean => transaction(sql, () => freeze(sql, batch)),
  sealDigest: (sealed: SealedDigest): boolean => transaction(sql, () => sealDigest(sql, sealed)),
  closeDigest: (deliveryId: string): number =>
    sql.run('UPDATE deliveries SET digest = 2 WHERE id = ? AND digest = 1', [deliveryId]),
  sendMatch: (sending: SentMatch): boolean => transaction(sql, () => sendMatch(sql, sending)),
  recordAttempt: (record: AttemptRecord): void => transaction(sql, () => recordAttempt(sql, record)),
  addNotices: (notices: readonly NoticeDelivery[]): void => transaction(sql, () => putNotices(sql, notices)),

  redeliver: (accountId: string, id: string, now: Date): boolean =>
    sql.run(`${AGAIN} WHERE id = :id AND account = ${ACCOUNT} AND body IS NOT NULL`, {
      id,
      account: accountId,
      now: now.getTime(),
    }) === 1,

  redeliverSlice: (
    accountId: string,
    webhookId: string,
    from: Date,
    now: Date,
    after: number,
  ): { queued: number; next: number | undefined } =>
    transaction(sql, () => {
      const found = sql.rows<{ number: number }>(
        `SELECT d.number FROM deliveries d WHERE d.webhook = (SELECT number FROM webhooks WHERE id = :webhook AND account = ${ACCOUNT})
         AND d.number > :after AND d.created_at >= :since ORDER BY d.number LIMIT ${SLICE}`,
        { account: accountId, webhook: webhookId, since: from.getTime(), after },
      );
      let queued = 0;
      for (const { number } of found)
        queued += sql.run(`${AGAIN} WHERE number = :number AND body IS NOT NULL`, { number, now: now.getTime() });
      return { queued, next: found.length < SLICE ? undefined : found.at(-1)!.number };
    }),
});

function freeze(sql: Sql, { id, webhookId, positions, body, at, wake }: Batch): boolean {
  const webhook = sql.row<WakingRow>(
    `SELECT number, account, wake_turn, wake IS NOT NULL AS waking FROM webhooks WHERE id = ? AND status = 'active'`,
    [webhookId],
  );
  if (webhook === undefined || !isWakeTurn(webhook, wake)) return false;
  const all = [...positions, ...(wake?.held ?? []).map(({ position }) => position)];
  // An event has the same id again after its subscription was forgotten and made anew.
  if (sql.row('SELECT 1 FROM deliveries WHERE id = ?', [id]) !== undefined) return false;
  // Under the lock: once a rule's deletion has returned, no batch takes a match of it. The batch comes first in the join:
  // what else waits for the webhook must not be looked at.
  const waiting = sql.row<{ rows: number }>(
    `SELECT count(*) AS rows FROM json_each(?) p CROSS JOIN owed o ON o.position = p.value AND o.webhook = ?
     CROSS JOIN matches m ON m.position = o.position CROSS JOIN rules r ON r.number = m.rule
     WHERE o.delivery IS NULL AND r.deleted = 0`,
    [JSON.stringify(all), webhook.number],
  );
  if (waiting?.rows !== all.length) return false;
  if (wake !== undefined) keepWakeTurn(sql, webhook, wake, at);
  if (positions.length === 0) return true;
  const now = at.getTime();
  const delivery = sql.insert(
    `INSERT INTO deliveries (id, webhook, account, created_at, matches, status, made, next_at, body)
     VALUES (?, ?, ?, ?, ?, 'pending', 0, ?, ?)`,
    [id, webhook.number, webhook.account, now, positions.length, now, body],
  );
  for (const position of positions)
    sql.run('UPDATE owed SET delivery = ? WHERE position = ? AND webhook = ?', [delivery, position, webhook.number]);
  return true;
}

function sendMatch(sql: Sql, { id, accountId, webhookId, position, body, at }: SentMatch): boolean {
  const webhook = sql.row<{ number: number; account: number }>(
    `SELECT number, account FROM webhooks WHERE id = :id AND account = ${ACCOUNT} AND status = 'active'`,
    { id: webhookId, account: accountId },
  );
  const match = sql.row<{ deleted: number }>(
    `SELECT r.deleted FROM matches m JOIN rules r ON r.number = m.rule WHERE m.position = :position AND m.account = ${ACCOUNT}`,
    { position, account: accountId },
  );
  if (webhook === undefined || match?.deleted !== 0) return false;
  sql.insert(
    `INSERT INTO deliveries (id, webhook, account, created_at, matches, status, made, next_at, body, sent)
     VALUES (?, ?, ?, ?, 1, 'pending', 0, ?, ?, ?)`,
    [id, webhook.number, webhook.account, at.getTime(), at.getTime(), body, position],
  );
  return true;
}

export function putNotices(sql: Sql, notices: readonly NoticeDelivery[]): void {
  for (const { id, webhookId, body, at } of notices)
    sql.run(
      `INSERT OR IGNORE INTO deliveries (id, webhook, account, created_at, matches, status, made, next_at, body)
       SELECT :id, number, account, :at, 0, 'pending', 0, :at, :body FROM webhooks
       WHERE id = :webhook AND status IN ('active', 'paused')`,
      { id, webhook: webhookId, at: at.getTime(), body },
    );
}

function recordAttempt(sql: Sql, record: AttemptRecord): void {
  const { deliveryId, attempt, outcome, health, recovered, disable, shorten, notices } = record;
  const delivery = sql.row<{ number: number; webhook: number }>('SELECT number, webhook FROM deliveries WHERE id = ?', [
    deliveryId,
  ]);
  if (delivery === undefined) return;
  const { at, milliseconds, statusCode, error, response } = attempt;
  sql.run(
    `INSERT INTO attempts (delivery, webhook, at, milliseconds, status_code, error, response) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    [
      delivery.number,
      delivery.webhook,
      at.getTime(),
      milliseconds,
      statusCode ?? null,
      textOrNull(error),
      encodeText(response),
    ],
  );
  sql.run(
    `UPDATE deliveries SET status = ?, reason = ?, next_at = ?, made = made + 1 WHERE number = ? AND status = 'pending'`,
    [
      outcome.status,
      outcome.status === 'failed' ? encodeText(outcome.reason) : null,
      outcome.status === 'pending' ? outcome.nextAt.getTime() : null,
      delivery.number,
    ],
  );
  sql.run('UPDATE webhooks SET last_failure_at = ?, failing_since = ? WHERE number = ?', [
    timeOrNull(health.lastFailureAt),
    timeOrNull(health.failingSince),
    delivery.webhook,
  ]);
  if (recovered) hurry(sql, delivery.webhook, at.getTime() + milliseconds);
  if (shorten === true) sql.run('UPDATE webhooks SET brief = 1 WHERE number = ?', [delivery.webhook]);
  if (disable !== undefined) disableWebhook(sql, delivery.webhook, disable, at);
  putNotices(sql, notices);
}

/** The webhook works again: what waits for its next attempt need not wait. A digest waits for its time. */
function hurry(sql: Sql, webhook: number, now: number): void {
  sql.run(
    `UPDATE deliveries SET next_at = :now WHERE webhook = :webhook AND status = 'pending' AND next_at > :now AND made > 0`,
    {
      now,
      webhook,
    },
  );
}

function disableWebhook(sql: Sql, webhook: number, reason: string, at: Date): void {
  const before = sql.row<DisabledRow>(
    `SELECT w.id, w.status, a.id AS account FROM webhooks w JOIN accounts a ON a.number = w.account
     WHERE w.number = ? AND w.status IN ('active', 'paused')`,
    [webhook],
  );
  if (before !== undefined) {
    sql.run(`UPDATE webhooks SET status = 'disabled', reason = ? WHERE number = ?`, [encodeText(reason), webhook]);
    noteChange(sql, before.account, disabledChange(before, reason, at));
  }
  sql.run(
    `UPDATE deliveries SET status = 'failed', reason = ?, next_at = NULL WHERE webhook = ? AND status = 'pending' AND body IS NOT NULL`,
    [encodeText(`The webhook was disabled: ${reason}`), webhook],
  );
}
