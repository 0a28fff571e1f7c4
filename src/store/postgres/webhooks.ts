/** Rows of webhooks. What is owed to them is in `owed.ts`, what was made of it in `deliveries.ts`. */
import type { Webhook } from '../../domain/webhook.ts';
import { textOrNull } from '../rows/texts.ts';
import {
  type AgendaRow,
  agendaOf,
  changedColumns,
  columnsOf,
  receiverColumns,
  type WebhookRow,
  webhookOf,
} from '../rows/webhooks.ts';
import type { OwedStore, WebhookChange, WebhookStore } from '../store.ts';
import { written } from './changes.ts';
import type { Database, Db } from './connection.ts';
import { ring } from './nodes.ts';

const SEEN = `status IN ('active', 'paused', 'disabled')`;
const OF_ACCOUNT = `account = (SELECT number FROM accounts WHERE id = $1) AND ${SEEN}`;
export const COLUMNS_WITH_ACCOUNT = 'w.*, a.id AS account_id';

/** Counting goes no further: beyond it nothing is decided differently. */
const MAX_OWED = 100;
const MAX_PENDING = 1_000;

async function webhookIn(db: Db, accountId: string, id: string, lock = ''): Promise<Webhook | undefined> {
  const [row] = await db.rows<WebhookRow>(
    `SELECT ${COLUMNS_WITH_ACCOUNT} FROM webhooks w JOIN accounts a ON a.number = w.account
     WHERE w.id = $2 AND a.id = $1 AND w.${SEEN} ${lock}`,
    [accountId, id],
  );
  return row && webhookOf(row);
}

export const webhookStore = (database: Database): WebhookStore => ({
  addWebhook: (webhook, limit, note) =>
    database.transaction(async (db) => written(db, webhook.accountId, note, await addWebhook(db, webhook, limit))),
  webhooks: async (accountId) =>
    (
      await database.rows<WebhookRow>(
        `SELECT ${COLUMNS_WITH_ACCOUNT} FROM webhooks w JOIN accounts a ON a.number = w.account
         WHERE a.id = $1 AND w.${SEEN} AND w.subscription IS NULL ORDER BY w.number`,
        [accountId],
      )
    ).map(webhookOf),
  webhook: (accountId, id) => webhookIn(database, accountId, id),
  changeWebhook: (accountId, id, change, note) =>
    database.transaction(async (db) => written(db, accountId, note, await changeWebhook(db, accountId, id, change))),
  deleteWebhook: (accountId, id, note) =>
    database.transaction(async (db) => {
      const deleted = await db.run(`UPDATE webhooks SET status = 'deleted' WHERE ${OF_ACCOUNT} AND id = $2`, [
        accountId,
        id,
      ]);
      return written(db, accountId, note, deleted === 1);
    }),
});

async function addWebhook(db: Db, webhook: Webhook, limit: number): Promise<boolean> {
  // The account's row is the lock under which its webhooks are counted.
  await db.run('SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE', [webhook.accountId]);
  const [row] = await db.rows<{ webhooks: number }>(
    `SELECT count(*) AS webhooks FROM webhooks WHERE ${OF_ACCOUNT} AND subscription IS NULL`,
    [webhook.accountId],
  );
  if (row!.webhooks >= limit) return false;
  const { url, description, format, ruleIds, platforms, every, events, wake } = columnsOf(webhook);
  const { credential, confirmedUrl } = receiverColumns(webhook);
  await db.run(
    `INSERT INTO webhooks (id, account, created_at, url, description, format, rule_ids, platforms, every, secret, events, wake,
       credential, confirmed_url, status, reason)
     VALUES ($1, (SELECT number FROM accounts WHERE id = $2), $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
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
      events,
      wake,
      credential,
      confirmedUrl,
      webhook.status,
      textOrNull(webhook.reason),
    ],
  );
  return true;
}

async function changeWebhook(db: Db, accountId: string, id: string, change: WebhookChange): Promise<boolean> {
  const webhook = await webhookIn(db, accountId, id, 'FOR UPDATE OF w');
  if (webhook === undefined) return false;
  const row = changedColumns(webhook, change);
  await db.run(
    `UPDATE webhooks SET status = $2, url = $3, description = $4, format = $5, rule_ids = $6, platforms = $7,
       every = $8, reason = $9, secret = $10, previous_secret = $11, previous_until = $12, last_failure_at = $13,
       failing_since = $14, events = $15, wake = $16, wake_turn = $17, credential = $18, confirmed_url = $19
     WHERE id = $1`,
    [
      id,
      row.status,
      row.url,
      row.description,
      row.format,
      row.ruleIds,
      row.platforms,
      row.every,
      row.reason,
      row.secret,
      row.previous,
      row.previousUntil,
      row.lastFailureAt,
      row.failingSince,
      row.events,
      row.wake,
      row.wakeTurn,
      row.credential,
      row.confirmedUrl,
    ],
  );
  await ring(db, [accountId]);
  return true;
}

const agendaSql = (which: string): string =>
  `SELECT ${COLUMNS_WITH_ACCOUNT},
     (SELECT min(position) FROM owed WHERE webhook = w.number AND delivery IS NULL) AS oldest,
     (SELECT count(*) FROM (SELECT 1 FROM owed WHERE webhook = w.number AND delivery IS NULL LIMIT ${MAX_OWED}) o) AS owed,
     (SELECT count(*) FROM (SELECT 1 FROM deliveries WHERE webhook = w.number AND status = 'pending' LIMIT ${MAX_PENDING}) d) AS pending,
     (SELECT min(next_at) FROM deliveries WHERE webhook = w.number AND status = 'pending') AS next_at
   FROM webhooks w JOIN accounts a ON a.number = w.account WHERE w.status = 'active' AND ${which}`;

function agendaRows(
  db: Db,
  { accountId, webhookId }: { accountId?: string; webhookId?: string },
): Promise<AgendaRow[]> {
  if (webhookId !== undefined) return db.rows<AgendaRow>(agendaSql('w.id = $1'), [webhookId]);
  if (accountId === undefined) return db.rows<AgendaRow>(agendaSql('true'));
  return db.rows<AgendaRow>(agendaSql('w.account = (SELECT number FROM accounts WHERE id = $1)'), [accountId]);
}

export const claimStore = (database: Database): Pick<OwedStore, 'agenda' | 'claimWebhook' | 'releaseWebhooks'> => ({
  agenda: async (of) =>
    (await agendaRows(database, of)).map(agendaOf).filter(({ owed, pending }) => owed + pending > 0),
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
});
