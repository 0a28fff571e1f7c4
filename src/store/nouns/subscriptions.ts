/** Webhooks that agents subscribed with: how they are saved, end, and catch up. */
import type { Change } from '../../domain/change.ts';
import { PLATFORMS } from '../../domain/platform.ts';
import type { EventName, Webhook } from '../../domain/webhook.ts';
import { type Db, deleteSlice } from '../db.ts';
import { type Position, positionAt } from '../order.ts';
import { lockAccount, lockRules } from '../rows/locks.ts';
import { unpartedOf } from '../rows/unsettled.ts';
import { settle } from '../sqlite/settle.ts';
import { noteChange, noted } from './changes.ts';
import { endSubscribed } from './ended-subscriptions.ts';
import { latestOf, oldestOf } from './matches.ts';
import { ring } from './nodes.ts';
import { owe, ruleToReplay, type Wanting } from './owed.ts';
import { changedColumns, selectWebhooks, subscriptionValues, type WebhookRow, webhookOf } from './webhooks.ts';

/** Webhooks that agents subscribed with. `webhooks` does not list them, and `addWebhook` does not count them. */
export interface SubscriptionStore {
  /** Oldest first, ended ones too until they are forgotten. */
  subscriptions(accountId: string): Promise<Webhook[]>;
  /** One of them, by the id that it has for its agent. */
  subscription(accountId: string, id: string): Promise<Webhook | undefined>;
  /**
   * Adds the webhook, or replaces the one with the same subscription. One that begins owes what it catches up on from the same
   * moment: a crash leaves no subscription that lacks it. Answers the limit that is reached instead; nothing is noted then.
   */
  saveSubscription(
    webhook: Webhook,
    limits: SubscriptionLimits,
    note?: Change,
    begins?: CatchUp,
  ): Promise<'account' | 'owner' | undefined>;
  /**
   * Nothing more is sent; what is pending has failed. False when it had ended, or when its time is not over by `expiredBy`: it
   * may have been refreshed meanwhile. Not scoped.
   */
  endSubscription(webhookId: string, reason: string, note?: Change, expiredBy?: Date): Promise<boolean>;
  /** The live ones to an event, of every account. */
  subscribers(event: EventName): Promise<Webhook[]>;
  /**
   * Owes the newest matches of a rule after a position once more, but for those that the receiver has accepted, and
   * drops what waits before them. Answers where they begin.
   */
  replay(webhookId: string, after: Position, limit: number): Promise<Position>;
  /** Matches that wait for the webhook are not owed to it any more. */
  dropOwed(webhookId: string, positions: readonly Position[]): Promise<void>;
  /** The positions among these whose match is the first of its rule in a story. Not scoped. */
  storyBeginnings(positions: readonly Position[]): Promise<Position[]>;
  /** Everything up to here is delivered or given up. `now`, for events that are no matches. */
  watermark(webhookId: string, now?: Date): Promise<Position>;
}

export interface SubscriptionLimits {
  /** Live subscriptions of an account, and of one grant or key. */
  readonly ofAccount: number;
  readonly ofOwner: number;
  /** The most ended subscriptions of an account. Beyond this many the oldest is forgotten. */
  readonly ended: number;
}

/** The newest matches of its rule after a position, on which a subscription catches up. */
export interface CatchUp {
  readonly after: Position;
  readonly limit: number;
}

/** Rows that one transaction goes through. */
const SLICE = 500;
/** A webhook has fewer deliveries under way: beyond a thousand, matches wait. */
const MAX_PENDING = 2_000;

const BEGINNINGS = `SELECT m.position FROM matches m WHERE m.position = ANY($1) AND m.story IS NOT NULL AND NOT EXISTS
  (SELECT 1 FROM story_parts p WHERE p.story = m.story AND p.rule = m.rule AND p.first < m.position)`;

const STORY_BEGINNINGS = {
  sqlite: `${BEGINNINGS} AND NOT EXISTS
    (SELECT 1 FROM ${unpartedOf('m.story')} AND u.position < m.position AND u.rule = m.rule)`,
  postgres: BEGINNINGS,
};

type SubscriptionReads = Pick<
  SubscriptionStore,
  'subscriptions' | 'subscription' | 'subscribers' | 'storyBeginnings' | 'watermark'
>;

