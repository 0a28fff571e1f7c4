/** The matches that webhooks are owed: written with the match, taken into a delivery, gone with the match. */
import type { StoredMatch } from '../../domain/match.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { Webhook } from '../../domain/webhook.ts';
import type { Db } from '../db.ts';
import { type Position, positionAt, timeOf } from '../order.ts';
import {
  MATCH_COLUMNS,
  MATCH_JOINS,
  type MatchRow,
  matchOf,
  type ToMatch,
  WALKED_MATCHES,
} from '../rows/match-rows.ts';
import { parseColumn } from '../rows/texts.ts';
import { wholeRows } from '../rows/whole-rows.ts';
import { ring } from './nodes.ts';

/** For the process that delivers. Not scoped. */
export interface OwedStore {
  /** The matches that wait for a batch, oldest first: stored before a time, of rules that are still there. */
  owedMatches(webhookId: string, until: Date, limit: number, bytes?: number): Promise<StoredMatch[]>;
  /** Matches by their positions, of rules that are still there, in no order. */
  matchesAt(positions: readonly Position[]): Promise<StoredMatch[]>;
  /** Webhooks that matches wait for, in whatever state, the longest wait first. */
  owedBacklog(limit: number): Promise<OwedBacklog[]>;
}

export interface OwedBacklog {
  readonly accountId: string;
  readonly webhookId: string;
  readonly status: Webhook['status'];
  /** Whether matches are collected for a batch, and wait on purpose. */
  readonly isBatched: boolean;
  /** How many wait, counted up to a thousand. */
  readonly matches: number;
  /** When the oldest of them was stored. */
  readonly since: Date;
}

export interface Wanting {
  readonly number: number;
  readonly rule_ids: string | null;
  readonly platforms: string | null;
  readonly sources: string | null;
  readonly events: string | null;
}

/** Whether a webhook wants matches of a platform, and of which rules and sources. */
export function wantsOf(
  { rule_ids, platforms, sources, events }: Wanting,
  platform: Platform,
): (ruleId: string, source: string | null) => boolean {
  if (events !== null && !parseColumn<string[]>(events).includes('match')) return () => false;
  if (platforms !== null && !parseColumn<string[]>(platforms).includes(platform)) return () => false;
  const rules = rule_ids === null ? undefined : new Set(parseColumn<string[]>(rule_ids));
  const from = sources === null ? undefined : new Set<string | null>(parseColumn<string[]>(sources));
  return (ruleId, source) => rules?.has(ruleId) !== false && from?.has(source) !== false;
}

/** The one rule whose matches an agent subscribed to; undefined for events that are no matches. */
export const ruleToReplay = ({ rule_ids, events }: Pick<Wanting, 'rule_ids' | 'events'>): string | undefined =>
  rule_ids === null || (events !== null && !parseColumn<string[]>(events).includes('match'))
    ? undefined
    : parseColumn<string[]>(rule_ids)[0];

/** The position at which `oweStored` begins, for each platform. */
export const storedSince = (since: Date): { platform: Platform; after: Position }[] =>
  PLATFORMS.map((platform) => ({ platform, after: positionAt(since.getTime()) - 1 }));

/** Counting goes no further: a backlog is then "a thousand or more". */
const BACKLOG_COUNTED = 1_000;

interface BacklogRow {
  readonly account_id: string;
  readonly webhook_id: string;
  readonly status: OwedBacklog['status'];
  readonly every: number | null;
  readonly matches: number;
  readonly oldest: Position;
}

export const backlogOf = (row: BacklogRow): OwedBacklog => ({
  accountId: row.account_id,
  webhookId: row.webhook_id,
  status: row.status,
  isBatched: row.every !== null,
  matches: row.matches,
  since: new Date(timeOf(row.oldest)),
});

/** Matches looked through in one transaction. */
const SLICE = 500;
/** Matches that SQLite reads with their payloads in one go: each may hold a megabyte. */
const READ_SLICE = 64;

const MATCHES_AT = {
  sqlite: `SELECT ${MATCH_COLUMNS.sqlite} FROM (SELECT value AS position FROM json_each($1)) ${WALKED_MATCHES}
    WHERE r.deleted = 0`,
  postgres: `SELECT m.* FROM unnest($1::bigint[]) AS p (position)
    CROSS JOIN LATERAL (SELECT ${MATCH_COLUMNS.postgres} FROM matches m ${MATCH_JOINS}
      WHERE m.position = p.position AND r.deleted = 0 OFFSET 0) m`,
};

