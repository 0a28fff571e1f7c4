/** Webhooks that agents subscribed with: how they are saved, end, and catch up. */
import { PLATFORMS } from '../../domain/platform.ts';
import type { Webhook } from '../../domain/webhook.ts';
import { positionAt } from '../order.ts';
import { ruleToReplay, type Wanting } from '../rows/owed.ts';
import { subscriptionValues } from '../rows/subscriptions.ts';
import { changedColumns, type WebhookRow, webhookOf } from '../rows/webhooks.ts';
import type { Position, SubscriptionLimits, SubscriptionStore } from '../store.ts';
import type { Database, Db } from './connection.ts';
import { endSubscribed } from './ended-subscriptions.ts';
import { stateOf } from './matches.ts';
import { ring } from './nodes.ts';
import { COLUMNS_WITH_ACCOUNT } from './webhooks.ts';

/** Rows that one statement drops. */
const SLICE = 1_000;
/** A webhook has fewer deliveries under way: beyond a thousand, matches wait. */
const MAX_PENDING = 2_000;

const select = (which: string): string =>
  `SELECT ${COLUMNS_WITH_ACCOUNT} FROM webhooks w JOIN accounts a ON a.number = w.account WHERE ${which} ORDER BY w.number`;

export const subscriptionStore = (database: Database): SubscriptionStore => ({
  subscriptions: async (accountId) =>
    (
      await database.rows<WebhookRow>(
        select(
          `w.account = (SELECT number FROM accounts WHERE id = $1) AND w.status IN ('active', 'paused', 'disabled') AND w.subscription IS NOT NULL`,
        ),
        [accountId],
      )
    ).map(webhookOf),
  subscribers: async (event) =>
    (await database.rows<WebhookRow>(select(`w.event = $1 AND w.status = 'active'`), [event])).map(webhookOf),
  saveSubscription: (webhook, limits) => database.transaction((db) => saveSubscription(db, webhook, limits)),
  endSubscription: (webhookId, reason) =>
    database.transaction(async (db) => {
      const [row] = await db.rows<{ number: number }>(
        `SELECT number FROM webhooks WHERE id = $1 AND status IN ('active', 'paused') FOR UPDATE`,
        [webhookId],
      );
      if (row !== undefined) await endSubscribed(db, row.number, reason);
      return row !== undefined;
    }),
  async replay(webhookId, after, limit) {
    const start = await database.transaction((db) => replay(db, webhookId, after, limit));
    while ((await dropWaiting(database, webhookId, start)) === SLICE);
    return start;
  },
  dropOwed: (webhookId, positions) => dropOwed(database, webhookId, positions),
  storyBeginnings: (positions) => storyBeginnings(database, positions),
  watermark: (webhookId, now) => watermark(database, webhookId, now),
});

async function dropOwed(db: Db, webhookId: string, positions: readonly Position[]): Promise<void> {
  await db.run(
    `DELETE FROM owed WHERE webhook = (SELECT number FROM webhooks WHERE id = $1) AND position = ANY($2) AND delivery IS NULL`,
    [webhookId, positions],
  );
}

async function storyBeginnings(db: Db, positions: readonly Position[]): Promise<Position[]> {
  const rows = await db.rows<{ position: Position }>(
    `SELECT m.position FROM matches m WHERE m.position = ANY($1) AND m.story IS NOT NULL AND NOT EXISTS
       (SELECT 1 FROM story_parts p WHERE p.story = m.story AND p.rule = m.rule AND p.first < m.position)`,
    [positions],
  );
  return rows.map(({ position }) => position);
}

const dropWaiting = (db: Db, webhookId: string, upTo: Position): Promise<number> =>
  db.run(
    `DELETE FROM owed WHERE webhook = (SELECT number FROM webhooks WHERE id = $1) AND position = ANY(ARRAY
       (SELECT position FROM owed WHERE webhook = (SELECT number FROM webhooks WHERE id = $1) AND delivery IS NULL
          AND position <= $2 ORDER BY position LIMIT ${SLICE}))`,
    [webhookId, upTo],
  );

