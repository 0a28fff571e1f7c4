/** Webhooks as rows. What is owed to them is in `owed.ts`, what was made of it in `deliveries.ts`. */
import type { DatabaseSync } from 'node:sqlite';
import type { Webhook } from '../../domain/webhook.ts';
import { encodeText } from '../rows/texts.ts';
import { type AgendaRow, agendaOf, columnsOf, type WebhookRow, webhookOf } from '../rows/webhooks.ts';
import type { Agenda, WebhookChange } from '../store.ts';
import { transaction } from './connection.ts';

const SEEN = `status IN ('active', 'paused', 'disabled')`;
const OF_ACCOUNT = `account = (SELECT number FROM accounts WHERE id = :account) AND ${SEEN}`;
const COLUMNS = 'w.*, a.id AS account_id';

/** Counting goes no further: beyond it nothing is decided differently. */
const MOST_OWED = 100;
const MOST_PENDING = 1_000;

const agendaSql = (which: string): string => `
  SELECT ${COLUMNS},
    (SELECT min(position) FROM owed WHERE webhook = w.number AND delivery IS NULL) AS oldest,
    (SELECT count(*) FROM (SELECT 1 FROM owed WHERE webhook = w.number AND delivery IS NULL LIMIT ${MOST_OWED})) AS owed,
    (SELECT count(*) FROM (SELECT 1 FROM deliveries WHERE webhook = w.number AND status = 'pending' LIMIT ${MOST_PENDING})) AS pending,
    (SELECT min(next_at) FROM deliveries WHERE webhook = w.number AND status = 'pending') AS next_at
  FROM webhooks w JOIN accounts a ON a.number = w.account WHERE w.status = 'active' AND ${which}`;

export function webhookReads(db: DatabaseSync) {
  const ofAccount = db.prepare(
    `SELECT ${COLUMNS} FROM (SELECT * FROM webhooks WHERE ${OF_ACCOUNT}) w JOIN accounts a ON a.number = w.account ORDER BY w.number`,
  );
  const one = db.prepare(
    `SELECT ${COLUMNS} FROM (SELECT * FROM webhooks WHERE id = :id AND ${OF_ACCOUNT}) w JOIN accounts a ON a.number = w.account`,
  );
  const whole = db.prepare(agendaSql('1'));
  const agendaOfAccount = db.prepare(agendaSql('w.account = (SELECT number FROM accounts WHERE id = ?)'));
  const agendaOfWebhook = db.prepare(agendaSql('w.id = ?'));

  function rows({ accountId, webhookId }: { accountId?: string; webhookId?: string }): unknown[] {
    if (webhookId !== undefined) return agendaOfWebhook.all(webhookId);
    return accountId === undefined ? whole.all() : agendaOfAccount.all(accountId);
  }
  return {
    webhooks: (accountId: string): Webhook[] =>
      (ofAccount.all({ account: accountId }) as unknown as WebhookRow[]).map(webhookOf),
    webhook(accountId: string, id: string): Webhook | undefined {
      const row = one.get({ id, account: accountId }) as WebhookRow | undefined;
      return row === undefined ? undefined : webhookOf(row);
    },
    agenda: (of: { accountId?: string; webhookId?: string }): Agenda[] =>
      (rows(of) as AgendaRow[]).map(agendaOf).filter(({ owed, pending }) => owed + pending > 0),
  };
}

export function webhookWrites(db: DatabaseSync) {
  const reads = webhookReads(db);
  const count = db.prepare(`SELECT count(*) AS webhooks FROM webhooks WHERE ${OF_ACCOUNT}`);
  const insert = db.prepare(
    `INSERT INTO webhooks (id, account, status, created_at, url, description, format, rule_ids, platforms, every, secret)
     VALUES (:id, (SELECT number FROM accounts WHERE id = :account), 'active', :createdAt, :url, :description, :format,
       :ruleIds, :platforms, :every, :secret)`,
  );
  const update = db.prepare(
    `UPDATE webhooks SET status = :status, url = :url, description = :description, format = :format, rule_ids = :ruleIds,
       platforms = :platforms, every = :every, reason = :reason, secret = :secret, previous_secret = :previous,
       previous_until = :previousUntil, last_failure_at = :lastFailureAt, failing_since = :failingSince
     WHERE id = :id`,
  );
  const claim = db.prepare(
    `UPDATE webhooks SET claimed_by = :holder, claimed_until = :until WHERE id = :id AND status = 'active'
       AND (claimed_by IS NULL OR claimed_by = :holder OR claimed_until <= :now)`,
  );
  const claimedBy = db.prepare(`SELECT claimed_by FROM webhooks WHERE id = ? AND status = 'active'`);
  const release = db.prepare('UPDATE webhooks SET claimed_by = NULL WHERE claimed_by = ?');
  const remove = db.prepare(`UPDATE webhooks SET status = 'deleted' WHERE id = :id AND ${OF_ACCOUNT}`);

  return {
    addWebhook: (webhook: Webhook, limit: number): boolean =>
      transaction(db, () => {
        if ((count.get({ account: webhook.accountId }) as { webhooks: number }).webhooks >= limit) return false;
        const { createdAt, accountId, secrets } = webhook;
        insert.run({
          id: webhook.id,
          account: accountId,
          createdAt: createdAt.getTime(),
          secret: secrets.current,
          ...columnsOf(webhook),
        });
        return true;
      }),

    changeWebhook: (accountId: string, id: string, change: WebhookChange): boolean =>
      transaction(db, () => {
        const webhook = reads.webhook(accountId, id);
        if (webhook === undefined) return false;
        const changed = { ...webhook, ...change };
        const clean = change.status === 'active';
        update.run({
          id,
          status: changed.status,
          reason: clean || changed.reason === undefined ? null : encodeText(changed.reason),
          secret: changed.secrets.current,
          previous: changed.secrets.previous ?? null,
          previousUntil: changed.secrets.previousUntil?.getTime() ?? null,
          lastFailureAt: clean ? null : (webhook.health.lastFailureAt?.getTime() ?? null),
          failingSince: clean ? null : (webhook.health.failingSince?.getTime() ?? null),
          ...columnsOf(changed),
        });
        return true;
      }),

    claimWebhook: (
      id: string,
      { holder, now, until }: { holder: string; now: Date; until: Date },
    ): string | undefined =>
      transaction(db, () => {
        claim.run({ id, holder, now: now.getTime(), until: until.getTime() });
        return (claimedBy.get(id) as { claimed_by: string } | undefined)?.claimed_by;
      }),
    releaseWebhooks(holder: string): void {
      release.run(holder);
    },
    deleteWebhook: (accountId: string, id: string): boolean => remove.run({ id, account: accountId }).changes === 1,
  };
}
