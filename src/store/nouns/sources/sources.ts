/**
 * Sources that accounts have added. Sources of one key share a row of `source_fetches`, by which they are visited; it comes with the
 * first owner and goes with the last. A `note` goes into the audit log with the change.
 */
import type { Change } from '../../../domain/change.ts';
import type { Platform } from '../../../domain/platform.ts';
import type { AccountSource, SourceHealth, StoredSource } from '../../../domain/source.ts';
import { countRows, type Db } from '../../db.ts';
import { lockAccount } from '../../rows/locks.ts';
import { dateOrNone, decodeName, decodeText, encodeText, parseColumn } from '../../rows/texts.ts';
import { noteChange } from '../changes.ts';
import { endGapsOfSource } from '../coverage.ts';

export interface SourceStore {
  /** False when the account has `limit` sources already. It is visited from `createdAt` on. */
  addSource(source: NewSource, limit: number, note?: Change): Promise<boolean>;
  /** Oldest first, a few at a time: the options of one may have a quarter of a megabyte. */
  accountSources(accountId: string): AsyncIterable<StoredSource[]>;
  countSources(accountId: string): Promise<number>;
  accountSource(accountId: string, sourceId: string): Promise<StoredSource | undefined>;
  /** The sources that feed a platform for an account, together; paused ones aside. Undefined without any. */
  ownFeed(accountId: string, platform: Platform, lateBefore: Date): Promise<OwnFeed | undefined>;
  /** Replaces what its owner chose; it is visited at once, unless others have it too. False when the account has no such source. */
  changeSource(source: NewSource, now: Date, note?: Change): Promise<boolean>;
  /** The last owner takes the visits and their cursors along; a gap of it ends. False when the account has no such source. */
  deleteSource(accountId: string, sourceId: string, now: Date, note?: Change): Promise<boolean>;
}

export interface OwnFeed {
  /** When the first of them was added. */
  readonly since: Date;
  /** Up to when all of them were read; undefined while one of them was not. */
  readonly through: Date | undefined;
  /** One that nobody visits: its visit was due before the time that was asked about. */
  readonly late: string | undefined;
}

export interface NewSource extends AccountSource {
  /** The host that it visits, and which node does so: sources of one host have one shard. */
  readonly host: string;
  readonly shard: number;
}

interface SourceRow {
  readonly number: number;
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly options: string;
  readonly platforms: string;
  readonly secret: string | null;
  readonly paused: number;
  readonly fetch_key: string;
  readonly every_ms: number;
  readonly slowest_ms: number;
  readonly events: number;
  readonly created_at: number;
  readonly status: SourceHealth;
  readonly good_at: number | null;
  readonly error: string | null;
  readonly error_at: number | null;
  readonly next_at: number | null;
  readonly rate: number;
  readonly waits: string | null;
  readonly waits_at: number | null;
}

const SLICE = 10;

const LISTED = `SELECT s.number, s.id, s.name, s.kind, s.options, s.platforms, s.secret, s.paused, s.fetch_key, s.every_ms, s.slowest_ms, s.events,
    s.created_at, s.waits, s.waits_at, f.status, f.good_at, f.error, f.error_at, f.next_at, f.rate
  FROM account_sources s JOIN source_fetches f ON f.key = s.fetch_key
  WHERE s.account = (SELECT number FROM accounts WHERE id = $1)`;

type SourceReads = Pick<SourceStore, 'accountSources' | 'countSources' | 'accountSource' | 'ownFeed'>;

export const sourceReads = (db: Db): SourceReads => ({
  async *accountSources(accountId) {
    for (let after: number | undefined = 0; after !== undefined; ) {
      const rows: SourceRow[] = await db.rows<SourceRow>(
        `${LISTED} AND s.number > $2 ORDER BY s.number LIMIT ${SLICE}`,
        [accountId, after],
      );
      yield rows.map((row) => listedOf(accountId, row));
      after = rows.length < SLICE ? undefined : rows.at(-1)!.number;
    }
  },
  countSources: (accountId) =>
    countRows(db, 'account_sources', 'account = (SELECT number FROM accounts WHERE id = $1)', [accountId]),
  async accountSource(accountId, sourceId) {
    const row = await db.row<SourceRow>(`${LISTED} AND s.id = $2`, [accountId, sourceId]);
    return row && listedOf(accountId, row);
  },
  ownFeed: (accountId, platform, lateBefore) => ownFeedOf(db, accountId, platform, lateBefore),
});