async function watermark(db: Db, webhookId: string, now: Date | undefined): Promise<Position> {
  // First: what is stored between the two reads lies behind it.
  const reached = now === undefined ? (await stateOf(db)).latest : positionAt(now.getTime());
  const [row] = await db.rows<{ waiting: Position | null; sent: Position | null; told: number | null }>(
    `SELECT
       (SELECT min(position) FROM owed WHERE webhook = w.number AND delivery IS NULL) AS waiting,
       (SELECT min(o.position) FROM (SELECT number FROM deliveries WHERE webhook = w.number AND status = 'pending'
          ORDER BY next_at LIMIT ${MAX_PENDING}) d
          CROSS JOIN LATERAL (SELECT min(position) AS position FROM owed WHERE delivery = d.number) o) AS sent,
       (SELECT min(created_at) FROM deliveries WHERE webhook = w.number AND status = 'pending' AND matches = 0) AS told
     FROM webhooks w WHERE w.id = $1`,
    [webhookId],
  );
  const told = row?.told ?? undefined;
  const open = [row?.waiting, row?.sent, told === undefined ? undefined : positionAt(told)];
  return Math.min(reached, ...open.flatMap((position) => (position ? [position - 1] : [])));
}

async function saveSubscription(
  db: Db,
  webhook: Webhook,
  { ofAccount, ofOwner, ended }: SubscriptionLimits,
): Promise<'account' | 'owner' | undefined> {
  // The account's row is the lock under which its subscriptions are counted.
  await db.run('SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE', [webhook.accountId]);
  const values = subscriptionValues(webhook.subscription!);
  const { subscription, owner, expiresAt, brief, terms } = values;
  const count = async (which: string, value: string): Promise<number> =>
    (
      await db.rows<{ live: number }>(
        `SELECT count(*) AS live FROM webhooks WHERE ${which} AND status IN ('active', 'paused') AND subscription <> $2`,
        [value, subscription],
      )
    )[0]!.live;
  if ((await count('owner = $1', owner)) >= ofOwner) return 'owner';
  if ((await count('account = (SELECT number FROM accounts WHERE id = $1)', webhook.accountId)) >= ofAccount)
    return 'account';
  const row = changedColumns(webhook, {});
  const changed = await db.run(
    `UPDATE webhooks SET status = $2, reason = $3, secret = $4, previous_secret = $5, previous_until = $6,
       last_failure_at = $7, failing_since = $8, expires_at = $9, brief = $10, terms = $11
     WHERE subscription = $1 AND status <> 'deleted'`,
    [
      [subscription, row.status, row.reason, row.secret, row.previous, row.previousUntil],
      [row.lastFailureAt, row.failingSince, expiresAt, brief, terms],
    ].flat(),
  );
  if (changed === 0) {
    await makeRoom(db, webhook.accountId, ended);
    await insert(db, webhook, row, values);
  }
  await ring(db, [webhook.accountId]);
  return undefined;
}

async function insert(
  db: Db,
  { id, accountId, createdAt }: Webhook,
  row: ReturnType<typeof changedColumns>,
  { subscription, owner, event, expiresAt, brief, terms }: ReturnType<typeof subscriptionValues>,
): Promise<void> {
  await db.run(
    `INSERT INTO webhooks (id, account, status, created_at, url, description, format, rule_ids, platforms, every, secret, events, wake,
       subscription, owner, event, expires_at, brief, terms)
     VALUES ($1, (SELECT number FROM accounts WHERE id = $2), 'active', $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15,
       $16, $17, $18)`,
    [
      [id, accountId, createdAt.getTime(), row.url, row.description, row.format],
      [row.ruleIds, row.platforms, row.every, row.secret, row.events, row.wake],
      [subscription, owner, event, expiresAt, brief, terms],
    ].flat(),
  );
}

