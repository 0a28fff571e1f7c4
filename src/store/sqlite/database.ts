/**
 * The open database and all that can be asked of it. After a failed write or sync the state of the file behind the
 * connection is unknown, so the connection is given up, and the next call opens and checks a new one.
 */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { backup, type DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { StoreError } from '../error.ts';
import { accountReads, accountWrites } from './accounts.ts';
import { answerReads, answerWrites } from './answers.ts';
import { commitWrites } from './commit.ts';
import { checkSettings, connect, inOurWords } from './connection.ts';
import { matchReads } from './matches.ts';
import { migrate } from './migrate.ts';
import { minuteReads } from './minutes.ts';
import { type RecentLimits, recentReads, recentWrites } from './recent.ts';
import { removalWrites } from './removal.ts';
import { ruleWrites } from './rule-writes.ts';
import { ruleReads } from './rules.ts';

export interface DatabaseOptions {
  readonly now: () => number;
  readonly retentionDays: number;
  readonly recent: RecentLimits;
}

type Parts = ReturnType<typeof partsOf>;

export interface Database {
  /** Everything goes through here: it opens the file when it must, and puts errors into our words. */
  readonly run: <T>(work: (parts: Parts) => T | Promise<T>) => Promise<T>;
  readonly backup: (path: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Lets other work of the program go on. */
export const breathe = (): Promise<void> => setImmediate();

export function database(path: string, options: DatabaseOptions): Database {
  let open: { db: DatabaseSync; parts: Parts } | undefined;
  let closed = false;

  function opened(): { db: DatabaseSync; parts: Parts } {
    if (closed) throw new StoreError('defect', 'The store is closed.');
    open ??= openAt(path, options);
    return open;
  }
  function giveUp(error: unknown): void {
    // A database in memory has nothing to open again.
    if (path === ':memory:' || !(error instanceof StoreError) || error.reason !== 'unwritable') return;
    const { db } = open ?? {};
    open = undefined;
    if (db?.isOpen) db.close();
  }
  async function run<T>(work: (parts: Parts) => T | Promise<T>): Promise<T> {
    try {
      return await work(opened().parts);
    } catch (cause) {
      const error = inOurWords(cause);
      giveUp(error);
      throw error;
    }
  }
  return {
    run,
    backup: (to) => run(async () => void (await backup(opened().db, to))),
    async close() {
      closed = true;
      if (open?.db.isOpen) open.db.close();
    },
  };
}

function openAt(path: string, options: DatabaseOptions): { db: DatabaseSync; parts: Parts } {
  if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true });
  const db = connect(path);
  try {
    migrate(db);
    return { db, parts: partsOf(db, options) };
  } catch (error) {
    db.close();
    throw error;
  }
}

function partsOf(db: DatabaseSync, { now, retentionDays, recent }: DatabaseOptions) {
  const mark = db.prepare(`UPDATE state SET value = ? WHERE name = 'checked'`);
  return {
    ...accountReads(db),
    ...accountWrites(db),
    ...ruleReads(db),
    ...ruleWrites(db),
    ...answerReads(db, now),
    ...answerWrites(db, now),
    ...matchReads(db, breathe),
    ...minuteReads(db),
    ...commitWrites(db, recent),
    ...recentReads(db),
    ...recentWrites(db, recent),
    ...removalWrites(db, retentionDays),
    check(): void {
      checkSettings(db);
      mark.run(now());
    },
  };
}
