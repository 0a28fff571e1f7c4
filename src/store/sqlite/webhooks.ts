/** Rows of webhooks. What is owed to them is in `owed.ts`, what was made of it in `deliveries.ts`. */
import type { Change } from '../../domain/change.ts';
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
import type { Agenda, WebhookChange } from '../store.ts';
import { noted } from './changes.ts';
import { transaction } from './connection.ts';
import type { Sql } from './sql.ts';

const SEEN = `status IN ('active', 'paused', 'disabled')`;
const OF_ACCOUNT = `account = (SELECT number FROM accounts WHERE id = :account) AND ${SEEN}`;
export const WEBHOOK_COLUMNS = 'w.*, a.id AS account_id';

/** Counting goes no further: beyond it nothing is decided differently. */
const MAX_OWED = 100;
const MAX_PENDING = 1_000;

const agendaSql = (which: string): string => `
  SELECT ${WEBHOOK_COLUMNS},
    (SELECT min(position) FROM owed WHERE webhook = w.number AND delivery IS NULL) AS oldest,
    (SELECT count(*) FROM (SELECT 1 FROM owed WHERE webhook = w.number AND delivery IS NULL LIMIT ${MAX_OWED})) AS owed,
    (SELECT count(*) FROM (SELECT 1 FROM deliveries WHERE webhook = w.number AND status = 'pending' LIMIT ${MAX_PENDING})) AS pending,
    (SELECT min(next_at) FROM deliveries WHERE webhook = w.number AND status = 'pending') AS next_at
  FROM webhooks w JOIN accounts a ON a.number = w.account WHERE w.status = 'active' AND ${which}`;

function agendaRows(sql: Sql, { accountId, webhookId }: { accountId?: string; webhookId?: string }): AgendaRow[] {
  if (webhookId !== undefined) return sql.rows<AgendaRow>(agendaSql('w.id = ?'), [webhookId]);
  if (accountId === undefined) return sql.rows<AgendaRow>(agendaSql('1'));
  return sql.rows<AgendaRow>(agendaSql('w.account = (SELECT number FROM accounts WHERE id = ?)'), [accountId]);
}

function webhookIn(sql: Sql, accountId: string, id: string): Webhook | undefined {
  const row = sql.row<WebhookRow>(
    `SELECT ${WEBHOOK_COLUMNS} FROM (SELECT * FROM webhooks WHERE id = :id AND ${OF_ACCOUNT}) w JOIN accounts a ON a.number = w.account`,
    { id, account: accountId },
  );
  return row && webhookOf(row);
}

export const webhookReads = (sql: Sql) => ({
  webhooks: (accountId: string): Webhook[] =>
    sql
      .rows<WebhookRow>(
        `SELECT ${WEBHOOK_COLUMNS} FROM (SELECT * FROM webhooks WHERE ${OF_ACCOUNT} AND subscription IS NULL) w JOIN accounts a ON a.number = w.account ORDER BY w.number`,
        { account: accountId },
      )
      .map(webhookOf),
  webhook: (accountId: string, id: string): Webhook | undefined => webhookIn(sql, accountId, id),
  agenda: (of: { accountId?: string; webhookId?: string }): Agenda[] =>
    agendaRows(sql, of)
      .map(agendaOf)
      .filter(({ owed, pending }) => owed + pending > 0),
});

export const webhookWrites = (sql: Sql) => ({
  addWebhook: (webhook: Webhook, limit: number, note?: Change): boolean =>
    transaction(sql, () => {
      const counted = sql.row<{ webhooks: number }>(
        `SELECT count(*) AS webhooks FROM webhooks WHERE ${OF_ACCOUNT} AND subscription IS NULL`,
        {
          account: webhook.accountId,
        },
      );
      if (counted!.webhooks >= limit) return false;
      const { id, createdAt, accountId, secrets } = webhook;
      sql.run(
        `INSERT INTO webhooks (id, account, status, created_at, url, description, format, rule_ids, platforms, every, events, wake, secret, credential,
           confirmed_url, reason)
         VALUES (:id, (SELECT number FROM accounts WHERE id = :account), :status, :createdAt, :url, :description, :format,
           :ruleIds, :platforms, :every, :events, :wake, :secret, :credential, :confirmedUrl, :reason)`,
        {
          id,
          account: accountId,
          status: webhook.status,
          reason: textOrNull(webhook.reason),
          createdAt: createdAt.getTime(),
          secret: secrets.current,
          ...columnsOf(webhook),
          ...receiverColumns(webhook),
        },
      );
      return noted(sql, accountId, note, true);
    }),
  changeWebhook: (accountId: string, id: string, change: WebhookChange, note?: Change): boolean =>
    transaction(sql, () => {
      const webhook = webhookIn(sql, accountId, id);
      if (webhook === undefined) return false;
      sql.run(
        `UPDATE webhooks SET status = :status, url = :url, description = :description, format = :format, rule_ids = :ruleIds,
           platforms = :platforms, every = :every, events = :events, wake = :wake, wake_turn = :wakeTurn, reason = :reason, secret = :secret, previous_secret = :previous,
           previous_until = :previousUntil, last_failure_at = :lastFailureAt, failing_since = :failingSince,
           credential = :credential, confirmed_url = :confirmedUrl
         WHERE id = :id`,
        { id, ...changedColumns(webhook, change) },
      );
      return noted(sql, accountId, note, true);
    }),
  deleteWebhook: (accountId: string, id: string, note?: Change): boolean =>
    transaction(sql, () => {
      const values = { id, account: accountId };
      const deleted = sql.run(`UPDATE webhooks SET status = 'deleted' WHERE id = :id AND ${OF_ACCOUNT}`, values);
      return noted(sql, accountId, note, deleted === 1);
    }),
});

export const claimWrites = (sql: Sql) => ({
  claimWebhook: (id: string, { holder, now, until }: { holder: string; now: Date; until: Date }): string | undefined =>
    transaction(sql, () => {
      sql.run(
        `UPDATE webhooks SET claimed_by = :holder, claimed_until = :until WHERE id = :id AND status = 'active'
           AND (claimed_by IS NULL OR claimed_by = :holder OR claimed_until <= :now)`,
        { id, holder, now: now.getTime(), until: until.getTime() },
      );
      const row = sql.row<{ claimed_by: string }>(
        `SELECT claimed_by FROM webhooks WHERE id = ? AND status = 'active'`,
        [id],
      );
      return row?.claimed_by;
    }),
  releaseWebhooks(holder: string): void {
    sql.run('UPDATE webhooks SET claimed_by = NULL WHERE claimed_by = ?', [holder]);
  },
});