export const subscriptionReads = (db: Db): SubscriptionReads => ({
  async subscriptions(accountId) {
    const of = `w.account = (SELECT number FROM accounts WHERE id = $1) AND w.status IN ('active', 'paused', 'disabled')
      AND w.subscription IS NOT NULL`;
    return (await db.rows<WebhookRow>(`${selectWebhooks(of)} ORDER BY w.number`, [accountId])).map(webhookOf);
  },
  async subscription(accountId, id) {
    const of = `w.subscription = $2 AND w.status <> 'deleted'
      AND w.account = (SELECT number FROM accounts WHERE id = $1)`;
    const row = await db.row<WebhookRow>(selectWebhooks(of), [accountId, id]);
    return row && webhookOf(row);
  },
  async subscribers(event) {
    const of = `w.event = $1 AND w.status = 'active'`;
    return (await db.rows<WebhookRow>(`${selectWebhooks(of)} ORDER BY w.number`, [event])).map(webhookOf);
  },
  async storyBeginnings(positions) {
    const rows = await db.rows<{ position: Position }>(STORY_BEGINNINGS[db.dialect], [positions]);
    const first = new Set(rows.map(({ position }) => position));
    return positions.filter((position) => first.has(position));
  },
  async watermark(webhookId, now) {
    // First: what is stored between the two reads lies behind it.
    const reached = now === undefined ? await latestOf(db) : positionAt(now.getTime());
    const row = await db.row<{ waiting: Position | null; sent: Position | null; told: number | null }>(
      `SELECT
         (SELECT min(position) FROM owed WHERE webhook = w.number AND delivery IS NULL) AS waiting,
         (SELECT min(first) FROM (SELECT (SELECT min(position) FROM owed WHERE delivery = d.number) AS first
            FROM deliveries d WHERE d.webhook = w.number AND d.status = 'pending' LIMIT ${MAX_PENDING}) f) AS sent,
         (SELECT min(created_at) FROM (SELECT created_at FROM deliveries
            WHERE webhook = w.number AND status = 'pending' AND matches = 0 LIMIT ${MAX_PENDING}) t) AS told
       FROM webhooks w WHERE w.id = $1`,
      [webhookId],
    );
    const told = row?.told ?? undefined;
    const open = [row?.waiting, row?.sent, told === undefined ? undefined : positionAt(told)];
    return Math.min(reached, ...open.flatMap((position) => (position ? [position - 1] : [])));
  },
});

export const subscriptionWrites = (db: Db) => ({
  saveSubscription: (webhook: Webhook, limits: SubscriptionLimits, note?: Change, begins?: CatchUp) =>
    db.transaction(async (tx) => {
      // A commit that looked for webhooks before this one was there is waited for: what it stored is then found below.
      if (begins !== undefined) await lockRules(tx);
      const reached = await saveSubscription(tx, webhook, limits);
      if (reached !== undefined) return reached;
      if (begins !== undefined) await oweNewest(tx, webhook.id, begins.after, begins.limit);
      await noteChange(tx, webhook.accountId, note);
      return undefined;
    }),
  endSubscription: (webhookId: string, reason: string, note?: Change, expiredBy?: Date): Promise<boolean> =>
    db.transaction(async (tx) => {
      const row = await tx.row<{ number: number; account: string }>(
        `SELECT number, (SELECT id FROM accounts a WHERE a.number = w.account) AS account FROM webhooks w
         WHERE id = $1 AND status IN ('active', 'paused') AND expires_at <= $2 FOR UPDATE`,
        [webhookId, expiredBy?.getTime() ?? Number.MAX_SAFE_INTEGER],
      );
      if (row === undefined) return false;
      await endSubscribed(tx, row.number, reason);
      return noted(tx, row.account, note, true);
    }),
  async dropOwed(webhookId: string, positions: readonly Position[]): Promise<void> {
    await db.run(
      `DELETE FROM owed WHERE webhook = (SELECT number FROM webhooks WHERE id = $1) AND position = ANY($2) AND delivery IS NULL`,
      [webhookId, positions],
    );
  },
  /** The first step of `replay`: owes the newest matches, and answers where they begin. */
  oweNewest: (webhookId: string, after: Position, limit: number): Promise<Position> =>
    db.transaction((tx) => oweNewest(tx, webhookId, after, limit)),
  /** Drops a slice of what waits up to a position. Answers whether there may be more. */
  async dropWaiting(webhookId: string, upTo: Position): Promise<boolean> {
    const waiting = `webhook = (SELECT number FROM webhooks WHERE id = $1) AND delivery IS NULL AND position <= $2
      ORDER BY position`;
    const slice = { key: 'position, webhook', of: waiting, limit: SLICE };
    return (await deleteSlice(db, 'owed', slice, [webhookId, upTo])) === SLICE;
  },
});