export const owedReads = (db: Db, toMatch: ToMatch = matchOf): OwedStore => ({
  async owedMatches(webhookId, until, limit, bytes = Number.MAX_SAFE_INTEGER) {
    const rows = await WAITING_ROWS[db.dialect](db, { webhookId, until: positionAt(until.getTime()), limit, bytes });
    return withinBytes(await wholeRows(db, rows), bytes).map(toMatch);
  },
  async matchesAt(positions) {
    return (await wholeRows(db, await db.rows<MatchRow>(MATCHES_AT[db.dialect], [positions]))).map(toMatch);
  },
  async owedBacklog(limit) {
    const rows = await db.rows<BacklogRow>(
      `SELECT account_id, webhook_id, status, every, oldest,
         (SELECT count(*) FROM (SELECT 1 FROM owed WHERE webhook = number AND delivery IS NULL LIMIT ${BACKLOG_COUNTED}) o) AS matches
       FROM (SELECT w.number, w.id AS webhook_id, w.status, w.every, a.id AS account_id,
           (SELECT min(position) FROM owed WHERE webhook = w.number AND delivery IS NULL) AS oldest
         FROM webhooks w JOIN accounts a ON a.number = w.account WHERE w.status IN ('active', 'paused', 'disabled')) b
       WHERE oldest IS NOT NULL ORDER BY oldest LIMIT $1`,
      [limit],
    );
    return rows.map(backlogOf);
  },
});

/** Up to the match that brings them to this many bytes: how long a cold one is shows when it is read. */
function withinBytes(rows: readonly MatchRow[], bytes: number): readonly MatchRow[] {
  const within: MatchRow[] = [];
  for (let [at, size] = [0, 0]; at < rows.length && size < bytes; at++) {
    within.push(rows[at]!);
    size += Buffer.byteLength(rows[at]!.payload);
  }
  return within;
}

interface Waiting {
  readonly webhookId: string;
  readonly until: Position;
  readonly limit: number;
  readonly bytes: number;
}

const WAITING_ROWS: Record<Db['dialect'], (db: Db, waiting: Waiting) => Promise<MatchRow[]>> = {
  /** Matches of deleted rules wait until they leave the disk; they are passed over in slices. */
  async sqlite(db, { webhookId, until, limit, bytes }) {
    const found: MatchRow[] = [];
    let size = 0;
    for (let after = -1; ; ) {
      const rows: MatchRow[] = await db.rows<MatchRow>(
        `SELECT ${MATCH_COLUMNS.sqlite} FROM (SELECT position FROM owed INDEXED BY owed_waiting
           WHERE webhook = (SELECT number FROM webhooks WHERE id = $1) AND delivery IS NULL
             AND position > $2 AND position < $3 ORDER BY position LIMIT ${READ_SLICE}) ${WALKED_MATCHES} ORDER BY w.position`,
        [webhookId, after, until],
      );
      for (const row of rows) {
        if (row.deleted === 1 || found.length >= limit || size >= bytes) continue;
        found.push(row);
        size += Buffer.byteLength(row.payload);
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < READ_SLICE || found.length >= limit || size >= bytes) return found;
      after = last.position;
    }
  },
  postgres: (db, { webhookId, until, limit, bytes }) =>
    db.rows<MatchRow>(
      // One match after the other: a plan for all at once may begin with every match of the day.
      `SELECT * FROM (
         SELECT owed.*, sum(octet_length(payload)) OVER (ORDER BY position) - octet_length(payload) AS before FROM (
           SELECT m.* FROM (SELECT position FROM owed
             WHERE webhook = (SELECT number FROM webhooks WHERE id = $1) AND delivery IS NULL AND position < $2
             ORDER BY position) o
           CROSS JOIN LATERAL (SELECT ${MATCH_COLUMNS.postgres} FROM matches m ${MATCH_JOINS}
             WHERE m.position = o.position AND r.deleted = 0 OFFSET 0) m
           ORDER BY o.position LIMIT $3) owed) bounded
       WHERE before < $4 ORDER BY position`,
      [webhookId, until, limit, bytes],
    ),
};

/** Owes these matches to a webhook, unless they wait already or are in a delivery. Answers how many. */
export const owe = (db: Db, webhook: number, positions: readonly Position[]): Promise<number> =>
  db.run(
    `INSERT INTO owed (position, webhook) SELECT position, $2 FROM unnest($1::bigint[]) AS p (position) WHERE true
     ON CONFLICT DO NOTHING`,
    [positions, webhook],
  );

export const owedWrites = (db: Db) => ({
  /** Owes a slice of what was stored after a position and is neither waiting nor in a delivery. */
  oweStored: (accountId: string, webhookId: string, platform: Platform, after: Position) =>
    db.transaction((tx) => oweStored(tx, accountId, webhookId, platform, after)),
});