async function ownFeedOf(
  db: Db,
  accountId: string,
  platform: Platform,
  lateBefore: Date,
): Promise<OwnFeed | undefined> {
  const feeding = `account_sources s JOIN source_fetches f ON f.key = s.fetch_key
    WHERE s.account = (SELECT number FROM accounts WHERE id = $1) AND s.paused = 0 AND s.platforms LIKE $2`;
  const asked = [accountId, `%"${platform}"%`];
  const row = await db.row<{ unread: number; since: number | null; through: number | null; due: number | null }>(
    `SELECT count(*) - count(f.good_at) AS unread, min(s.created_at) AS since, min(f.good_at) AS through, min(f.next_at) AS due
     FROM ${feeding}`,
    asked,
  );
  if (row === undefined || row.since === null) return undefined;
  const isLate = row.due !== null && row.due < lateBefore.getTime();
  const late = isLate
    ? await db.row<{ id: string }>(`SELECT s.id FROM ${feeding} AND f.next_at = $3 LIMIT 1`, [...asked, row.due])
    : undefined;
  return {
    since: new Date(row.since),
    through: row.unread > 0 ? undefined : dateOrNone(row.through),
    late: late?.id,
  };
}

const listedOf = (accountId: string, row: SourceRow): StoredSource => ({
  id: row.id,
  accountId,
  name: decodeName(row.name),
  kind: row.kind,
  options: parseColumn(row.options),
  platforms: parseColumn(row.platforms),
  secret: row.secret ?? undefined,
  isPaused: row.paused > 0,
  fetchKey: row.fetch_key,
  everyMs: row.every_ms,
  slowestMs: row.slowest_ms,
  createdAt: new Date(row.created_at),
  status: row.paused > 0 ? 'paused' : row.waits !== null ? 'waiting' : row.status,
  lastGoodAt: dateOrNone(row.good_at),
  lastError: troubleOf(row.waits, row.waits_at) ?? troubleOf(row.error, row.error_at),
  nextAt: row.paused > 0 ? undefined : dateOrNone(row.next_at),
  rate: row.rate,
  events: row.events,
});

const troubleOf = (message: string | null, at: number | null): StoredSource['lastError'] =>
  message === null || at === null ? undefined : { at: new Date(at), message: decodeText(message) };

export const sourceWrites = (db: Db): Pick<SourceStore, 'addSource' | 'changeSource' | 'deleteSource'> => ({
  addSource: (source, limit, note) =>
    db.transaction(async (tx) => {
      const account = (await lockAccount(tx, source.accountId))!;
      if ((await countRows(tx, 'account_sources', 'account = $1', [account])) >= limit) return false;
      const isKnown = await ensureFetch(tx, source);
      const hasRead = await readsAlready(tx, account, source);
      await tx.run(
        `INSERT INTO account_sources (id, account, created_at, name, kind, options, platforms, secret, paused, fetch_key, every_ms, slowest_ms, fresh, events)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 0)`,
        [source.id, account, source.createdAt, ...chosenOf(source), isKnown ? 1 : 0],
      );
      await settleFetch(tx, source.fetchKey, source.createdAt, source.isPaused || hasRead ? 'never' : 'always');
      await noteChange(tx, source.accountId, note);
      return true;
    }),
  changeSource: (source, now, note) => db.transaction((tx) => changeIn(tx, source, now, note)),
  deleteSource: (accountId, sourceId, now, note) =>
    db.transaction(async (tx) => {
      const before = await lockedFetch(tx, accountId, sourceId);
      if (before === undefined) return false;
      await tx.run('DELETE FROM account_sources WHERE id = $1', [sourceId]);
      await settleFetch(tx, before.fetch_key, now, 'never');
      await endGapsOfSource(tx, accountId, sourceId, now);
      await noteChange(tx, accountId, note);
      return true;
    }),
});

async function changeIn(tx: Db, source: NewSource, now: Date, note: Change | undefined): Promise<boolean> {
  const before = await lockedFetch(tx, source.accountId, source.id);
  if (before === undefined) return false;
  const isKnown = await ensureFetch(tx, source);
  const isMoved = before.fetch_key !== source.fetchKey;
  await tx.run(
    `UPDATE account_sources SET name = $2, kind = $3, options = $4, platforms = $5, secret = $6, paused = $7, fetch_key = $8,
       every_ms = $9, slowest_ms = $10, fresh = coalesce($11, fresh),
       waits = CASE WHEN $11 IS NULL THEN waits END, waits_at = CASE WHEN $11 IS NULL THEN waits_at END,
       gap_from = CASE WHEN $11 IS NULL THEN gap_from END, joined_at = CASE WHEN $11 IS NULL THEN joined_at ELSE $12::bigint END
     WHERE id = $1`,
    [source.id, ...chosenOf(source), isMoved ? (isKnown ? 1 : 0) : null, now.getTime()],
  );
  if (isMoved) {
    await settleFetch(tx, before.fetch_key, now, 'never');
    await endGapsOfSource(tx, source.accountId, source.id, now);
  }
  await settleFetch(
    tx,
    source.fetchKey,
    now,
    source.isPaused ? 'never' : isMoved || before.fresh > 0 ? 'always' : 'alone',
  );
  await noteChange(tx, source.accountId, note);
  return true;
}

