/** Deliveries: frozen batches, how they are made and made due again, and how they leave. */
import type { Attempt, Delivery, DeliveryNotice, DeliveryStatus, DueDelivery } from '../../domain/webhook.ts';
import type { Db, Value } from '../db.ts';
import { matchId, type Position } from '../order.ts';
import { MATCH_TAIL, type MatchRow } from '../rows/match-rows.ts';
import { dateOrNone, decodeName, decodeText, encodeText, textOrNull } from '../rows/texts.ts';
import { oldestOf } from './matches.ts';
import { ring } from './nodes.ts';
import { type owedWrites, storedSince } from './owed.ts';
import { forgetWakeStories, holdsStill, isWakeTurn, keepWakeTurn, type WakeTurn, type WakingRow } from './wakes.ts';

export interface DeliveryStore {
  /** Newest first. */
  deliveries(query: DeliveryQuery): Promise<{ deliveries: Delivery[]; next: number | undefined }>;
  delivery(accountId: string, deliveryId: string): Promise<Delivery | undefined>;
  /** Makes a delivery of one match for an active webhook. False, and nothing done, when one of them is not there any more. */
  sendMatch(sending: SentMatch): Promise<boolean>;
  /** Makes a delivery due again, with the same id and bytes. False when its bytes are gone, or it is. */
  redeliver(accountId: string, deliveryId: string, now: Date): Promise<boolean>;
  /** Makes every delivery of a webhook since a time due again, and owes it what was stored since and is in none. */
  redeliverSince(
    accountId: string,
    webhookId: string,
    since: Date,
    now: Date,
  ): Promise<{ deliveries: number; matches: number }>;
}

/** For the process that delivers. Not scoped. */
export interface PendingStore {
  /**
   * Makes a delivery of matches that waited, and puts held ones into a digest. False, and nothing done, when one of them is
   * gone or taken meanwhile, or when the webhook's contract has decided or was changed meanwhile.
   */
  freeze(batch: Batch): Promise<boolean>;
  /** The next ones due, soonest first. */
  pendingDeliveries(webhookId: string, limit: number): Promise<DueDelivery[]>;
  /** The frozen bytes; undefined when the delivery is gone or no longer pending. */
  pendingBody(deliveryId: string): Promise<string | undefined>;
  /**
   * Forgets the bytes of a pending delivery, which are for another kind of receiver: its matches wait again, and a digest is written
   * anew. One that holds neither has failed, for this reason.
   */
  writeAnew(deliveryId: string, reason: string): Promise<void>;
}

export interface DeliveryQuery {
  readonly accountId: string;
  readonly webhookId?: string;
  readonly status?: DeliveryStatus;
  readonly before?: number;
  readonly limit: number;
}

export interface SentMatch {
  readonly id: string;
  readonly accountId: string;
  readonly webhookId: string;
  readonly position: Position;
  readonly body: string;
  readonly madeFor?: string;
  readonly note?: string | undefined;
  readonly at: Date;
}

export interface Batch {
  readonly id: string;
  readonly webhookId: string;
  readonly positions: readonly Position[];
  readonly body: string;
  /** The kind of receiver that the body is for. */
  readonly madeFor?: string;
  /** Why the body is not as its owner wanted it. */
  readonly note?: string | undefined;
  readonly at: Date;
  /** With a webhook that has a contract, or whose account has silences. Then `positions` may be empty. */
  readonly wake?: WakeTurn;
}

interface DeliveryRow {
  readonly number: number;
  readonly id: string;
  readonly webhook_id: string;
  readonly created_at: number;
  readonly matches: number;
  readonly status: DeliveryStatus;
  readonly reason: string | null;
  readonly note: string | null;
  readonly next_at: number | null;
  readonly digest: number | null;
  readonly made: number;
  readonly acknowledged_at: number | null;
  readonly first: Position | null;
  readonly subject: DeliveryNotice | null;
}

interface AttemptRow {
  readonly at: number;
  readonly milliseconds: number;
  readonly status_code: number | null;
  readonly error: string | null;
  readonly response: string;
}

