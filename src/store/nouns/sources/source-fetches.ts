/** Visits of the sources of accounts: which is next, for whom it reads, and what it found. Not scoped by account. */
import type { Gap } from '../../../domain/coverage.ts';
import type { Platform } from '../../../domain/platform.ts';
import type { AccountSourceState, SourceHealth } from '../../../domain/source.ts';
import type { Db } from '../../db.ts';
import { dateOrNone, decodeName, decodeText, encodeText, parseColumn, textOrNull } from '../../rows/texts.ts';
import { putGaps } from '../coverage.ts';
import { countUse, type SourceUse, type UseOfAccount, useOf } from './source-use.ts';

export interface SourceFetchStore {
  /** The fetches of these shards that are due by a time, the earliest first; if none is, the one that is next. */
  nextFetches(shards: readonly number[], without: NotNow, wanted: DueWanted): Promise<SourceFetch[]>;
  /** How many should have been visited by now, counted up to a thousand, and since when the first of them. */
  dueFetches(now: Date): Promise<{ due: number; since: Date | undefined }>;
  /** For whom a visit reads; without paused sources. */
  fetchOwners(key: string): Promise<FetchOwner[]>;
  /** Writes down visits, but for those of which another was written down since the fetch was read. Answers which were. */
  noteVisits(visits: readonly SourceVisit[]): Promise<boolean[]>;
  /** The bytes and fetches that the sources of these accounts took in the day and in the hour of a time. */
  sourceUse(accountIds: readonly string[], at: Date): Promise<ReadonlyMap<string, SourceUse>>;
  /** Counts what an account took beside visits. */
  countSourceUse(use: UseOfAccount, at: Date): Promise<void>;
}

/** Fetches that wait although they may be due. */
export interface NotNow {
  /** Hosts that are being visited. */
  readonly hosts: readonly string[];
  /** Accounts that have visits enough under way: a fetch of which they are the only owners waits. */
  readonly accounts: readonly string[];
}

export interface DueWanted {
  readonly by: Date;
  readonly most: number;
}

export interface SourceFetch extends Omit<AccountSourceState, 'nextAt'> {
  readonly key: string;
  readonly host: string;
  readonly kind: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly secret: string | undefined;
  readonly everyMs: number;
  readonly slowestMs: number;
  /** Between the last two visits. */
  readonly intervalMs: number;
  readonly nextAt: Date;
  readonly visitedAt: Date | undefined;
  readonly failures: number;
  /** How often it was visited. */
  readonly visits: number;
}

export interface FetchOwner {
  readonly sourceId: string;
  readonly accountId: string;
  readonly name: string;
  readonly platforms: readonly Platform[];
  /** How often it wants to be read at most: others who share the fetch may want it more often. */
  readonly everyMs: number;
  /** When it was added, or changed to what it reads now. */
  readonly joinedAt: Date;
  /** It came to visits that others have had for longer: it has not seen what they saw. */
  readonly isFresh: boolean;
  /** It was left out of the last visits, since then. */
  readonly waitsSince: Date | undefined;
  /** The beginning of the gap that it has now: it was left out, or what it reads has failed. */
  readonly gapFrom: Date | undefined;
}

export interface SourceVisit extends Omit<AccountSourceState, 'nextAt'> {
  readonly key: string;
  /** `visits` of the fetch as it was read. */
  readonly visits: number;
  readonly at: Date;
  /** `nextAt` of the fetch as it was read: where an owner has come meanwhile, it stays as that owner set it. */
  readonly dueAt: Date;
  readonly nextAt: Date;
  readonly intervalMs: number;
  readonly failures: number;
  /** Owners for whom it was made. Without any, nothing was read. */
  readonly owners: readonly VisitedOwner[];
  /** Owners that were left out, why, and since when. */
  readonly waiting?: readonly { readonly sourceId: string; readonly message: string; readonly since: Date }[];
  /** Gaps of its sources, which are stored with it; not those of sources that were deleted or, where they begin, paused meanwhile. */
  readonly gaps?: readonly Gap[];
}

/** The number of events that an owner got, and what counts for its account. */
export interface VisitedOwner extends UseOfAccount {
  readonly sourceId: string;
  readonly events: number;
  /** Nothing could be read for it: it goes on as if the visit had not been made. */
  readonly isUnread?: boolean;
}