async function oweStored(
  db: Db,
  accountId: string,
  webhookId: string,
  platform: Platform,
  after: Position,
): Promise<{ owed: number; next: Position | undefined }> {
  const webhook = await db.row<Wanting & { account: number }>(
    `SELECT number, account, rule_ids, platforms, sources, events FROM webhooks
     WHERE id = $1 AND account = (SELECT number FROM accounts WHERE id = $2) AND status IN ('active', 'paused', 'disabled')
     FOR KEY SHARE`,
    [webhookId, accountId],
  );
  if (webhook === undefined) return { owed: 0, next: undefined };
  // The source of an event stands behind its payload: it is read for those alone who ask.
  const matches = await db.rows<{ position: Position; rule_id: string; source: string | null }>(
    `SELECT m.position, r.id AS rule_id, CASE WHEN $4 = 1 THEN (SELECT e.source FROM events e WHERE e.number = m.event) END AS source
     FROM matches m /*sqlite INDEXED BY matches_of_account */ JOIN rules r ON r.number = m.rule
     WHERE m.account = $1 AND m.platform = $2 AND m.position > $3 AND r.deleted = 0
       AND m.position >= (SELECT value FROM state WHERE name = 'oldest') ORDER BY m.position LIMIT ${SLICE}`,
    [webhook.account, platform, after, webhook.sources === null ? 0 : 1],
  );
  const wants = wantsOf(webhook, platform);
  const wanted = matches.filter(({ rule_id, source }) => wants(rule_id, source)).map(({ position }) => position);
  const owed = await owe(db, webhook.number, wanted);
  await ring(db, [accountId]);
  return { owed, next: matches.length < SLICE ? undefined : matches.at(-1)!.position };
}

const HOLDING = {
  sqlite: `SELECT d.number, d.status, d.digest FROM owed o JOIN deliveries d ON d.number = o.delivery WHERE o.position = ANY($1)
    UNION ALL SELECT number, status, digest FROM deliveries WHERE sent = ANY($1)`,
  // One position after the other: at once, PostgreSQL may look through all that is in any delivery.
  postgres: `SELECT d.number, d.status, d.digest FROM deliveries d
    WHERE d.number = ANY(ARRAY(SELECT o.delivery FROM unnest($1::bigint[]) AS p (position)
      CROSS JOIN LATERAL (SELECT delivery FROM owed WHERE position = p.position
        UNION ALL SELECT number FROM deliveries WHERE sent = p.position OFFSET 0) o WHERE o.delivery IS NOT NULL))
    ORDER BY d.number FOR UPDATE`,
};

/**
 * Matches leave the disk: nothing is owed of them any more, and a delivery that was made forgets its bytes. A delivery
 * still under way goes out with the bytes it has, unless a post must be erased: then it is taken apart, and what else
 * was in it waits for a new one. A digest under way is written anew, without the post.
 */
export async function forgetOwed(db: Db, positions: readonly Position[], { erase }: { erase: boolean }): Promise<void> {
  const rows = await db.rows<{ number: number; status: string; digest: number | null }>(HOLDING[db.dialect], [
    positions,
  ]);
  // A delivery may hold several of them.
  const holding = [...new Map(rows.map((row) => [row.number, row])).values()];
  const made = holding.filter(({ status }) => status !== 'pending').map(({ number }) => number);
  const pending = holding.filter(({ status }) => status === 'pending');
  const underWay = pending.filter(({ digest }) => digest === null).map(({ number }) => number);
  const digests = pending.filter(({ digest }) => digest !== null).map(({ number }) => number);
  if (made.length > 0) {
    await db.run('UPDATE deliveries SET body = NULL WHERE number = ANY($1)', [made]);
    if (erase) await forgetResponses(db, made);
  }
  if (erase && underWay.length > 0) {
    await db.run('UPDATE owed SET delivery = NULL WHERE delivery = ANY($1)', [underWay]);
    await db.run('DELETE FROM attempts WHERE delivery = ANY($1)', [underWay]);
    await db.run('DELETE FROM deliveries WHERE number = ANY($1)', [underWay]);
  }
  await db.run('DELETE FROM owed WHERE position = ANY($1)', [positions]);
  if (erase && digests.length > 0) {
    await db.run('UPDATE deliveries SET body = NULL WHERE number = ANY($1)', [digests]);
    await forgetResponses(db, digests);
  }
  for (const digest of digests)
    await db.run(
      `UPDATE deliveries SET matches = (SELECT count(*) FROM owed WHERE delivery = $1)
       WHERE number = $1 AND body IS NULL`,
      [digest],
    );
}

/** A receiver may answer with what it got. */
const forgetResponses = (db: Db, deliveries: readonly number[]): Promise<number> =>
  db.run(`UPDATE attempts SET response = '""' WHERE delivery = ANY($1)`, [deliveries]);
