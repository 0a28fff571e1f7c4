/** All writes. Arguments and answers are plain data: they may come from another thread. */
import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { renameSafely } from '../../base/durable-file.ts';
import { StoreError } from '../error.ts';
import type { RecentLimits } from '../nouns/recent.ts';
import { nounWrites } from '../nouns.ts';
import { commitWrites } from './commit.ts';
import { checkSettings, IN_MEMORY, makePrivate } from './connection.ts';
import { inTurns, type SqliteDb, writingDb } from './db.ts';
import { removalWrites } from './removal.ts';
import { settle } from './settle.ts';
import { checkRoom, sqlOf } from './sql.ts';

export interface WriteOptions {
  readonly retentionDays: number;
  readonly erasureDays: number;
  readonly recent: RecentLimits;
  readonly settleAfter?: number | undefined;
  readonly textKey?: Uint8Array | undefined;
}

export type Writes = ReturnType<typeof writesOf>;

export const writesOf = (db: SqliteDb, options: WriteOptions) => ({
  ...nounWrites(db),
  ...commitWrites(db, options.recent, options.settleAfter),
  ...removalWrites(db, options),

  settle: (): Promise<void> => db.transaction(settle),

  async checkAt(now: Date, room: number): Promise<void> {
    checkSettings(db.sql.file);
    await db.run(`UPDATE state SET value = $1 WHERE name = 'checked'`, [now.getTime()]);
    if (room > 0) checkRoom(db.sql, room);
  },

  /** Takes longer the larger the database is, so it belongs into a thread of its own; others read and write meanwhile. */
  async backup(path: string): Promise<void> {
    const part = `${path}.part`;
    rmSync(part, { force: true });
    try {
      makePrivate(part);
      db.sql.run('VACUUM INTO ?', [part]);
      syncFile(part);
      renameSafely(part, path);
    } finally {
      rmSync(part, { force: true });
    }
  },
});

/** SQLite leaves it to the caller to wait until such a copy is on the disk. */
function syncFile(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Calls a write by its name, wherever it is done. */
export type CallByName = (name: string, args: readonly unknown[]) => Promise<unknown>;

/** Makes writes that `call` does elsewhere. The object that gives their names stands on a file that is never opened. */
export function writesBy(call: CallByName, options: WriteOptions): Writes {
  const named = writesOf(writingDb(sqlOf(new DatabaseSync(IN_MEMORY, { open: false }))), options);
  const get =
    (_: Writes, name: string | symbol) =>
    (...args: readonly unknown[]) =>
      call(String(name), args);
  return { ...new Proxy(named, { get }) };
}

/** How the one who does them finds them. One is done after another: nothing comes between the statements of a transaction. */
export const callsOn =
  (writes: Writes, inTurn = inTurns()): CallByName =>
  (name, args) =>
    inTurn(async () => {
      const write: unknown = Reflect.get(writes, name);
      if (typeof write !== 'function') throw new StoreError('defect', `There is no write with the name ${name}.`);
      return Reflect.apply(write, writes, args);
    });
