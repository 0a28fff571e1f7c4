/** Attempts to deliver, with all that follows from one; and deliveries that hold no match: notices. */
import type { Change } from '../../domain/change.ts';
import type { Attempt, PreparedNotice, WebhookHealth } from '../../domain/webhook.ts';
import type { Db } from '../db.ts';
import { encodeText, textOrNull, timeOrNull } from '../rows/texts.ts';
import { noteChange } from './changes.ts';

export interface AttemptStore {
  /** Attempts to deliver to a webhook within a time, the newest first. */
  attemptsOf(query: AttemptQuery): Promise<{ attempts: TimedAttempt[]; next: AttemptPlace | undefined }>;
  /** An attempt with all that follows from it, in one transaction. */
  recordAttempt(record: AttemptRecord): Promise<void>;
  /** Makes deliveries of bytes that hold no match. One with the same id that is there already stays as it is. */
  addNotices(notices: readonly PreparedNotice[]): Promise<void>;
}

/** A place in the order of attempts. */
export interface AttemptPlace {
  readonly at: number;
  readonly number: number;
}

export interface AttemptQuery {
  readonly accountId: string;
  readonly webhookId: string;
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
  readonly before?: AttemptPlace;
  readonly limit: number;
}

export interface TimedAttempt {
  readonly at: Date;
  readonly milliseconds: number;
  readonly isDelivered: boolean;
}

export interface AttemptRecord {
  readonly deliveryId: string;
  readonly attempt: Attempt;
  readonly outcome:
    | { readonly status: 'delivered'; readonly acknowledgeBy?: Date | undefined }
    | { readonly status: 'pending'; readonly nextAt: Date }
    | { readonly status: 'failed'; readonly reason: string };
  readonly health: WebhookHealth;
  /** The webhook works again: what waits for its next attempt need not wait. */
  readonly recovered: boolean;
  /** Why the webhook is disabled from now on. */
  readonly disable: string | undefined;
  /** The receiver wants shorter events from now on. */
  readonly shorten?: boolean;
  /** Notices of this attempt for other webhooks. */
  readonly notices: readonly PreparedNotice[];
}

interface TimedAttemptRow {
  readonly number: number;
  readonly at: number;
  readonly milliseconds: number;
  readonly error: string | null;
}

/** A full page says where the next one begins. */
export function attemptPage(rows: readonly TimedAttemptRow[], limit: number) {
  const last = rows.length < limit ? undefined : rows.at(-1);
  return {
    attempts: rows.map(({ at, milliseconds, error }) => ({
      at: new Date(at),
      milliseconds,
      isDelivered: error === null,
    })),
    next: last && { at: last.at, number: last.number },
  };
}

export const attemptReads = (db: Db): Pick<AttemptStore, 'attemptsOf'> => ({
  async attemptsOf({ accountId, webhookId, from, to, before, limit }) {
    const rows = await db.rows<TimedAttemptRow>(
      `SELECT number, at, milliseconds, error FROM attempts /*sqlite INDEXED BY attempts_of_webhook */
       WHERE webhook = (SELECT number FROM webhooks WHERE id = $2 AND account = (SELECT number FROM accounts WHERE id = $1))
         AND at >= $3 AND at < $4 AND (at, number) < ($5, $6) ORDER BY at DESC, number DESC LIMIT $7`,
      [accountId, webhookId, from, to, before?.at ?? to, before?.number ?? Number.MAX_SAFE_INTEGER, limit],
    );
    return attemptPage(rows, limit);
  },
});

export const attemptWrites = (db: Db): Omit<AttemptStore, 'attemptsOf'> => ({
  recordAttempt: (record) => db.transaction((tx) => recordAttempt(tx, record)),
  addNotices: (notices) => db.transaction((tx) => putNotices(tx, notices)),
});