/** Of those that ended, the oldest goes when there are too many. */
const makeRoom = (db: Db, accountId: string, most: number): Promise<number> =>
  db.run(
    `UPDATE webhooks SET status = 'deleted' WHERE number =
       (SELECT min(number) FROM webhooks WHERE account = (SELECT number FROM accounts WHERE id = $1) AND status = 'disabled'
          AND subscription IS NOT NULL HAVING count(*) >= $2)`,
    [accountId, most],
  );

async function replay(db: Db, webhookId: string, after: Position, limit: number): Promise<Position> {
  const [webhook] = await db.rows<Wanting>(
    'SELECT number, rule_ids, platforms, events FROM webhooks WHERE id = $1 AND subscription IS NOT NULL FOR UPDATE',
    [webhookId],
  );
  if (webhook === undefined) return after;
  const ruleId = ruleToReplay(webhook);
  if (ruleId === undefined) {
    await forgetFailed(db, webhook.number, limit);
    return after;
  }
  const found = await positionsOf(db, ruleId, after, limit + 1);
  const newest = found.toSorted((one, other) => other - one);
  const start = newest[limit] ?? after;
  await releaseFailed(db, webhook.number, start, limit);
  await db.run(
    `INSERT INTO owed (position, webhook) SELECT position, $2 FROM unnest($1::bigint[]) AS p (position)
     ON CONFLICT DO NOTHING`,
    [newest.slice(0, limit), webhook.number],
  );
  return start;
}

/** The newest positions of a rule after one, of each platform. */
async function positionsOf(db: Db, ruleId: string, after: Position, limit: number): Promise<Position[]> {
  const [rule] = await db.rows<{ number: number }>('SELECT number FROM rules WHERE id = $1 AND deleted = 0', [ruleId]);
  if (rule === undefined) return [];
  const { oldest } = await stateOf(db);
  const found: Position[] = [];
  for (const platform of PLATFORMS) {
    const rows = await db.rows<{ position: Position }>(
      'SELECT position FROM matches WHERE rule = $1 AND platform = $2 AND position > $3 ORDER BY position DESC LIMIT $4',
      [rule.number, platform, Math.max(after, oldest - 1), limit],
    );
    found.push(...rows.map(({ position }) => position));
  }
  return found;
}

/** Notices that were given up: they are made again from what happened. */
async function forgetFailed(db: Db, webhook: number, limit: number): Promise<void> {
  const failed = await db.rows<{ number: number }>(
    `SELECT number FROM deliveries WHERE webhook = $1 AND status = 'failed' ORDER BY number DESC LIMIT $2`,
    [webhook, limit],
  );
  await remove(
    db,
    failed.map(({ number }) => number),
  );
}

async function remove(db: Db, deliveries: readonly number[]): Promise<void> {
  await db.run('DELETE FROM attempts WHERE delivery = ANY($1)', [deliveries]);
  await db.run('DELETE FROM deliveries WHERE number = ANY($1)', [deliveries]);
}

/** What was given up after a position waits again, to be sent under the same id. */
async function releaseFailed(db: Db, webhook: number, after: Position, limit: number): Promise<void> {
  const failed = await db.rows<{ number: number }>(
    `SELECT d.number FROM (SELECT number FROM deliveries WHERE webhook = $1 AND status = 'failed'
         ORDER BY number DESC LIMIT $3) d
       CROSS JOIN LATERAL (SELECT max(position) AS position FROM owed WHERE delivery = d.number) o WHERE o.position > $2`,
    [webhook, after, limit],
  );
  const numbers = failed.map(({ number }) => number);
  if (numbers.length === 0) return;
  await db.run('UPDATE owed SET delivery = NULL, story = NULL WHERE delivery = ANY($1)', [numbers]);
  await remove(db, numbers);
}
