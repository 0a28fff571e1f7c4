/**
 * The store on SQLite, in one file. `node:sqlite` works synchronously: every read is short, what may be long is cut into
 * slices with a turn for others after each, and writes run in a thread of their own.
 */
import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { systemClock } from '../base/clock.ts';
import type { coldObjectWrites } from './nouns/cold/cold-objects.ts';
import { erasureStore } from './nouns/erasure/erasure.ts';
import type { RecentLimits } from './nouns/recent.ts';
import { nounReads, nounStore } from './nouns.ts';
import { madeInTurns, textEvents } from './rows/commit.ts';
import { packCommit, unpackCommitted } from './rows/packed-commit.ts';
import { IN_MEMORY, pragma } from './sqlite/connection.ts';
import { inTurns, readingDb, writingDb } from './sqlite/db.ts';
import { type Keeper, keep, keepOpen } from './sqlite/keeper.ts';
import { walkSteps } from './sqlite/match-steps.ts';
import { connectInMemory } from './sqlite/migrate.ts';
import { readInTurns, sharedVersion } from './sqlite/reading-turns.ts';
import { retentionReads } from './sqlite/retention.ts';
import { type Sql, sqlOf, versionOf } from './sqlite/sql.ts';
import { threadWriter, type Writer } from './sqlite/writer.ts';
import { callsOn, type WriteOptions, type Writes, writesBy, writesOf } from './sqlite/writes.ts';
import type { CommitStore, Store, StoreOptions } from './store.ts';

/** About 64 MiB of recent events in each ring. */
const RECENT: RecentLimits = { events: 50_000, bytes: 64 * 1024 * 1024 };
const RETENTION_DAYS = 30;
const ERASURE_DAYS = 400;

/** Opens or makes the database at this path; `:memory:` is for tests. `program` is what the thread that writes runs. */
export async function openSqlite(path: string, options: StoreOptions = {}, program?: URL): Promise<Store> {
  const limits = limitsOf(options);
  const parts = path === IN_MEMORY ? partsOn(connectInMemory(), limits) : partsAt(path, limits, program);
  await parts.read(() => {});
  return storeOf(parts, limits, options);
}

/** The store on a connection that is open already: everything happens on it, one call at a time. */
export const storeOnConnection = (db: DatabaseSync, options: StoreOptions = {}): Store => {
  const limits = limitsOf(options);
  return storeOf(partsOn(db, limits), limits, options);
};

function limitsOf({
  retentionDays = RETENTION_DAYS,
  erasureDays = ERASURE_DAYS,
  recent,
  settleAfter,
  textKey,
}: StoreOptions): WriteOptions {
  return {
    retentionDays,
    erasureDays: Math.max(erasureDays, retentionDays),
    recent: { ...RECENT, ...recent },
    settleAfter,
    textKey,
  };
}

interface StoreParts extends Writer {
  readonly read: Keeper<Sql>['run'];
  readonly backup: Store['backup'];
  readonly databaseBytes: Store['databaseBytes'];
  readonly figures: Store['figures'];
}

function storeOf(
  parts: StoreParts,
  options: WriteOptions,
  { clock = systemClock, cold }: Pick<StoreOptions, 'clock' | 'cold'>,
): Store {
  const { read } = parts;
  const { version, forget } = sharedVersion(() => read(versionOf));
  const all = writesBy((name, args) => parts.write(name, args).finally(forget), options);
  const { commit, settle, removeSlice, checkAt, backup: _, ...more } = all;
  const { deleteMatchesAt, eraseEverywhereAt, eraseAnnouncedAt, goOnErasingAt, applyTombstones, ...others } = more;
  const { coldWrites, writes } = apart(others);
  const erasing = { deleteMatchesAt, eraseEverywhereAt, eraseAnnouncedAt, goOnErasingAt, applyTombstones };
  const db = { ...readingDb(read), cold };
  return {
    ...nounStore(settledFirst(nounReads(db, walkSteps(read)), settle), writes, clock),
    ...erasureStore(erasing, clock),
    ...coldWrites,
    ...retentionReads(db, options.retentionDays),
    ...commits(commit),
    removeSlice,
    recentKept: async () => {},
    check: (room = 0) => checkAt(clock.now(), room),
    version,
    databaseBytes: parts.databaseBytes,
    figures: parts.figures,
    backup: parts.backup,
    isShared: false,
    // One process serves from a file, and knows what it writes.
    bell: async () => async () => {},
    [Symbol.asyncDispose]: parts.close,
  };
}

/** Parts the writes of objects with old matches from the others. */
function apart<All extends ReturnType<typeof coldObjectWrites>>(all: All) {
  const { planColdObject, recordColdObject, replaceColdObject, recordColdMerge, ...more } = all;
  const { noteColdOutcome, takeColdLeftovers, forgetColdLeftovers, ...writes } = more;
  const taken = { planColdObject, recordColdObject, replaceColdObject, recordColdMerge };
  return { coldWrites: { ...taken, noteColdOutcome, takeColdLeftovers, forgetColdLeftovers }, writes };
}

/** Minutes of many rules at once: what is not settled would be added to each of them. */
function settledFirst(reads: ReturnType<typeof nounReads>, settle: () => Promise<void>): typeof reads {
  const after =
    <Args extends readonly unknown[], Answer>(read: (...args: Args) => Promise<Answer>) =>
    async (...args: Args): Promise<Answer> => {
      await settle();
      return read(...args);
    };
  return {
    ...reads,
    watchedIn: after(reads.watchedIn),
    watchesOf: after(reads.watchesOf),
    dueWatches: after(reads.dueWatches),
    minutesOf: after(reads.minutesOf),
  };
}

const commits = (write: Writes['commit']): Pick<CommitStore, 'commit'> => ({
  async commit(batch) {
    const packing = packCommit({ ...batch, events: textEvents(batch) });
    const { packed, places } = await madeInTurns(packing);
    return unpackCommitted(await write(packed), places, batch.events.length);
  },
});

function partsAt(path: string, options: WriteOptions, program: URL | undefined): StoreParts {
  const { run, close } = keep(path, sqlOf, { writes: false });
  const writer = threadWriter({ path, options }, program);
  return {
    read: readInTurns(run),
    write: writer.write,
    databaseBytes: async () => sizeOf(path) + sizeOf(`${path}-wal`),
    figures: writer.figures,
    async backup(to) {
      const copier = threadWriter({ path, options }, program);
      try {
        await copier.write('backup', [to]);
      } finally {
        await copier.close();
      }
    },
    async close() {
      await writer.close();
      close();
    },
  };
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** A database in memory has one connection: what is read must not see half of what is written. */
function partsOn(file: DatabaseSync, options: WriteOptions): StoreParts {
  const inTurn = inTurns();
  const { run, close } = keepOpen(file, (db) => {
    const sql = sqlOf(db);
    return { sql, call: callsOn(writesOf(writingDb(sql, options.textKey), options), inTurn) };
  });
  const write: Writer['write'] = (name, args) => run(({ call }) => call(name, args));
  const read = readInTurns((work) => inTurn(() => run(({ sql }, db) => work(sql, db))));
  return {
    read,
    write,
    databaseBytes: () => read((_, db) => Number(pragma(db, 'page_count')) * Number(pragma(db, 'page_size'))),
    // Every call is done when the next one is asked.
    figures: () => ({ connections: { open: 1, idle: 1, waiting: 0 }, lock: { waits: 0, seconds: 0 } }),
    backup: async (to) => void (await write('backup', [to])),
    close: async () => close(),
  };
}