const deliveryOf = (row: DeliveryRow, first: Delivery['first'], attempts: readonly Attempt[]): Delivery => ({
  id: row.id,
  webhookId: row.webhook_id,
  createdAt: new Date(row.created_at),
  matches: row.matches,
  first,
  notice: row.subject ?? undefined,
  status: row.status,
  reason: row.reason === null ? undefined : decodeText(row.reason),
  ...(row.note !== null && { note: decodeText(row.note) }),
  nextAt: row.status === 'pending' ? dateOrNone(row.next_at) : undefined,
  ...(row.digest !== null && { isDigest: true }),
  made: row.made,
  acknowledgedAt: dateOrNone(row.acknowledged_at),
  attempts,
});

export const attemptOf = (row: AttemptRow): Attempt => ({
  at: new Date(row.at),
  milliseconds: row.milliseconds,
  statusCode: row.status_code ?? undefined,
  error: row.error === null ? undefined : decodeText(row.error),
  response: decodeText(row.response),
});

interface PendingRow {
  readonly id: string;
  readonly next_at: number;
  readonly made: number;
  readonly unwritten: number | boolean;
  readonly made_for: string | null;
}

const pendingOf = ({ id, next_at, made, unwritten, made_for }: PendingRow): DueDelivery => ({
  id,
  nextAt: new Date(next_at),
  made,
  ...(unwritten && { isUnwritten: true }),
  ...(made_for !== null && { madeFor: made_for }),
});

/** A delivery that was asked for again and again shows its last attempts. */
const ATTEMPTS_SHOWN = 20;
/** Deliveries changed or removed in one transaction. */
const SLICE = 500;
/** Matches of deliveries that leave in one transaction: a digest alone may have ten thousand. */
const MOST_MATCHES = 50_000;

const ACCOUNT = '(SELECT number FROM accounts WHERE id = $1)';
const SELECT = `SELECT d.number, d.id, w.id AS webhook_id, d.created_at, d.matches, d.status, d.reason, d.next_at, d.digest,
    d.made, d.acknowledged_at, d.note, d.first, d.subject
  FROM deliveries d JOIN webhooks w ON w.number = d.webhook WHERE w.status <> 'deleted'`;
export const AGAIN = `UPDATE deliveries SET status = 'pending', reason = NULL, made = 0, next_at = $2, acknowledged_at = NULL`;

type DeliveryReads = Pick<
  DeliveryStore & PendingStore,
  'deliveries' | 'delivery' | 'pendingDeliveries' | 'pendingBody'
>;

export const deliveryReads = (db: Db): DeliveryReads => ({
  deliveries: (query) => list(db, query),
  async delivery(accountId, id) {
    const row = await db.row<DeliveryRow>(`${SELECT} AND d.id = $2 AND d.account = ${ACCOUNT}`, [accountId, id]);
    return row && (await wholeDeliveries(db, accountId, [row]))[0];
  },
  async pendingDeliveries(webhookId, limit) {
    const rows = await db.rows<PendingRow>(
      `SELECT id, next_at, made, digest IS NOT NULL AND body IS NULL AS unwritten, made_for FROM deliveries
       WHERE webhook = (SELECT number FROM webhooks WHERE id = $1) AND status = 'pending' ORDER BY next_at LIMIT $2`,
      [webhookId, limit],
    );
    return rows.map(pendingOf);
  },
  async pendingBody(id) {
    const row = await db.row<{ body: string | null }>(
      `SELECT body FROM deliveries WHERE id = $1 AND status = 'pending'`,
      [id],
    );
    return row?.body ?? undefined;
  },
});

/** Newest first, of an account or of one of its webhooks, in any state or in one. */
async function list(db: Db, { accountId, webhookId, status, before, limit }: DeliveryQuery) {
  const values: Value[] = [accountId, before ?? Number.MAX_SAFE_INTEGER, limit + 1];
  const subject =
    webhookId === undefined
      ? `d.account = ${ACCOUNT}`
      : `d.webhook = (SELECT number FROM webhooks WHERE id = $${values.push(webhookId)} AND account = ${ACCOUNT})`;
  const ofStatus = status === undefined ? '' : `AND d.status = $${values.push(status)}`;
  const rows = await db.rows<DeliveryRow>(
    `${SELECT} AND ${subject} ${ofStatus} AND d.number < $2 ORDER BY d.number DESC LIMIT $3`,
    values,
  );
  const page = rows.slice(0, limit);
  return {
    deliveries: await wholeDeliveries(db, accountId, page),
    next: rows.length > limit ? page.at(-1)!.number : undefined,
  };
}

