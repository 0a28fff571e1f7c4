/**
 * The store on SQLite, in one file. `node:sqlite` works synchronously: every read is short, what may be long is cut into
 * slices with a breath between them, and writes run in a thread of their own.
 */
import { statSync } from 'node:fs';
import { type Clock, systemClock } from '../base/clock.ts';
import type { RecentLimits } from './rows/recent.ts';
import {
  accountCalls,
  alertCalls,
  answerCalls,
  type Calls,
  changeCalls,
  coverageCalls,
  erasureCalls,
  grantCalls,
  matchCalls,
  nodeCalls,
  ratingCalls,
  rehearsalCalls,
  ruleCalls,
  sharedFeedCalls,
  subscriptionCalls,
  upstreamCalls,
  viewCalls,
  webhookCalls,
} from './sqlite/calls.ts';
import { IN_MEMORY, pragma } from './sqlite/connection.ts';
import { keep } from './sqlite/keeper.ts';
import { readsOf } from './sqlite/reads.ts';
import { sqlOf } from './sqlite/sql.ts';
import { sharedVersion } from './sqlite/version.ts';
import { threadWriter, type Writer } from './sqlite/writer.ts';
import { callByName, type Write, type WriteOptions, writesOf } from './sqlite/writes.ts';
import type { Store, StoreOptions } from './store.ts';

/** About 64 MiB of recent events in each ring. */
const RECENT: RecentLimits = { events: 50_000, bytes: 64 * 1024 * 1024 };
const RETENTION_DAYS = 30;
const ERASURE_DAYS = 400;

/** Opens or makes the database at this path; `:memory:` is for tests. `program` is what the thread that writes runs. */
export async function openSqlite(path: string, options: StoreOptions = {}, program?: URL): Promise<Store> {
  const { clock = systemClock, retentionDays = RETENTION_DAYS, erasureDays = ERASURE_DAYS, recent } = options;
  const limits = {
    retentionDays,
    erasureDays: Math.max(erasureDays, retentionDays),
    recent: { ...RECENT, ...recent },
    settleAfter: options.settleAfter,
  };
  const parts = openParts(path, limits, program);
  await parts.read(() => {});
  return storeOf(parts, clock);
}

/** The store made of its parts. */
export function storeOf(parts: StoreParts, clock: Clock): Store {
  const { read } = parts;
  const { version, forget } = sharedVersion(() => read((db) => db.version()));
  const write: Write = (name, ...args) => parts.write(name, ...args).finally(forget);
  const calls: Calls = { read, write };
  return {
    ...accountCalls(calls),
    ...grantCalls(calls),
    ...ruleCalls(calls),
    ...answerCalls(calls, clock),
    ...matchCalls(calls),
    ...erasureCalls(calls, clock),
    ...changeCalls(calls),
    ...ratingCalls(calls),
    ...viewCalls(calls),
    ...alertCalls(calls),
    ...rehearsalCalls(calls),
    ...webhookCalls(calls),
    ...subscriptionCalls(calls),
    ...sharedFeedCalls(calls),
    ...upstreamCalls(calls),
    ...coverageCalls(calls),
    ...nodeCalls(calls),
    version,
    removeSlice: (now) => write('removeSlice', now),
    retentionBacklog: (now) => read((db) => db.retentionBacklog(now)),
    databaseBytes: parts.databaseBytes,
    figures: parts.figures,
    backup: parts.backup,
    check: (room = 0) => write('check', clock.now(), room),
    [Symbol.asyncDispose]: parts.close,
  };
}

export interface StoreParts extends Writer {
  readonly read: Calls['read'];
  readonly backup: Store['backup'];
  readonly databaseBytes: Store['databaseBytes'];
  readonly figures: Store['figures'];
}

function openParts(path: string, options: WriteOptions, program: URL | undefined): StoreParts {
  if (path === IN_MEMORY) return openInMemory(options);
  const { run, close } = keep(path, (db) => readsOf(sqlOf(db), options), { writes: false });
  const writer = threadWriter({ path, options }, program);
  return {
    read: run,
    write: writer.write,
    databaseBytes: async () => sizeOf(path) + sizeOf(`${path}-wal`),
    figures: writer.figures,
    async backup(to) {
      const copier = threadWriter({ path, options }, program);
      try {
        await copier.write('backup', to);
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

/** A database in memory has one connection, so everything happens where it was asked for. */
function openInMemory(options: WriteOptions): StoreParts {
  const { run, close } = keep(IN_MEMORY, (db) => {
    const sql = sqlOf(db);
    return { reads: readsOf(sql, options), writes: writesOf(sql, options) };
  });
  const call = (name: string, ...args: readonly unknown[]) => run(({ writes }) => callByName(writes, name, args));
  const write = call as Write;
  return {
    read: (work) => run(({ reads }, db) => work(reads, db)),
    write,
    databaseBytes: () => run((_, db) => Number(pragma(db, 'page_count')) * Number(pragma(db, 'page_size'))),
    // Every call is done when the next one is asked.
    figures: () => ({ connections: { open: 1, idle: 1, waiting: 0 }, lock: { waits: 0, seconds: 0 } }),
    backup: (to) => write('backup', to),
    close: async () => close(),
  };
}
