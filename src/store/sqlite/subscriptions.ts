/** Webhooks that agents subscribed with: how they are saved, end, and catch up. */
import { PLATFORMS } from '../../domain/platform.ts';
import type { EventName, Webhook } from '../../domain/webhook.ts';
import { positionAt } from '../order.ts';
import { ruleToReplay, type Wanting } from '../rows/owed.ts';
import { subscriptionValues } from '../rows/subscriptions.ts';
import { changedColumns, columnsOf, type WebhookRow, webhookOf } from '../rows/webhooks.ts';
import type { Position, SubscriptionLimits } from '../store.ts';
import { transaction } from './connection.ts';
import { endRow } from './ended-subscriptions.ts';
import { latestOf } from './matches.ts';
import { settle } from './settle.ts';
import type { Sql } from './sql.ts';
import { unpartedOf } from './unsettled.ts';
import { WEBHOOK_COLUMNS } from './webhooks.ts';

/** Rows that one transaction goes through. */
const SLICE = 500;
/** A webhook has fewer deliveries under way: beyond a thousand, matches wait. */
const MAX_PENDING = 2_000;

const ACCOUNT = '(SELECT number FROM accounts WHERE id = :account)';
const select = (which: string): string =>
  `SELECT ${WEBHOOK_COLUMNS} FROM (SELECT * FROM webhooks WHERE ${which}) w JOIN accounts a ON a.number = w.account ORDER BY w.number`;

export const subscriptionReads = (sql: Sql) => ({
  subscriptions: (accountId: string): Webhook[] =>
    sql
      .rows<WebhookRow>(
        select(`account = ${ACCOUNT} AND status IN ('active', 'paused', 'disabled') AND subscription IS NOT NULL`),
        { account: accountId },
      )
      .map(webhookOf),
  subscribers: (event: EventName): Webhook[] =>
    sql.rows<WebhookRow>(select(`event = ? AND status = 'active'`), [event]).map(webhookOf),
  storyBeginnings: (positions: readonly Position[]): Position[] =>
    positions.filter(
      (position) =>
        sql.row(
          `SELECT 1 FROM matches m WHERE m.position = ? AND m.story IS NOT NULL AND NOT EXISTS
             (SELECT 1 FROM story_parts p WHERE p.story = m.story AND p.rule = m.rule AND p.first < m.position)
             AND NOT EXISTS (SELECT 1 FROM ${unpartedOf('m.story')} AND u.position < m.position AND u.rule = m.rule)`,
          [position],
        ) !== undefined,
    ),
  watermark(webhookId: string, now?: Date): Position {
    // First: what is stored between the two reads lies behind it.
    const reached = now === undefined ? latestOf(sql) : positionAt(now.getTime());
    const row = sql.row<{ waiting: Position | null; sent: Position | null; told: number | null }>(
      `SELECT
         (SELECT min(position) FROM owed WHERE webhook = w.number AND delivery IS NULL) AS waiting,
         (SELECT min(first) FROM (SELECT (SELECT min(position) FROM owed WHERE delivery = d.number) AS first
            FROM deliveries d WHERE d.webhook = w.number AND d.status = 'pending' LIMIT ${MAX_PENDING})) AS sent,
         (SELECT min(created_at) FROM (SELECT created_at FROM deliveries
            WHERE webhook = w.number AND status = 'pending' AND matches = 0 LIMIT ${MAX_PENDING})) AS told
       FROM webhooks w WHERE w.id = ?`,
      [webhookId],
    );
    const told = row?.told ?? undefined;
    const open = [row?.waiting, row?.sent, told === undefined ? undefined : positionAt(told)];
    return Math.min(reached, ...open.flatMap((position) => (position ? [position - 1] : [])));
  },
});

export const subscriptionWrites = (sql: Sql) => ({
  saveSubscription: (webhook: Webhook, limits: SubscriptionLimits) =>
    transaction(sql, () => saveSubscription(sql, webhook, limits)),
  endSubscription: (webhookId: string, reason: string): boolean =>
    transaction(sql, () => {
      const row = sql.row<{ number: number }>(
        `SELECT number FROM webhooks WHERE id = ? AND status IN ('active', 'paused')`,
        [webhookId],
      );
      if (row !== undefined) endRow(sql, row.number, reason);
      return row !== undefined;
    }),
  replay: (webhookId: string, after: Position, limit: number): Position =>
    transaction(sql, () => replay(sql, webhookId, after, limit)),
  dropOwed: (webhookId: string, positions: readonly Position[]): void =>
    transaction(sql, () => {
      for (const position of positions)
        sql.run(
          'DELETE FROM owed WHERE position = ? AND webhook = (SELECT number FROM webhooks WHERE id = ?) AND delivery IS NULL',
          [position, webhookId],
        );
    }),
  dropWaiting: (webhookId: string, upTo: Position): boolean =>
    transaction(
      sql,
      () =>
        sql.run(
          `DELETE FROM owed WHERE (position, webhook) IN
             (SELECT position, webhook FROM owed INDEXED BY owed_waiting
              WHERE webhook = (SELECT number FROM webhooks WHERE id = ?) AND delivery IS NULL AND position <= ? LIMIT ${SLICE})`,
          [webhookId, upTo],
        ) === SLICE,
    ),
});

