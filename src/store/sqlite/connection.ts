/**
 * One connection to the database file: its mode and settings, read back because a wrong one loses data silently;
 * transactions; and errors in our words.
 */
import { chmodSync, closeSync, existsSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { StoreError, type StoreFailure } from '../error.ts';
import type { Sql } from './sql.ts';

export const IN_MEMORY = ':memory:';

/** Each with what it must read back as. `:memory:` has no journal on disk and is for tests. */
const SETTINGS: readonly { set: string; read: string; expected: readonly (string | number)[] }[] = [
  { set: 'journal_mode = WAL', read: 'journal_mode', expected: ['wal', 'memory'] },
  // FULL: what was committed survives a power cut.
  { set: 'synchronous = FULL', read: 'synchronous', expected: [2] },
  { set: 'foreign_keys = ON', read: 'foreign_keys', expected: [1] },
  // Erased means overwritten, not merely forgotten.
  { set: 'secure_delete = ON', read: 'secure_delete', expected: [1] },
  // macOS does not wait for the disk otherwise.
  { set: 'fullfsync = ON', read: 'fullfsync', expected: [1] },
  { set: 'checkpoint_fullfsync = ON', read: 'checkpoint_fullfsync', expected: [1] },
  // The limit gives back the space that a large commit or a backup took in the log.
  { set: 'journal_size_limit = 16777216', read: 'journal_size_limit', expected: [16_777_216] },
  { set: 'cache_size = -8000', read: 'cache_size', expected: [-8000] },
];

/** How long we wait for another process, for instance the CLI beside the server. */
export const BUSY_MILLISECONDS = 5000;

/** A database in memory may be a copy of another at first: these are the bytes of that one. */
export function connect(path: string, copyOf?: Uint8Array): DatabaseSync {
  if (path !== IN_MEMORY) makePrivate(path);
  const db = new DatabaseSync(path, { timeout: BUSY_MILLISECONDS });
  try {
    if (copyOf !== undefined) db.deserialize(copyOf);
    applySettings(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

export function applySettings(db: DatabaseSync): void {
  // Only an empty file takes these: pages that hold most payloads whole, and freed space that goes back to the disk.
  db.exec('PRAGMA page_size = 8192; PRAGMA auto_vacuum = INCREMENTAL');
  for (const { set } of SETTINGS) db.exec(`PRAGMA ${set}`);
  checkSettings(db);
}

/** Makes the file if it is missing. Only its owner reads it and the log beside it, to which SQLite gives the same mode. */
export function makePrivate(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    if (!existsSync(file)) continue;
    try {
      chmodSync(file, 0o600);
    } catch (error) {
      // The file of another user, whose group may write it: that user decides.
      if (!isSystemError(error) || error.code !== 'EPERM') throw error;
    }
  }
}

const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error && 'code' in error;

export function checkSettings(db: DatabaseSync): void {
  for (const { read, expected } of SETTINGS) {
    const value = pragma(db, read);
    if (expected.includes(value)) continue;
    throw new StoreError('settings', `The database has ${read} = ${value} where it must be ${expected[0]}.`);
  }
}

export function pragma(db: DatabaseSync, name: string): string | number {
  const [value] = Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {});
  return typeof value === 'number' ? value : String(value);
}

/** All or nothing. The lock is taken at the start, so that what is read inside is still true when it is written. */
export function transaction<T>({ file: db, run }: Pick<Sql, 'file' | 'run'>, work: () => T): T {
  run('BEGIN IMMEDIATE');
  try {
    const result = work();
    run('COMMIT');
    return result;
  } catch (error) {
    // SQLite itself rolls back when the disk is full.
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/** Primary result codes of SQLite; extended ones carry them in the low byte. */
const FAILURES: Readonly<Record<number, StoreFailure>> = {
  5: 'busy',
  6: 'busy',
  7: 'unwritable',
  8: 'unwritable',
  10: 'unwritable',
  11: 'damaged',
  13: 'full',
  14: 'unwritable',
  19: 'exists',
  26: 'damaged',
};

/** An error that a store may throw: SQLite's and the file system's in our words, any other unchanged. */
export function inOurWords(error: unknown): unknown {
  if (isSystemError(error))
    return new StoreError(
      error.code === 'ENOSPC' ? 'full' : 'unwritable',
      `The database file cannot be written: ${error.message}.`,
      { cause: error },
    );
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return error;
  const reason = FAILURES[error.errcode & 0xff] ?? 'defect';
  return new StoreError(reason, `The database answered: ${error.message}.`, { cause: error });
}

/**
 * A lock that one process at a time can have. It is a transaction that never ends, so the operating system holds it: it is
 * gone with the process, however that ends, and it is seen from every container that mounts the folder.
 */

/** Returns undefined when another process has the lock. */
export function lockFile(path: string): Disposable | undefined {
  const db = new DatabaseSync(path, { timeout: 0 });
  try {
    // Nothing is written, so that no journal is ever left behind.
    db.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (cause) {
    db.close();
    const error = inOurWords(cause);
    if (error instanceof StoreError && error.reason === 'busy') return undefined;
    throw error;
  }
  return { [Symbol.dispose]: () => db.close() };
}