interface FetchRow {
  readonly key: string;
  readonly host: string;
  readonly kind: string;
  readonly options: string;
  readonly secret: string | null;
  readonly every_ms: number;
  readonly slowest_ms: number;
  readonly interval_ms: number;
  readonly next_at: number;
  readonly visited_at: number | null;
  readonly good_at: number | null;
  readonly error: string | null;
  readonly error_at: number | null;
  readonly status: SourceHealth;
  readonly rate: number;
  readonly failures: number;
  readonly visits: number;
}

interface OwnerRow {
  readonly id: string;
  readonly account_id: string;
  readonly name: string;
  readonly platforms: string;
  readonly every_ms: number;
  readonly fresh: number;
  readonly waits_at: number | null;
  readonly gap_from: number | null;
  readonly joined_at: number;
}

/** Counting goes no further. */
const DUE_COUNTED = 1_000;

const OF_OTHERS = `AND EXISTS (SELECT 1 FROM account_sources s JOIN accounts a ON a.number = s.account
  WHERE s.fetch_key = f.key AND s.paused = 0 AND NOT a.id = ANY($5::text[]))`;

type FetchWrites = Pick<SourceFetchStore, 'noteVisits' | 'countSourceUse'>;
type FetchReads = Omit<SourceFetchStore, keyof FetchWrites>;

export const sourceFetchReads = (db: Db): FetchReads => ({
  async nextFetches(shards, { hosts, accounts }, { by, most }) {
    const read = async (until: number, limit: number) => {
      const rows = await db.rows<FetchRow>(
        `SELECT f.* FROM source_fetches f WHERE f.next_at <= $4 AND f.shard = ANY($1::bigint[]) AND NOT f.host = ANY($2::text[])
           ${accounts.length === 0 ? '' : OF_OTHERS} ORDER BY f.next_at LIMIT $3`,
        [shards, hosts.map(encodeText), limit, until, ...(accounts.length === 0 ? [] : [accounts])],
      );
      return rows.map(fetchOf);
    };
    const due = await read(by.getTime(), most);
    return due.length > 0 ? due : read(Number.MAX_SAFE_INTEGER, 1);
  },
  async dueFetches(now) {
    const row = await db.row<{ due: number; since: number | null }>(
      `SELECT count(*) AS due, min(next_at) AS since
       FROM (SELECT next_at FROM source_fetches WHERE next_at <= $1 ORDER BY next_at LIMIT ${DUE_COUNTED}) d`,
      [now],
    );
    return { due: row!.due, since: dateOrNone(row!.since) };
  },
  async fetchOwners(key) {
    const rows = await db.rows<OwnerRow>(
      `SELECT s.id, a.id AS account_id, s.name, s.platforms, s.every_ms, s.fresh, s.waits_at, s.gap_from,
         coalesce(s.joined_at, s.created_at) AS joined_at
       FROM account_sources s JOIN accounts a ON a.number = s.account WHERE s.fetch_key = $1 AND s.paused = 0 ORDER BY s.number`,
      [key],
    );
    return rows.map(ownerOf);
  },
  sourceUse: (accountIds, at) => useOf(db, accountIds, at),
});

const ownerOf = (row: OwnerRow): FetchOwner => ({
  sourceId: row.id,
  accountId: row.account_id,
  name: decodeName(row.name),
  platforms: parseColumn(row.platforms),
  everyMs: row.every_ms,
  joinedAt: new Date(row.joined_at),
  isFresh: row.fresh > 0,
  waitsSince: dateOrNone(row.waits_at),
  gapFrom: dateOrNone(row.gap_from),
});

const fetchOf = (row: FetchRow): SourceFetch => ({
  key: row.key,
  host: decodeText(row.host),
  kind: row.kind,
  options: parseColumn(row.options),
  secret: row.secret ?? undefined,
  everyMs: row.every_ms,
  slowestMs: row.slowest_ms,
  intervalMs: row.interval_ms,
  nextAt: new Date(row.next_at),
  visitedAt: dateOrNone(row.visited_at),
  lastGoodAt: dateOrNone(row.good_at),
  lastError:
    row.error === null || row.error_at === null
      ? undefined
      : { at: new Date(row.error_at), message: decodeText(row.error) },
  status: row.status,
  rate: row.rate,
  failures: row.failures,
  visits: row.visits,
});

