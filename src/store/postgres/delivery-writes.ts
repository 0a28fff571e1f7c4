/** How deliveries are made and tried. */
import { type DisabledRow, disabledChange } from '../rows/changes.ts';
import { isWakeTurn, type WakingRow } from '../rows/owed.ts';
import { encodeText, textOrNull, timeOrNull } from '../rows/texts.ts';
import type { AttemptRecord, Batch, NoticeDelivery, OwedStore, SentMatch } from '../store.ts';
import { writeChange } from './changes.ts';
import type { Database, Db } from './connection.ts';
import { storeWakeTurn } from './wakes.ts';

export const deliveryWrites = (database: Database): Pick<OwedStore, 'freeze' | 'recordAttempt' | 'addNotices'> => ({
  freeze: (batch) => database.transaction((db) => freeze(db, batch)),
  recordAttempt: (record) => database.transaction((db) => recordAttempt(db, record)),
  addNotices: (notices) => database.transaction((db) => insertNotices(db, notices)),
});

async function freeze(db: Db, { id, webhookId, positions, body, at, wake }: Batch): Promise<boolean> {
  const [webhook] = await db.rows<WakingRow>(
    `SELECT number, account, wake_turn, wake IS NOT NULL AS waking FROM webhooks
     WHERE id = $1 AND status = 'active' FOR UPDATE`,
    [webhookId],
  );
  if (webhook === undefined || !isWakeTurn(webhook, wake)) return false;
  const all = [...positions, ...(wake?.held ?? []).map(({ position }) => position)];
  // An event has the same id again after its subscription was forgotten and made anew.
  if ((await db.rows('SELECT 1 FROM deliveries WHERE id = $1', [id])).length > 0) return false;
  // Under locks: once a rule's deletion has returned, no batch takes a match of it, and no two batches take the same.
  const waiting = await db.rows(
    `SELECT 1 FROM owed o JOIN matches m ON m.position = o.position JOIN rules r ON r.number = m.rule
     WHERE o.webhook = $2 AND o.position = ANY($1) AND m.position = ANY($1) AND o.delivery IS NULL AND r.deleted = 0
     ORDER BY o.position FOR UPDATE OF o FOR SHARE OF r`,
    [all, webhook.number],
  );
  if (waiting.length !== all.length) return false;
  if (wake !== undefined) await storeWakeTurn(db, webhook, wake, at);
  if (positions.length === 0) return true;
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

export async function insertSent(
  db: Db,
  { id, accountId, webhookId, position, body, at }: SentMatch,
): Promise<boolean> {
  // Under a lock: once a rule's deletion has returned, no match of it is sent.
  const [match] = await db.rows<{ account: number }>(
    `SELECT m.account FROM matches m JOIN rules r ON r.number = m.rule
     WHERE m.position = $1 AND m.account = (SELECT number FROM accounts WHERE id = $2) AND r.deleted = 0 FOR SHARE OF r`,
    [position, accountId],
  );
  if (match === undefined) return false;
  const added = await db.run(
    `INSERT INTO deliveries (id, webhook, account, created_at, matches, status, made, next_at, body, sent)
     SELECT $1, number, account, $4, 1, 'pending', 0, $4, $5, $6 FROM webhooks
     WHERE id = $2 AND account = $3 AND status = 'active'`,
    [id, webhookId, match.account, at.getTime(), body, position],
  );
  return added === 1;
}

export async function insertNotices(db: Db, notices: readonly NoticeDelivery[]): Promise<void> {
  for (const { id, webhookId, body, at } of notices)
    await db.run(
      `INSERT INTO deliveries (id, webhook, account, created_at, matches, status, made, next_at, body)
       SELECT $1, number, account, $3, 0, 'pending', 0, $3, $4 FROM webhooks
       WHERE id = $2 AND status IN ('active', 'paused') ON CONFLICT (id) DO NOTHING`,
      [id, webhookId, at.getTime(), body],
    );
}

async function recordAttempt(db: Db, record: AttemptRecord): Promise<void> {
  const { deliveryId, attempt, outcome, health, recovered, disable, shorten, notices } = record;
  const [delivery] = await db.rows<{ number: number; webhook: number }>(
    'SELECT number, webhook FROM deliveries WHERE id = $1 FOR UPDATE',
    [deliveryId],
  );
  if (delivery === undefined) return;
  const { at, milliseconds, statusCode, error, response } = attempt;
  await db.run(
    `INSERT INTO attempts (delivery, at, milliseconds, status_code, error, response, webhook)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [
      delivery.number,
      at.getTime(),
      milliseconds,
      statusCode ?? null,
      textOrNull(error),
      encodeText(response),
      delivery.webhook,
    ],
  );
  await settle(db, delivery.number, outcome);
  await db.run('UPDATE webhooks SET last_failure_at = $2, failing_since = $3 WHERE number = $1', [
    delivery.webhook,
    timeOrNull(health.lastFailureAt),
    timeOrNull(health.failingSince),
  ]);
  if (recovered)
    await db.run(
      `UPDATE deliveries SET next_at = $2 WHERE webhook = $1 AND status = 'pending' AND next_at > $2 AND made > 0`,
      [delivery.webhook, at.getTime() + milliseconds],
    );
  if (shorten === true) await db.run('UPDATE webhooks SET brief = 1 WHERE number = $1', [delivery.webhook]);
  if (disable !== undefined) await disableWebhook(db, delivery.webhook, disable, at);
  await insertNotices(db, notices);
}

async function settle(db: Db, delivery: number, outcome: AttemptRecord['outcome']): Promise<void> {
  await db.run(
    `UPDATE deliveries SET status = $2, reason = $3, next_at = $4, made = made + 1 WHERE number = $1 AND status = 'pending'`,
    [
      delivery,
      outcome.status,
      outcome.status === 'failed' ? encodeText(outcome.reason) : null,
      outcome.status === 'pending' ? outcome.nextAt.getTime() : null,
    ],
  );
}

async function disableWebhook(db: Db, webhook: number, reason: string, at: Date): Promise<void> {
  const [before] = await db.rows<DisabledRow>(
    `SELECT w.id, w.status, a.id AS account FROM webhooks w JOIN accounts a ON a.number = w.account
     WHERE w.number = $1 AND w.status IN ('active', 'paused') FOR UPDATE OF w`,
    [webhook],
  );
  if (before !== undefined) {
    const values = [webhook, encodeText(reason)];
    await db.run(`UPDATE webhooks SET status = 'disabled', reason = $2 WHERE number = $1`, values);
    await writeChange(db, before.account, disabledChange(before, reason, at));
  }
  await db.run(
    `UPDATE deliveries SET status = 'failed', reason = $2, next_at = NULL WHERE webhook = $1 AND status = 'pending' AND body IS NOT NULL`,
    [webhook, encodeText(`The webhook was disabled: ${reason}`)],
  );
}