/** With its first match, and with at most its last twenty attempts each. */
async function wholeDeliveries(db: Db, accountId: string, rows: readonly DeliveryRow[]): Promise<Delivery[]> {
  const firsts = await firstMatches(
    db,
    accountId,
    rows.flatMap(({ first }) => first ?? []),
  );
  const attempts = await db.rows<AttemptRow & { delivery: number; number: number }>(
    `SELECT a.delivery, a.number, a.at, a.milliseconds, a.status_code, a.error, a.response
     FROM unnest($1::bigint[]) AS d (number) /*sqlite CROSS */ JOIN attempts a ON a.delivery = d.number AND a.number >= coalesce(
       (SELECT b.number FROM attempts b WHERE b.delivery = d.number ORDER BY b.number DESC LIMIT 1 OFFSET ${ATTEMPTS_SHOWN - 1}), 0)`,
    [rows.map(({ number }) => number)],
  );
  const byDelivery = Map.groupBy(
    attempts.toSorted((one, other) => one.number - other.number),
    ({ delivery }) => delivery,
  );
  return rows.map((row) =>
    deliveryOf(row, firsts.get(row.first ?? -1), (byDelivery.get(row.number) ?? []).map(attemptOf)),
  );
}

/** The matches that are still stored, and whose rules are there. */
async function firstMatches(
  db: Db,
  accountId: string,
  positions: readonly Position[],
): Promise<ReadonlyMap<Position, Delivery['first']>> {
  const rows = await db.rows<Pick<MatchRow, 'position' | 'tail' | 'rule_id' | 'rule_name'>>(
    `SELECT m.position, ${MATCH_TAIL[db.dialect]} AS tail, r.id AS rule_id, r.name AS rule_name
     FROM unnest($2::bigint[]) AS p (position) /*sqlite CROSS */ JOIN matches m ON m.position = p.position
     JOIN rules r ON r.number = m.rule WHERE m.account = ${ACCOUNT} AND r.deleted = 0 AND m.position >= $3`,
    [accountId, positions, await oldestOf(db)],
  );
  return new Map(
    rows.map(({ position, tail, rule_id: ruleId, rule_name: name }) => [
      position,
      { matchId: matchId(position, tail), ruleId, ruleName: decodeName(name) },
    ]),
  );
}

export const deliveryWrites = (db: Db) => ({
  freeze: (batch: Batch): Promise<boolean> => db.transaction((tx) => freeze(tx, batch)),
  sendMatch: (sending: SentMatch): Promise<boolean> => db.transaction((tx) => sendMatch(tx, sending)),
  writeAnew: (id: string, reason: string): Promise<void> => db.transaction((tx) => writeAnew(tx, id, reason)),
  async redeliver(accountId: string, id: string, now: Date): Promise<boolean> {
    const again = await db.run(`${AGAIN} WHERE id = $3 AND account = ${ACCOUNT} AND body IS NOT NULL`, [
      accountId,
      now,
      id,
    ]);
    await ring(db, [accountId]);
    return again === 1;
  },
  /** A slice of a webhook's deliveries since a time, after one of them. */
  redeliverSlice: (accountId: string, webhookId: string, since: Date, now: Date, after: number) =>
    db.transaction((tx) => redeliverSlice(tx, accountId, webhookId, since, now, after)),
});

async function redeliverSlice(
  db: Db,
  accountId: string,
  webhookId: string,
  since: Date,
  now: Date,
  after: number,
): Promise<{ queued: number; next: number | undefined }> {
  const found = await db.rows<{ number: number }>(
    `SELECT number FROM deliveries WHERE webhook = (SELECT number FROM webhooks WHERE id = $2 AND account = ${ACCOUNT})
     AND number > $4 AND created_at >= $3 ORDER BY number LIMIT ${SLICE}`,
    [accountId, webhookId, since, after],
  );
  const numbers = found.map(({ number }) => number);
  const queued = await db.run(`${AGAIN} WHERE number = ANY($1) AND body IS NOT NULL`, [numbers, now.getTime()]);
  return { queued, next: numbers.length < SLICE ? undefined : numbers.at(-1) };
}

