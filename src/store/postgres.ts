/**
 * The store on PostgreSQL, for several nodes at once. Commits give out positions one after the other under one lock, so
 * every node sees matches in the same order; everything else locks no more than the rows it changes.
 */
import { type Clock, systemClock } from '../base/clock.ts';
import type { Db } from './db.ts';
import { StoreError } from './error.ts';
import { coldObjectWrites } from './nouns/cold/cold-objects.ts';
import { erasingOf, erasureStore, erasureWrites } from './nouns/erasure/erasure.ts';
import { CHANNEL, readNotice } from './nouns/nodes.ts';
import type { RecentLimits, RecentStore } from './nouns/recent.ts';
import { nounReads, nounStore, nounWrites } from './nouns.ts';
import { createCommits } from './postgres/commit.ts';
import { connectPostgres, type Database } from './postgres/connection.ts';
import { walkSteps } from './postgres/match-steps.ts';
import { migratePostgres } from './postgres/migrate.ts';
import { createPartitions } from './postgres/partitions.ts';
import { removalStore } from './postgres/removal.ts';
import { storedPosts } from './postgres/take-matches.ts';
import type { HouseStore, NodeStore, Store, StoreOptions } from './store.ts';

const RECENT: RecentLimits = { events: 50_000, bytes: 64 * 1024 * 1024 };
const RETENTION_DAYS = 30;
const ERASURE_DAYS = 400;

/** Opens the database at this address, and brings it to this version. */
export async function openPostgres(url: string, options: StoreOptions = {}): Promise<Store> {
  const database = connectPostgres(url, { textKey: options.textKey });
  try {
    await migratePostgres(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  return storeOn(database, options);
}

/** The store on an open database. */
export function storeOn(database: Database, options: StoreOptions = {}): Store {
  const { clock = systemClock, retentionDays = RETENTION_DAYS, erasureDays = ERASURE_DAYS } = options;
  const recent = { ...RECENT, ...options.recent };
  const partitions = createPartitions(database);
  const commits = createCommits(database, { partitions, recent, notify: options.notify ?? true });
  const erasing = { days: Math.max(erasureDays, retentionDays), posts: storedPosts, mostErased: recent.erased };
  const reads = nounReads({ ...database, cold: options.cold }, walkSteps(database));
  return {
    ...nounStore({ ...reads, ...keptFirst(reads, commits.recentKept) }, nounWrites(database), clock),
    ...coldObjectWrites(database),
    ...erasureStore(erasureWrites(database, erasing), clock),
    ...removalStore(database, { retentionDays, partitions, erasing: erasingOf(erasing) }),
    ...houseStore(database, clock),
    ...nodeStore(database),
    commit: commits.commit,
    recentKept: commits.recentKept,
    figures: () => ({ connections: database.connections, lock: { ...commits.lock } }),
    async [Symbol.asyncDispose]() {
      await commits.close();
      await database.close();
    },
  };
}

/** This process reads its own commits among the recent events. */
const keptFirst = ({ recentEvents, recentTotals }: RecentStore, kept: () => Promise<void>): RecentStore => ({
  async *recentEvents(...asked) {
    await kept();
    yield* recentEvents(...asked);
  },
  async recentTotals(platform) {
    await kept();
    return recentTotals(platform);
  },
});

const nodeStore = (database: Database): Pick<NodeStore, 'isShared' | 'bell'> => ({
  isShared: true,
  bell: (hear) => database.listen(CHANNEL, (payload) => hear(readNotice(payload))),
});

const houseStore = (
  database: Database,
  clock: Clock,
): Pick<HouseStore, 'version' | 'databaseBytes' | 'backup' | 'check'> => ({
  async version() {
    // A snapshot differs when anything is written, by any process: it names what is committed and what is under way.
    const row = await database.row<{ version: string }>('SELECT pg_current_snapshot()::text AS version');
    return row!.version;
  },
  async databaseBytes() {
    const row = await database.row<{ bytes: number }>('SELECT pg_database_size(current_database()) AS bytes');
    return row!.bytes;
  },
  backup: () =>
    Promise.reject(new StoreError('defect', 'A PostgreSQL database is copied with its own tools: see pg_dump.')),
  async check(room = 0) {
    await checkServer(database);
    await database.run(`UPDATE state SET value = $1 WHERE name = 'checked'`, [clock.now().getTime()]);
    if (room > 0) await checkSpace(database, room);
  },
});

/** Each with what it must read back; anything else loses what was acknowledged. */
const SETTINGS: Readonly<Record<string, readonly string[]>> = {
  fsync: ['on'],
  full_page_writes: ['on'],
  synchronous_commit: ['on', 'remote_write', 'remote_apply', 'local'],
};

/** Whether the server keeps what it acknowledges, and has room for more. */
export async function checkServer(db: Db): Promise<void> {
  for (const [name, expected] of Object.entries(SETTINGS)) {
    const [row] = await db.rows<{ value: string }>('SELECT current_setting($1) AS value', [name]);
    if (row !== undefined && expected.includes(row.value)) continue;
    throw new StoreError('settings', `PostgreSQL has ${name} = ${row?.value} where it must be ${expected[0]}.`);
  }
}

/** Throws when so many bytes do not fit. PostgreSQL takes space for a table of this session, and gives it back. */
export async function checkSpace(database: Database, room: number): Promise<void> {
  await database.transaction(async (db) => {
    await db.run('CREATE TEMPORARY TABLE room (bytes bytea) ON COMMIT DROP');
    // As they are: compressed, they would take no space.
    await db.run('ALTER TABLE room ALTER bytes SET STORAGE EXTERNAL');
    await db.run(`INSERT INTO room VALUES (decode(repeat('00', $1), 'hex'))`, [room]);
  });
}
