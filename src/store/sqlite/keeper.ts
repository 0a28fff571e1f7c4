/**
 * Keeps one connection open. After a failed write or sync the state of the file behind a connection is unknown, so it
 * is given up, and the next call opens and checks a new one. A file that is no longer at its path is not given up: it may
 * be put back, and no other one is opened in its place.
 */
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { makeFolder } from '../../base/durable-file.ts';
import { StoreError } from '../error.ts';
import { connect, inOurWords } from './connection.ts';
import { migrate } from './migrate.ts';

export interface Keeper<Parts> {
  /** Everything goes through here: it opens the file when it must, and puts errors into our words. */
  readonly run: <T>(work: (parts: Parts, db: DatabaseSync) => T | Promise<T>) => Promise<T>;
  readonly close: () => void;
}

interface Opened<Parts> {
  readonly db: DatabaseSync;
  readonly parts: Parts;
  /** Whether the database and its log are still at their paths. */
  readonly isInPlace: () => boolean;
}

/** A connection that is open already. It has nothing to open again. */
export function keepOpen<Parts>(db: DatabaseSync, partsOf: (db: DatabaseSync) => Parts): Keeper<Parts> {
  const parts = partsOf(db);
  return {
    async run(work) {
      if (!db.isOpen) throw new StoreError('defect', 'The store is closed.');
      try {
        return await work(parts, db);
      } catch (error) {
        throw inOurWords(error);
      }
    },
    close: () => db.close(),
  };
}

export function keep<Parts>(path: string, partsOf: (db: DatabaseSync) => Parts, { writes = true } = {}): Keeper<Parts> {
  let open: Opened<Parts> | undefined;
  let closed = false;
  /** Whether the file that was opened first is still at its path. */
  let isFirst: (() => boolean) | undefined;

  function opened(): Opened<Parts> {
    if (closed) throw new StoreError('defect', 'The store is closed.');
    if (open === undefined && isFirst?.() === false) throw displaced(path);
    open ??= openAt(path, partsOf);
    isFirst ??= placeOf(path);
    return open;
  }
  function giveUp(error: unknown): void {
    if (!(error instanceof StoreError) || !['unwritable', 'full'].includes(error.reason)) return;
    const { db } = open ?? {};
    open = undefined;
    if (db?.isOpen) db.close();
  }
  return {
    async run(work) {
      try {
        const { parts, db, isInPlace } = opened();
        if (writes) checkPlace(path, db, isInPlace);
        const result = await work(parts, db);
        if (writes) checkPlace(path, db, isInPlace);
        return result;
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

const displaced = (path: string): StoreError =>
  new StoreError(
    'displaced',
    `${path} or its log was removed or replaced while this server was using it. Put it back, or restart the server.`,
  );

/** Brings the contents of a removed log into the database before anything else: there is no other copy of them. */
function checkPlace(path: string, db: DatabaseSync, isInPlace: () => boolean): void {
  if (isInPlace()) return;
  try {
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // The refusal says what matters; the next call tries it again.
  }
  throw displaced(path);
}

function openAt<Parts>(path: string, partsOf: (db: DatabaseSync) => Parts): Opened<Parts> {
  makeFolder(dirname(path));
  const db = connect(path);
  try {
    migrate(db);
    return { db, parts: partsOf(db), isInPlace: placeOf(path, `${path}-wal`) };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Which file is at a path; undefined when that cannot be said. */
function fileAt(path: string): string | undefined {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? 'none' : `${found.dev} ${found.ino}`;
  } catch {
    return undefined;
  }
}

const isSame = (now: string | undefined, then: string | undefined): boolean =>
  now === then || now === undefined || then === undefined;

/**
 * Answers whether the files that are at these paths now are still there. A file that is removed or replaced while it is open takes
 * writes as before, and all of them are lost when the program ends.
 */
function placeOf(...paths: readonly string[]): () => boolean {
  const opened = paths.map((path) => ({ path, file: fileAt(path) })).filter(({ file }) => file !== 'none');
  return () => opened.every(({ path, file }) => isSame(fileAt(path), file));
}