export const sourceFetchWrites = (db: Db): FetchWrites => ({
  noteVisits: (visits) =>
    db.transaction(async (tx) => {
      const noted = new Map<SourceVisit, boolean>();
      // By their keys, so that two transactions never wait for each other.
      for (const visit of visits.toSorted((one, other) => (one.key < other.key ? -1 : 1)))
        noted.set(visit, await noteIn(tx, visit));
      const counted = visits.filter((visit) => noted.get(visit));
      if (counted.length > 0) {
        const uses = counted.flatMap(({ owners }) => owners);
        await countUse(tx, counted[0]!.at, uses);
      }
      return visits.map((visit) => noted.get(visit)!);
    }),
  countSourceUse: (use, at) => db.transaction((tx) => countUse(tx, at, [use])),
});

async function noteIn(tx: Db, visit: SourceVisit): Promise<boolean> {
  const { key, visits, at, dueAt, nextAt, intervalMs, failures, status, lastGoodAt, lastError, rate } = visit;
  const { owners, waiting = [], gaps = [] } = visit;
  // Owners may have come, or all have paused it meanwhile: then it is visited when they said.
  const noted = await tx.run(
    `UPDATE source_fetches SET visits = visits + 1, visited_at = $3, next_at = CASE WHEN next_at = $12 THEN $4::bigint ELSE next_at END,
       interval_ms = $5, failures = $6, status = $7, good_at = $8, error = $9, error_at = $10, rate = $11
     WHERE key = $1 AND visits = $2`,
    [
      [key, visits, at, nextAt, intervalMs, failures, status, lastGoodAt ?? null],
      [textOrNull(lastError?.message), lastError?.at ?? null, rate, dueAt],
    ].flat(),
  );
  if (noted === 0) return false;
  await markOwners(tx, key, owners);
  for (const { sourceId, events } of owners)
    if (events > 0) await tx.run('UPDATE account_sources SET events = events + $2 WHERE id = $1', [sourceId, events]);
  for (const { sourceId, message, since } of waiting)
    await tx.run('UPDATE account_sources SET waits = $2, waits_at = coalesce(waits_at, $3) WHERE id = $1', [
      sourceId,
      encodeText(message),
      since,
    ]);
  if (gaps.length > 0) await putGapsOfOwners(tx, key, gaps);
  return true;
}

/** An owner that got nothing has not seen what the others saw. If nobody got anything, all go on from where they were. */
async function markOwners(tx: Db, key: string, owners: readonly VisitedOwner[]): Promise<void> {
  const idsOf = (some: readonly VisitedOwner[]) => some.map(({ sourceId }) => sourceId);
  const served = idsOf(owners.filter(({ isUnread }) => isUnread !== true));
  const unread = idsOf(owners.filter(({ isUnread }) => isUnread === true));
  if (served.length > 0)
    await tx.run(
      `UPDATE account_sources SET fresh = CASE WHEN id = ANY($2::text[]) THEN 0 ELSE 1 END,
         waits = CASE WHEN id = ANY($2::text[]) THEN NULL ELSE waits END, waits_at = CASE WHEN id = ANY($2::text[]) THEN NULL ELSE waits_at END
       WHERE fetch_key = $1 AND NOT id = ANY($3::text[])
         AND (fresh <> CASE WHEN id = ANY($2::text[]) THEN 0 ELSE 1 END OR waits_at IS NOT NULL)`,
      [key, served, unread],
    );
  // They wait no longer for their turn, but what they have missed since then is still to come.
  if (unread.length > 0)
    await tx.run('UPDATE account_sources SET waits = NULL WHERE id = ANY($1::text[]) AND waits IS NOT NULL', [unread]);
}

async function putGapsOfOwners(tx: Db, key: string, gaps: readonly Gap[]): Promise<void> {
  const rows = await tx.rows<Pick<OwnerRow, 'id'> & { readonly paused: number }>(
    'SELECT id, paused FROM account_sources WHERE fetch_key = $1',
    [key],
  );
  const left = new Map(rows.map(({ id, paused }) => [id, paused > 0]));
  const isTold = ({ source = '', to }: Gap) => left.has(source) && (to !== undefined || left.get(source) === false);
  const told = gaps.filter(isTold);
  await putGaps(tx, told);
  // A source has a gap on each of its platforms, all from one time.
  for (const [source, { from, to }] of new Map(told.map((gap) => [gap.source!, gap])))
    await tx.run('UPDATE account_sources SET gap_from = $2 WHERE id = $1', [
      source,
      to === undefined ? from.getTime() : null,
    ]);
}
