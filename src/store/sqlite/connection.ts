/**
 * One connection to the database file: its settings, read back because a wrong one loses data silently; transactions;
 * and SQLite's errors in our words.
 */
import { DatabaseSync } from 'node:sqlite';
import { StoreError, type StoreFailure } from '../error.ts';

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
  // What a large commit or a backup made of the log is given back afterwards.
  { set: 'journal_size_limit = 16777216', read: 'journal_size_limit', expected: [16_777_216] },
  { set: 'cache_size = -32000', read: 'cache_size', expected: [-32_000] },
];

/** How long we wait for another process, for instance the CLI beside the server. */
const BUSY_MILLISECONDS = 5000;

export function connect(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: BUSY_MILLISECONDS });
  try {
    // Only an empty file takes these: pages that hold most payloads whole, and freed space that goes back to the disk.
    db.exec('PRAGMA page_size = 8192; PRAGMA auto_vacuum = INCREMENTAL');
    for (const { set } of SETTINGS) db.exec(`PRAGMA ${set}`);
    checkSettings(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

export function checkSettings(db: DatabaseSync): void {
  for (const { read, expected } of SETTINGS) {
    const value = pragma(db, read);
    if (expected.includes(value)) continue;
    throw new StoreError('settings', `The database has ${read} = ${value} where it must be ${expected[0]}.`);
  }
}

export const pragma = (db: DatabaseSync, name: string): string | number =>
  Object.values(db.prepare(`PRAGMA ${name}`).get()!)[0] as string | number;

/** All or nothing. The lock is taken at the start, so that what is read inside is still true when it is written. */
export function transaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.exec('COMMIT');
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
  13: 'unwritable',
  14: 'unwritable',
  19: 'exists',
  26: 'damaged',
};

/** An error that a store may throw; what is not SQLite's is left as it is. */
export function inOurWords(error: unknown): unknown {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return error;
  const reason = FAILURES[error.errcode & 0xff] ?? 'defect';
  return new StoreError(reason, `The database answered: ${error.message}.`, { cause: error });
}