type Slices = Pick<ReturnType<typeof deliveryWrites>, 'redeliverSlice'> & ReturnType<typeof owedWrites>;

/** Everything of a webhook since a time once more, in slices that leave the writer free for others in between. */
export const redeliveries = (slices: Slices): Pick<DeliveryStore, 'redeliverSince'> => ({
  async redeliverSince(accountId, webhookId, since, now) {
    let [deliveries, matches] = [0, 0];
    for (let from: number | undefined = 0; from !== undefined; ) {
      const slice: Awaited<ReturnType<Slices['redeliverSlice']>> = await slices.redeliverSlice(
        accountId,
        webhookId,
        since,
        now,
        from,
      );
      deliveries += slice.queued;
      from = slice.next;
    }
    for (const { platform, after: first } of storedSince(since)) {
      for (let after: Position | undefined = first; after !== undefined; ) {
        const slice: Awaited<ReturnType<Slices['oweStored']>> = await slices.oweStored(
          accountId,
          webhookId,
          platform,
          after,
        );
        matches += slice.owed;
        after = slice.next;
      }
    }
    return { deliveries, matches };
  },
});

/** The batch comes first: what else waits for the webhook must not be looked at. */
const WAITING = {
  sqlite: `SELECT 1 FROM unnest($1) AS p (position) CROSS JOIN owed o ON o.position = p.position AND o.webhook = $2
    CROSS JOIN matches m ON m.position = o.position CROSS JOIN rules r ON r.number = m.rule
    WHERE o.delivery IS NULL AND r.deleted = 0`,
  postgres: `SELECT 1 FROM owed o JOIN matches m ON m.position = o.position JOIN rules r ON r.number = m.rule
    WHERE o.webhook = $2 AND o.position = ANY($1) AND m.position = ANY($1) AND o.delivery IS NULL AND r.deleted = 0
    ORDER BY o.position FOR UPDATE OF o FOR SHARE OF r`,
};

async function freeze(db: Db, { id, webhookId, positions, body, madeFor, note, at, wake }: Batch): Promise<boolean> {
  const webhook = await db.row<WakingRow>(
    `SELECT number, account, wake_turn, wake IS NOT NULL AS waking FROM webhooks
     WHERE id = $1 AND status = 'active' FOR UPDATE`,
    [webhookId],
  );
  if (webhook === undefined || !isWakeTurn(webhook, wake)) return false;
  if (wake !== undefined && !(await holdsStill(db, wake.digest))) return false;
  const all = [...positions, ...(wake?.held ?? []).map(({ position }) => position)];
  // An event has the same id again after its subscription was forgotten and made anew.
  if ((await db.row('SELECT 1 FROM deliveries WHERE id = $1', [id])) !== undefined) return false;
  // Under locks: once a rule's deletion has returned, no batch takes a match of it, and no two batches take the same.
  const waiting = await db.rows(WAITING[db.dialect], [all, webhook.number]);
  if (waiting.length !== all.length) return false;
  if (wake !== undefined) await keepWakeTurn(db, webhook, wake, at);
  if (positions.length === 0) return true;
  const added = await db.row<{ number: number }>(
    `INSERT INTO deliveries (id, webhook, account, created_at, matches, status, made, next_at, body, note, first, made_for)
     VALUES ($1, $2, $3, $4, $5, 'pending', 0, $4, $6, $7, $8, $9) RETURNING number`,
    [
      [id, webhook.number, webhook.account, at, positions.length, body, textOrNull(note), positions[0]!],
      [madeFor ?? null],
    ].flat(),
  );
  await db.run('UPDATE owed SET delivery = $1 WHERE webhook = $2 AND position = ANY($3)', [
    added!.number,
    webhook.number,
    positions,
  ]);
  return true;
}