function saveSubscription(
  sql: Sql,
  webhook: Webhook,
  { ofAccount, ofOwner, ended }: SubscriptionLimits,
): 'account' | 'owner' | undefined {
  const values = subscriptionValues(webhook.subscription!);
  const { subscription, owner } = values;
  const count = (which: string, value: string): number =>
    sql.row<{ live: number }>(
      `SELECT count(*) AS live FROM webhooks WHERE ${which} AND status IN ('active', 'paused') AND subscription <> ?`,
      [value, subscription],
    )!.live;
  if (count('owner = ?', owner) >= ofOwner) return 'owner';
  if (count('account = (SELECT number FROM accounts WHERE id = ?)', webhook.accountId) >= ofAccount) return 'account';
  const { status, reason, secret, previous, previousUntil, lastFailureAt, failingSince } = changedColumns(webhook, {});
  const changed = sql.run(
    `UPDATE webhooks SET status = :status, reason = :reason, secret = :secret, previous_secret = :previous,
       previous_until = :previousUntil, last_failure_at = :lastFailureAt, failing_since = :failingSince,
       expires_at = :expiresAt, brief = :brief, terms = :terms
     WHERE subscription = :subscription AND status <> 'deleted'`,
    {
      status,
      reason,
      secret,
      previous,
      previousUntil,
      lastFailureAt,
      failingSince,
      expiresAt: values.expiresAt,
      brief: values.brief,
      terms: values.terms,
      subscription,
    },
  );
  if (changed === 1) return undefined;
  makeRoom(sql, webhook.accountId, ended);
  sql.run(
    `INSERT INTO webhooks (id, account, status, created_at, url, description, format, rule_ids, platforms, every, events, wake, secret,
       subscription, owner, event, expires_at, brief, terms)
     VALUES (:id, ${ACCOUNT}, 'active', :createdAt, :url, :description, :format, :ruleIds, :platforms, :every, :events, :wake, :secret,
       :subscription, :owner, :event, :expiresAt, :brief, :terms)`,
    {
      id: webhook.id,
      account: webhook.accountId,
      createdAt: webhook.createdAt.getTime(),
      secret,
      ...columnsOf(webhook),
      ...values,
    },
  );
  return undefined;
}

/** Of those that ended, the oldest goes when there are too many. */
function makeRoom(sql: Sql, accountId: string, most: number): void {
  sql.run(
    `UPDATE webhooks SET status = 'deleted' WHERE number =
       (SELECT min(number) FROM webhooks WHERE account = ${ACCOUNT} AND status = 'disabled' AND subscription IS NOT NULL
        HAVING count(*) >= :most)`,
    { account: accountId, most },
  );
}

function replay(sql: Sql, webhookId: string, after: Position, limit: number): Position {
  const webhook = sql.row<Wanting>(
    `SELECT number, rule_ids, platforms, events FROM webhooks WHERE id = ? AND subscription IS NOT NULL`,
    [webhookId],
  );
  if (webhook === undefined) return after;
  const ruleId = ruleToReplay(webhook);
  if (ruleId === undefined) {
    forgetFailed(sql, webhook.number, limit);
    return after;
  }
  settle(sql);
  const newest = PLATFORMS.flatMap((platform) =>
    sql.rows<{ position: Position }>(
      `SELECT position FROM rule_matches
       WHERE rule = (SELECT number FROM rules WHERE id = ? AND deleted = 0) AND platform = ? AND position > ?
       ORDER BY position DESC LIMIT ?`,
      [ruleId, platform, after, limit + 1],
    ),
  ).toSorted((one, other) => other.position - one.position);
  const start = newest[limit]?.position ?? after;
  releaseFailed(sql, webhook.number, start, limit);
  for (const { position } of newest.slice(0, limit))
    sql.run('INSERT OR IGNORE INTO owed (position, webhook) VALUES (?, ?)', [position, webhook.number]);
  return start;
}

/** Notices that were given up: they are made again from what happened. */
function forgetFailed(sql: Sql, webhook: number, limit: number): void {
  const failed = sql.rows<{ number: number }>(
    `SELECT number FROM deliveries WHERE webhook = ? AND status = 'failed' ORDER BY number DESC LIMIT ?`,
    [webhook, limit],
  );
  for (const { number } of failed) remove(sql, number);
}

function remove(sql: Sql, delivery: number): void {
  sql.run('DELETE FROM attempts WHERE delivery = ?', [delivery]);
  sql.run('DELETE FROM deliveries WHERE number = ?', [delivery]);
}

/** What was given up after a position waits again, to be sent under the same id. */
function releaseFailed(sql: Sql, webhook: number, after: Position, limit: number): void {
  const failed = sql.rows<{ number: number }>(
    `SELECT d.number FROM deliveries d WHERE d.webhook = ? AND d.status = 'failed'
       AND (SELECT max(position) FROM owed WHERE delivery = d.number) > ? ORDER BY d.number DESC LIMIT ?`,
    [webhook, after, limit],
  );
  for (const { number } of failed) {
    sql.run('UPDATE owed SET delivery = NULL, story = NULL WHERE delivery = ?', [number]);
    remove(sql, number);
  }
}
