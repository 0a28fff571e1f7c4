/** Webhooks as rows. What is owed to them is in `owed.ts`, what was made of it in `deliveries.ts`. */

import { encodeText } from '../rows/texts.ts';
import { type AgendaRow, agendaOf, columnsOf, type WebhookRow, webhookOf } from '../rows/webhooks.ts';
import type { Store } from '../store.ts';
import type { Database, Db } from './connection.ts';
import { ring } from './nodes.ts';

const SEEN = `status IN ('active', 'paused', 'disabled')`;
const OF_ACCOUNT = `account = (SELECT number FROM accounts WHERE id = $1) AND ${SEEN}`;
const COLUMNS = 'w.*, a.id AS account_id';

/** Counting goes no further: beyond it nothing is decided differently. */
const MOST_OWED = 100;
const MOST_PENDING = 1_000;

type WebhookStore = Pick<
  Store,
  | 'addWebhook'
  | 'webhooks'
  | 'webhook'
  | 'changeWebhook'
  | 'deleteWebhook'
  | 'agenda'
  | 'claimWebhook'
  | 'releaseWebhooks'
>;

const webhookIn = async (db: Db, accountId: string, id: string, lock = '') => {
  const [row] = await db.rows<WebhookRow>(
    `SELECT ${COLUMNS} FROM webhooks w JOIN accounts a ON a.number = w.account
     WHERE w.id = $2 AND a.id = $1 AND w.${SEEN} ${lock}`,
    [accountId, id],
  );
  return row === undefined ? undefined : webhookOf(row);
};

export const webhookStore = (database: Database): WebhookStore => ({
  addWebhook: (webhook, limit) =>
    database.transaction(async (db) => {
      // The account's row is the lock under which its webhooks are counted.
      await db.run('SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE', [webhook.accountId]);
      const [row] = await db.rows<{ webhooks: number }>(
        `SELECT count(*) AS webhooks FROM webhooks WHERE ${OF_ACCOUNT}`,
        [webhook.accountId],
      );
      if (row!.webhooks >= limit) return false;
      const { url, description, format, ruleIds, platforms, every } = columnsOf(webhook);
      await db.run(
        `INSERT INTO webhooks (id, account, status, created_at, url, description, format, rule_ids, platforms, every, secret)
         VALUES ($1, (SELECT number FROM accounts WHERE id = $2), 'active', $3, $4, $5, $6, $7, $8, $9, $10)`,
        [
          webhook.id,
          webhook.accountId,
          webhook.createdAt.getTime(),
          url,
          description,
          format,
          ruleIds,
          platforms,
          every,
          webhook.secrets.current,
        ],
      );
      return true;
    }),
  webhooks: async (accountId) =>
    (
      await database.rows<WebhookRow>(
        `SELECT ${COLUMNS} FROM webhooks w JOIN accounts a ON a.number = w.account
         WHERE a.id = $1 AND w.${SEEN} ORDER BY w.number`,
        [accountId],
      )
    ).map(webhookOf),
  webhook: (accountId, id) => webhookIn(database, accountId, id),
  changeWebhook: (accountId, id, change) =>
    database.transaction(async (db) => {
      const webhook = await webhookIn(db, accountId, id, 'FOR UPDATE OF w');
      if (webhook === undefined) return false;
      const changed = { ...webhook, ...change };
      const clean = change.status === 'active';
      const { url, description, format, ruleIds, platforms, every } = columnsOf(changed);
      await db.run(
        `UPDATE webhooks SET status = $2, url = $3, description = $4, format = $5, rule_ids = $6, platforms = $7,
           every = $8, reason = $9, secret = $10, previous_secret = $11, previous_until = $12, last_failure_at = $13,
           failing_since = $14 WHERE id = $1`,
        [
          id,
          changed.status,
          url,
          description,
          format,
          ruleIds,
          platforms,
          every,
          clean || changed.reason === undefined ? null : encodeText(changed.reason),
          changed.secrets.current,
          changed.secrets.previous ?? null,
          changed.secrets.previousUntil?.getTime() ?? null,
          clean ? null : (webhook.health.lastFailureAt?.getTime() ?? null),
          clean ? null : (webhook.health.failingSince?.getTime() ?? null),
        ],
      );
      await ring(db, [accountId]);
      return true;
    }),
  deleteWebhook: async (accountId, id) =>
    (await database.run(`UPDATE webhooks SET status = 'deleted' WHERE ${OF_ACCOUNT} AND id = $2`, [accountId, id])) ===
    1,
  async claimWebhook(id, { holder, now, until }) {
    const [claimed] = await database.rows<{ claimed_by: string }>(
      `UPDATE webhooks SET claimed_by = $2, claimed_until = $4 WHERE number =
         (SELECT number FROM webhooks WHERE id = $1 AND status = 'active'
            AND (claimed_by IS NULL OR claimed_by = $2 OR claimed_until <= $3) FOR UPDATE SKIP LOCKED)
       RETURNING claimed_by`,
      [id, holder, now.getTime(), until.getTime()],
    );
    if (claimed !== undefined) return claimed.claimed_by;
    const [other] = await database.rows<{ claimed_by: string | null }>(
      `SELECT claimed_by FROM webhooks WHERE id = $1 AND status = 'active'`,
      [id],
    );
    return other?.claimed_by ?? undefined;
  },
  async releaseWebhooks(holder) {
    await database.run('UPDATE webhooks SET claimed_by = NULL WHERE claimed_by = $1', [holder]);
  },
  agenda: async ({ accountId, webhookId }) =>
    (
      await database.rows<AgendaRow>(
        `SELECT ${COLUMNS},
           (SELECT min(position) FROM owed WHERE webhook = w.number AND delivery IS NULL) AS oldest,
           (SELECT count(*) FROM (SELECT 1 FROM owed WHERE webhook = w.number AND delivery IS NULL LIMIT ${MOST_OWED}) o) AS owed,
           (SELECT count(*) FROM (SELECT 1 FROM deliveries WHERE webhook = w.number AND status = 'pending' LIMIT ${MOST_PENDING}) d) AS pending,
           (SELECT min(next_at) FROM deliveries WHERE webhook = w.number AND status = 'pending') AS next_at
         FROM webhooks w JOIN accounts a ON a.number = w.account
         WHERE w.status = 'active' AND ($1::text IS NULL OR a.id = $1) AND ($2::text IS NULL OR w.id = $2)`,
        [accountId ?? null, webhookId ?? null],
      )
    )
      .map(agendaOf)
      .filter(({ owed, pending }) => owed + pending > 0),
});