async function writeAnew(db: Db, id: string, reason: string): Promise<void> {
  const delivery = await db.row<{ number: number; digest: number | null }>(
    `SELECT number, digest FROM deliveries WHERE id = $1 AND status = 'pending' AND body IS NOT NULL FOR UPDATE`,
    [id],
  );
  if (delivery === undefined) return;
  const { number, digest } = delivery;
  if (digest !== null) {
    await db.run('UPDATE deliveries SET body = NULL, made_for = NULL WHERE number = $1', [number]);
    return;
  }
  if ((await db.run('UPDATE owed SET delivery = NULL WHERE delivery = $1', [number])) > 0) {
    await db.run('DELETE FROM attempts WHERE delivery = $1', [number]);
    await db.run('DELETE FROM deliveries WHERE number = $1', [number]);
    return;
  }
  const failed = `UPDATE deliveries SET status = 'failed', reason = $2, next_at = NULL WHERE number = $1`;
  await db.run(failed, [number, encodeText(reason)]);
}

async function sendMatch(db: Db, sending: SentMatch): Promise<boolean> {
  const { id, accountId, webhookId, position, body, madeFor, note, at } = sending;
  // Under a lock: once a rule's deletion has returned, no match of it is sent.
  const match = await db.row<{ account: number }>(
    `SELECT m.account FROM matches m JOIN rules r ON r.number = m.rule
     WHERE m.position = $1 AND m.account = (SELECT number FROM accounts WHERE id = $2) AND r.deleted = 0 FOR SHARE OF r`,
    [position, accountId],
  );
  if (match === undefined) return false;
  const added = await db.run(
    `INSERT INTO deliveries (id, webhook, account, created_at, matches, status, made, next_at, body, sent, first, note, made_for)
     SELECT $1, number, account, $4, 1, 'pending', 0, $4, $5, $6, $6, $7, $8 FROM webhooks
     WHERE id = $2 AND account = $3 AND status = 'active'`,
    [id, webhookId, match.account, at, body, position, textOrNull(note), madeFor ?? null],
  );
  await ring(db, [accountId]);
  return added === 1;
}

interface Leaving {
  readonly number: number;
  readonly matches: number;
}

/** False when none was past its time. */
export const removeOldDeliveries = async (db: Db, before: number): Promise<boolean> =>
  removeDeliveries(
    db,
    await db.rows<Leaving>(
      `SELECT number, matches FROM deliveries WHERE created_at < $1 AND status <> 'pending' ORDER BY created_at LIMIT ${SLICE}`,
      [before],
    ),
  );

/** A slice of a deleted webhook; the webhook itself goes last. False when there is none. */
export async function removeDeletedWebhook(db: Db): Promise<boolean> {
  // The lock waits for commits that may owe it something still.
  const webhook = await db.row<{ number: number }>(
    `SELECT number FROM webhooks WHERE status = 'deleted' ORDER BY number LIMIT 1 FOR UPDATE`,
  );
  if (webhook === undefined) return false;
  const { number } = webhook;
  const deliveries = await db.rows<Leaving>(
    `SELECT number, matches FROM deliveries WHERE webhook = $1 LIMIT ${SLICE}`,
    [number],
  );
  const waiting = await db.rows<{ position: Position }>(
    `SELECT position FROM owed WHERE webhook = $1 AND delivery IS NULL ORDER BY position LIMIT ${SLICE}`,
    [number],
  );
  await db.run('DELETE FROM owed WHERE webhook = $1 AND position = ANY($2)', [
    number,
    waiting.map(({ position }) => position),
  ]);
  const isKnowing = await forgetWakeStories(db, number);
  if (!(await removeDeliveries(db, deliveries)) && waiting.length === 0 && !isKnowing)
    await db.run('DELETE FROM webhooks WHERE number = $1', [number]);
  return true;
}

async function removeDeliveries(db: Db, deliveries: readonly Leaving[]): Promise<boolean> {
  if (deliveries.length === 0) return false;
  const numbers: number[] = [];
  let left = MOST_MATCHES;
  for (const { number, matches } of deliveries) {
    if (left <= 0) break;
    left -= matches;
    numbers.push(number);
  }
  await db.run('DELETE FROM owed WHERE delivery = ANY($1)', [numbers]);
  await db.run('DELETE FROM attempts WHERE delivery = ANY($1)', [numbers]);
  await db.run('DELETE FROM deliveries WHERE number = ANY($1)', [numbers]);
  return true;
}