const chosenOf = (source: AccountSource) => [
  encodeText(source.name),
  source.kind,
  JSON.stringify(source.options),
  JSON.stringify(source.platforms),
  source.secret ?? null,
  source.isPaused ? 1 : 0,
  source.fetchKey,
  source.everyMs,
  source.slowestMs,
];

async function lockedFetch(db: Db, accountId: string, sourceId: string) {
  const account = await lockAccount(db, accountId);
  if (account === undefined) return undefined;
  return db.row<{ fetch_key: string; fresh: number }>(
    'SELECT fetch_key, fresh FROM account_sources WHERE id = $1 AND account = $2',
    [sourceId, account],
  );
}

/** Whether it was visited before, for others. It is locked until the end of the transaction: another owner may be about to go. */
async function ensureFetch(db: Db, { fetchKey, host, shard, kind, options, secret }: NewSource): Promise<boolean> {
  const before = await db.row('SELECT key FROM source_fetches WHERE key = $1', [fetchKey]);
  // A visit that was under way when the last owner went may have stored a cursor since.
  if (before === undefined) await db.run(FORGET_CURSORS[db.dialect], [fetchKey]);
  await db.run(
    `INSERT INTO source_fetches (key, host, shard, kind, options, secret, every_ms, slowest_ms, interval_ms, status, rate, failures, visits)
     VALUES ($1, $2, $3, $4, $5, $6, 0, 0, 0, 'waiting', 0, 0, 0) ON CONFLICT (key) DO UPDATE SET secret = excluded.secret`,
    [fetchKey, encodeText(host), shard, kind, JSON.stringify(options), secret ?? null],
  );
  const fetch = await db.row<{ visits: number }>('SELECT visits FROM source_fetches WHERE key = $1 FOR UPDATE', [
    fetchKey,
  ]);
  return fetch!.visits > 0;
}

/** Whether the account reads the same from another source of its own. One that comes again and again then hastens no visit. */
const readsAlready = async (db: Db, account: number, { fetchKey }: NewSource): Promise<boolean> =>
  (await db.row('SELECT 1 FROM account_sources WHERE fetch_key = $1 AND account = $2 AND paused = 0 LIMIT 1', [
    fetchKey,
    account,
  ])) !== undefined;

/** Cursors are named after the key, alone or with an address after a space. */
const FORGET_CURSORS: Record<Db['dialect'], string> = {
  sqlite: `DELETE FROM cursors WHERE name >= 'source:' || $1 AND name < 'source:' || $1 || '!'`,
  postgres: `DELETE FROM cursors WHERE name COLLATE "C" >= 'source:' || $1 AND name COLLATE "C" < 'source:' || $1 || '!'`,
};

/** Whether there is a visit at once: for one that joins, or that is alone. Others have none before their time for what one of them changes. */
type AtOnce = 'always' | 'alone' | 'never';

/**
 * After owners have changed: without one the visits end, with paused ones alone they rest, and else the most eager owner's bounds hold.
 * The oldest of them decides the rest, such as the pause between requests.
 */
async function settleFetch(db: Db, key: string, now: Date, atOnce: AtOnce): Promise<void> {
  await db.row('SELECT key FROM source_fetches WHERE key = $1 FOR UPDATE', [key]);
  const owners = await db.row<{ owners: number; reading: number; every: number | null; slowest: number | null }>(
    `SELECT count(*) AS owners, count(CASE WHEN paused = 0 THEN 1 END) AS reading, min(CASE WHEN paused = 0 THEN every_ms END) AS every, min(CASE WHEN paused = 0 THEN slowest_ms END) AS slowest
     FROM account_sources WHERE fetch_key = $1`,
    [key],
  );
  if (owners!.owners === 0) {
    await db.run('DELETE FROM source_fetches WHERE key = $1', [key]);
    await db.run(FORGET_CURSORS[db.dialect], [key]);
    return;
  }
  const isAtOnce = atOnce === 'always' || (atOnce === 'alone' && owners!.reading === 1);
  await db.run(
    `UPDATE source_fetches SET every_ms = coalesce($2, every_ms), slowest_ms = coalesce($3, slowest_ms), interval_ms = coalesce($2, interval_ms),
       next_at = CASE WHEN $2::bigint IS NULL THEN NULL WHEN $5 = 1 THEN $4::bigint
         ELSE least(coalesce(next_at, $4::bigint), coalesce(visited_at + $2::bigint, $4::bigint)) END,
       options = (SELECT s.options FROM account_sources s WHERE s.fetch_key = $1 ORDER BY s.number LIMIT 1) WHERE key = $1`,
    [key, owners!.every, owners!.slowest, now, Number(isAtOnce)],
  );
}