type Steps = Pick<ReturnType<typeof subscriptionWrites>, 'oweNewest' | 'dropWaiting'>;

export const replays = ({ oweNewest: begin, dropWaiting }: Steps): Pick<SubscriptionStore, 'replay'> => ({
  async replay(webhookId, after, limit) {
    const start = await begin(webhookId, after, limit);
    let isMore = true;
    while (isMore) isMore = await dropWaiting(webhookId, start);
    return start;
  },
});

async function saveSubscription(
  db: Db,
  webhook: Webhook,
  { ofAccount, ofOwner, ended }: SubscriptionLimits,
): Promise<'account' | 'owner' | undefined> {
  await lockAccount(db, webhook.accountId);
  const values = subscriptionValues(webhook.subscription!);
  const { subscription, owner, expiresAt, brief, terms } = values;
  const count = async (which: string, value: string): Promise<number> => {
    const row = await db.row<{ live: number }>(
      `SELECT count(*) AS live FROM webhooks WHERE ${which} AND status IN ('active', 'paused') AND subscription <> $2`,
      [value, subscription],
    );
    return row!.live;
  };
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
      [id, accountId, createdAt, row.url, row.description, row.format],
      [row.ruleIds, row.platforms, row.every, row.secret, row.events, row.wake],
      [subscription, owner, event, expiresAt, brief, terms],
    ].flat(),
  );
}

/** Deletes the oldest ended subscription when there are too many. */
const makeRoom = (db: Db, accountId: string, most: number): Promise<number> =>
  db.run(
    `UPDATE webhooks SET status = 'deleted' WHERE number =
       (SELECT min(number) FROM webhooks WHERE account = (SELECT number FROM accounts WHERE id = $1) AND status = 'disabled'
          AND subscription IS NOT NULL HAVING count(*) >= $2)`,
    [accountId, most],
  );

async function oweNewest(db: Db, webhookId: string, after: Position, limit: number): Promise<Position> {
  const webhook = await db.row<Pick<Wanting, 'number' | 'rule_ids' | 'events'>>(
    'SELECT number, rule_ids, events FROM webhooks WHERE id = $1 AND subscription IS NOT NULL FOR UPDATE',
    [webhookId],
  );
  if (webhook === undefined) return after;
  const ruleId = ruleToReplay(webhook);
  if (ruleId === undefined) {
    await forgetFailed(db, webhook.number, limit);
    return after;
  }
  const newest = await newestOf(db, ruleId, after, limit + 1);
  const start = newest[limit] ?? after;
  await releaseFailed(db, webhook.number, start, limit);
  await owe(db, webhook.number, newest.slice(0, limit));
  return start;
}

const MATCHES_OF_RULE = { sqlite: 'rule_matches', postgres: 'matches' };

/** The newest positions of a rule after one, of each platform. */
async function newestOf(db: Db, ruleId: string, after: Position, limit: number): Promise<Position[]> {
  await settle(db);
  const rule = await db.row<{ number: number }>('SELECT number FROM rules WHERE id = $1 AND deleted = 0', [ruleId]);
  if (rule === undefined) return [];
  const above = Math.max(after, (await oldestOf(db)) - 1);
  const found: { position: Position }[] = [];
  for (const platform of PLATFORMS)
    found.push(
      ...(await db.rows<{ position: Position }>(
        `SELECT position FROM ${MATCHES_OF_RULE[db.dialect]} WHERE rule = $1 AND platform = $2 AND position > $3
         ORDER BY position DESC LIMIT $4`,
        [rule.number, platform, above, limit],
      )),
    );
  return found.map(({ position }) => position).toSorted((one, other) => other - one);
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

/** Makes deliveries that were given up after a position wait again, to be sent under the same id. */
async function releaseFailed(db: Db, webhook: number, after: Position, limit: number): Promise<void> {
  const failed = await db.rows<{ number: number }>(
    `SELECT d.number FROM (SELECT number FROM deliveries WHERE webhook = $1 AND status = 'failed'
         ORDER BY number DESC LIMIT $3) d
     WHERE (SELECT max(position) FROM owed WHERE delivery = d.number) > $2`,
    [webhook, after, limit],
  );
  const numbers = failed.map(({ number }) => number);
  await db.run('UPDATE owed SET delivery = NULL, story = NULL WHERE delivery = ANY($1)', [numbers]);
  await remove(db, numbers);
}
