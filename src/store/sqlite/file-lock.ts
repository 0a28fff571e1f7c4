/**
 * A lock that one process at a time can have. It is a transaction that never ends, so the operating system holds it: it is
 * gone with the process, however that ends, and it is seen from every container that mounts the folder.
 */
import { DatabaseSync } from 'node:sqlite';
import { StoreError } from '../error.ts';
import { inOurWords } from './connection.ts';

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