export async function putNotices(db: Db, notices: readonly PreparedNotice[]): Promise<void> {
  for (const { id, webhookId, subject, body, madeFor, at, dueAt = at } of notices)
    await db.run(
      `INSERT INTO deliveries (id, webhook, account, created_at, matches, status, made, next_at, body, subject, made_for)
       SELECT $1, number, account, $3, 0, 'pending', 0, $5, $4, $6, $7 FROM webhooks
       WHERE id = $2 AND status IN ('active', 'paused') ON CONFLICT (id) DO NOTHING`,
      [id, webhookId, at, body, dueAt, subject, madeFor ?? null],
    );
}

async function recordAttempt(db: Db, record: AttemptRecord): Promise<void> {
  const { deliveryId, attempt, outcome, health, recovered, disable, shorten, notices } = record;
  const delivery = await db.row<{ number: number; webhook: number; matches: number }>(
    'SELECT number, webhook, matches FROM deliveries WHERE id = $1 FOR UPDATE',
    [deliveryId],
  );
  if (delivery === undefined) return;
  const { at, milliseconds, statusCode, error, response } = attempt;
  const { number, webhook, matches } = delivery;
  await db.run(
    `INSERT INTO attempts (delivery, webhook, at, milliseconds, status_code, error, response)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [number, webhook, at, milliseconds, statusCode ?? null, textOrNull(error), encodeText(response)],
  );
  await db.run(
    `UPDATE deliveries SET status = $2, reason = $3, next_at = $4, made = made + 1 WHERE number = $1 AND status = 'pending'`,
    [
      number,
      outcome.status,
      outcome.status === 'failed' ? encodeText(outcome.reason) : null,
      timeOrNull(nextOf(outcome, matches)),
    ],
  );
  // Mostly nothing has changed, and then nothing is written.
  await db.run(
    `UPDATE webhooks SET last_failure_at = $2, failing_since = $3
     WHERE number = $1 AND (last_failure_at IS DISTINCT FROM $2 OR failing_since IS DISTINCT FROM $3)`,
    [webhook, health.lastFailureAt ?? null, health.failingSince ?? null],
  );
  // A digest waits for its time.
  if (recovered)
    await db.run(
      `UPDATE deliveries SET next_at = $2 WHERE webhook = $1 AND status = 'pending' AND next_at > $2 AND made > 0`,
      [webhook, at.getTime() + milliseconds],
    );
  if (shorten === true) await db.run('UPDATE webhooks SET brief = 1 WHERE number = $1', [webhook]);
  // Several attempts may find the same end at once: it is told once.
  const isNews = disable === undefined || (await disableWebhook(db, webhook, disable, at));
  if (isNews) await putNotices(db, notices);
}

/** When something is to be done about the delivery: another attempt, or an end without an acknowledgement. */
function nextOf(outcome: AttemptRecord['outcome'], matches: number): Date | undefined {
  switch (outcome.status) {
    case 'pending':
      return outcome.nextAt;
    case 'delivered':
      // A notice wakes nobody.
      return matches > 0 ? outcome.acknowledgeBy : undefined;
    case 'failed':
      return undefined;
  }
}

/** False when it was disabled already. */
async function disableWebhook(db: Db, webhook: number, reason: string, at: Date): Promise<boolean> {
  const before = await db.row<{ id: string; status: string; account: string }>(
    `SELECT w.id, w.status, a.id AS account FROM webhooks w JOIN accounts a ON a.number = w.account
     WHERE w.number = $1 AND w.status IN ('active', 'paused') FOR UPDATE OF w`,
    [webhook],
  );
  if (before !== undefined) {
    const values = [webhook, encodeText(reason)];
    await db.run(`UPDATE webhooks SET status = 'disabled', reason = $2 WHERE number = $1`, values);
    const change: Change = {
      at,
      by: { kind: 'system' },
      what: 'webhook.changed',
      id: before.id,
      before: { status: before.status, reason: null },
      after: { status: 'disabled', reason },
    };
    await noteChange(db, before.account, change);
  }
  await db.run(
    `UPDATE deliveries SET status = 'failed', reason = $2, next_at = NULL WHERE webhook = $1 AND status = 'pending' AND body IS NOT NULL`,
    [webhook, encodeText(`The webhook was disabled: ${reason}`)],
  );
  return before !== undefined;
}
