/**
 * Keeps one connection open. After a failed write or sync the state of the file behind a connection is unknown, so it
 * is given up, and the next call opens and checks a new one.
 */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { StoreError } from '../error.ts';
import { connect, IN_MEMORY, inOurWords } from './connection.ts';
import { connectInMemory } from './in-memory.ts';
import { migrate } from './migrate.ts';

export interface Keeper<Parts> {
  /** Everything goes through here: it opens the file when it must, and puts errors into our words. */
  readonly run: <T>(work: (parts: Parts, db: DatabaseSync) => T | Promise<T>) => Promise<T>;
  readonly close: () => void;
}

export function keep<Parts>(path: string, partsOf: (db: DatabaseSync) => Parts): Keeper<Parts> {
  let open: { db: DatabaseSync; parts: Parts } | undefined;
  let closed = false;

  function opened(): { db: DatabaseSync; parts: Parts } {
    if (closed) throw new StoreError('defect', 'The store is closed.');
    open ??= openAt(path, partsOf);
    return open;
  }
  function giveUp(error: unknown): void {
    // A database in memory has nothing to open again.
    if (path === IN_MEMORY || !(error instanceof StoreError) || !['unwritable', 'full'].includes(error.reason)) return;
    const { db } = open ?? {};
    open = undefined;
    if (db?.isOpen) db.close();
  }
  return {
    async run(work) {
      try {
        const { parts, db } = opened();
        return await work(parts, db);
      } catch (cause) {
        const error = inOurWords(cause);
        giveUp(error);
        throw error;
      }
    },
    close() {
      closed = true;
      if (open?.db.isOpen) open.db.close();
    },
  };
}

function openAt<Parts>(path: string, partsOf: (db: DatabaseSync) => Parts): { db: DatabaseSync; parts: Parts } {
  if (path !== IN_MEMORY) mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const db = path === IN_MEMORY ? connectInMemory() : connect(path);
  try {
    migrate(db);
    return { db, parts: partsOf(db) };
  } catch (error) {
    db.close();
    throw error;
  }
}
