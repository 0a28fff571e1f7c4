/**
 * The connection that every noun of the store uses. Statements are in PostgreSQL's form, `$1` for the first value.
 * `postgres/connection.ts` runs them as they are, and `sqlite/dialect.ts` translates them for SQLite. A noun whose
 * statements truly differ has both side by side under the names of the dialects, and takes the one of `dialect`. Whoever reads
 * slice after slice holds nobody up: PostgreSQL answers over the network, and `sqlite/reading-turns.ts` gives others their turn.
 */
import type { ObjectStore } from '../base/object-store.ts';
import type { Position } from './order.ts';

/** The row that the database has of an object. */
export interface ColdObject {
  readonly account: number;
  readonly first: Position;
  readonly last: Position;
  readonly matches: number;
  readonly bytes: number;
  readonly digest: string;
  readonly key: string;
}

/** A row of an object, by the names of its columns. */
export type ColdRow = Readonly<Record<string, unknown>> & { readonly position: bigint; readonly payload: string };

/** An object that was opened. Its rows are in groups, which are read whole. */
export interface ColdFile {
  /** The group that has the row of a position, if any has. */
  groupOf(position: Position): number | undefined;
  readonly groups: number;
  rows(group: number): Promise<ColdRow[]>;
  /** Payloads by position. */
  payloads(group: number): Promise<Map<Position, string>>;
}

export interface ColdReader {
  readonly objects: ObjectStore;
  /** The key of the marks of texts, for erasures by text. */
  readonly textKey: Uint8Array | undefined;
  /** Returns undefined when the object is gone. Throws `cold` when it is unreadable, or was not written so. */
  file(object: Pick<ColdObject, 'key' | 'digest'>): Promise<ColdFile | undefined>;
  /** Returns undefined when the object, or its row, is not there. */
  payload(object: ColdObject, position: Position): Promise<string | undefined>;
}

/** A time is stored as its milliseconds. */
export type Value =
  | string
  | number
  | boolean
  | null
  | Date
  | Uint8Array
  | readonly (string | number | null | Uint8Array)[];

export interface Db {
  readonly dialect: 'sqlite' | 'postgres';
  /** The key of the digests of erased texts, on a connection that writes. */
  readonly textKey?: Uint8Array | undefined;
  /** The reader of old matches, when they lie in objects. */
  readonly cold?: ColdReader | undefined;
  /** The first row. */
  row<Row>(text: string, values?: readonly Value[]): Promise<Row | undefined>;
  rows<Row>(text: string, values?: readonly Value[]): Promise<Row[]>;
  /** Answers how many rows were changed. */
  run(text: string, values?: readonly Value[]): Promise<number>;
  /** All or nothing. Inside a transaction, `work` is a part of it. */
  transaction<T>(work: (db: Db) => Promise<T>): Promise<T>;
}

/** Inserts a row, by the names of its columns. `otherwise` says what is done where such a row is there already. */
export function insertRow(
  db: Db,
  table: string,
  row: Readonly<Record<string, Value>>,
  otherwise = '',
): Promise<number> {
  const columns = Object.keys(row);
  const places = columns.map((_, index) => `$${index + 1}`);
  return db.run(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places.join(', ')}) ${otherwise}`,
    Object.values(row),
  );
}

/** How many rows of a table there are where a condition holds. */
export async function countRows(db: Db, table: string, where: string, values: readonly Value[]): Promise<number> {
  const row = await db.row<{ counted: number }>(`SELECT count(*) AS counted FROM ${table} WHERE ${where}`, values);
  return row!.counted;
}

/** A part of a table. */
export interface Slice {
  /** The columns of its primary key. */
  readonly key: string;
  /** The SQL after WHERE, with the order in which rows are deleted. */
  readonly of: string;
  readonly limit: number;
}

const DELETE_SLICE: Record<Db['dialect'], (table: string, rows: (columns: string) => string, key: string) => string> = {
  sqlite: (table, rows, key) => `DELETE FROM ${table} WHERE (${key}) IN (${rows(key)})`,
  // By where the rows stand: PostgreSQL may go through a whole table to find them by their keys.
  postgres: (table, rows) => `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(${rows('ctid')}))`,
};

/** Deletes some rows, so that no transaction is long. Answers how many. */
export function deleteSlice(
  db: Db,
  table: string,
  { key, of, limit }: Slice,
  values: readonly Value[],
): Promise<number> {
  const rows = (columns: string): string => `SELECT ${columns} FROM ${table} WHERE ${of} LIMIT ${limit}`;
  return db.run(DELETE_SLICE[db.dialect](table, rows, key), values);
}
