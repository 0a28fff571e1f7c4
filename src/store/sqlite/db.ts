/**
 * The store's statements on SQLite. Every promise here is resolved already: what is written over one connection goes on in
 * microtasks, so that a transaction ends before the thread hears of anything else.
 */
import type { SQLInputValue } from 'node:sqlite';
import type { Db, Value } from '../db.ts';
import { StoreError } from '../error.ts';
import { inSqlite } from './dialect.ts';
import type { Keeper } from './keeper.ts';
import type { Sql } from './sql.ts';

/** With the connection itself, for what is hot. */
export interface SqliteDb extends Db {
  readonly sql: Sql;
}

const listText = (list: readonly unknown[]): string => JSON.stringify(list);

function bound(value: Value): SQLInputValue {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof Date) return value.getTime();
  if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return value;
  return listText(value);
}

/** The statements of one connection, each translated once. */
function statements(): { text(text: string): string; values(values: readonly Value[]): SQLInputValue[] } {
  const known = new Map<string, string>();
  return {
    text(text) {
      const there = known.get(text);
      if (there !== undefined) return there;
      const said = inSqlite(text);
      known.set(text, said);
      return said;
    },
    values: (values) => values.map(bound),
  };
}

/** The `Db` on the one connection that writes, one call at a time. */
export function writingDb(sql: Sql, textKey?: Uint8Array): SqliteDb {
  const { text: said, values: given } = statements();
  const db: SqliteDb = {
    dialect: 'sqlite',
    textKey,
    sql,
    row: async <Row>(text: string, values: readonly Value[] = []) => sql.row<Row>(said(text), given(values)),
    rows: async <Row>(text: string, values: readonly Value[] = []) => sql.rows<Row>(said(text), given(values)),
    run: async (text, values = []) => sql.run(said(text), given(values)),
    transaction: (work) => (sql.file.isTransaction ? work(db) : transaction(sql, () => work(db))),
  };
  return db;
}

/** All or nothing. The lock is taken at the start, so that what is read inside is still true when it is written. */
export async function transaction<T>({ file, run }: Pick<Sql, 'file' | 'run'>, work: () => Promise<T>): Promise<T> {
  run('BEGIN IMMEDIATE');
  try {
    const result = await work();
    run('COMMIT');
    return result;
  } catch (error) {
    // SQLite itself rolls back when the disk is full.
    if (file.isTransaction) file.exec('ROLLBACK');
    throw error;
  }
}

/** The `Db` that reads in the calling thread: each statement is a call of its own. */
export function readingDb(run: Keeper<Sql>['run']): Db {
  const { text: said, values: given } = statements();
  return {
    dialect: 'sqlite',
    row: <Row>(text: string, values: readonly Value[] = []) =>
      run<Row | undefined>((sql) => sql.row(said(text), given(values))),
    rows: <Row>(text: string, values: readonly Value[] = []) =>
      run<Row[]>((sql) => sql.rows(said(text), given(values))),
    run: () => Promise.reject(new StoreError('defect', 'This connection reads.')),
    transaction: () => Promise.reject(new StoreError('defect', 'This connection reads.')),
  };
}

/** Lets one piece of work go on at a time, in the order they came. */
export function inTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
}
