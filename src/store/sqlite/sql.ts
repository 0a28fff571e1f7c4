/** Typed statements on one connection. Each text is prepared once; rows have the type that the caller names. */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';

type Values = readonly SQLInputValue[] | Readonly<Record<string, SQLInputValue>>;

export interface Sql {
  readonly file: DatabaseSync;
  /** No other connection of this process has the same. */
  readonly connection: number;
  row<Row>(text: string, values?: Values): Row | undefined;
  rows<Row>(text: string, values?: Values): Row[];
  /** One row after another, for a caller that may not want all. */
  each<Row>(text: string, values?: Values): Iterable<Row>;
  /** The work of reading since the last call, in rows: a long text counts as several, and so does a list to look up. */
  rowsRead(): number;
  /** How many rows were changed. */
  run(text: string, values?: Values): number;
}

interface Statement {
  get(...values: unknown[]): unknown[] | undefined;
  all(...values: unknown[]): unknown[][];
  iterate(...values: unknown[]): Iterable<unknown[]>;
  run(...values: unknown[]): { changes: number | bigint };
  columns(): readonly { readonly name: string }[];
}

interface ReadRows {
  rows: number;
  characters: number;
}

interface Prepared {
  readonly statement: Statement;
  /** Makes the object of a row. */
  readonly rowOf: (values: readonly unknown[]) => unknown;
}

/**
 * SQLite's rows come as lists and become objects here: those that Node makes of rows are tables of names, which take four times as long
 * to make and to read. An object that gets more than 16 fields by name becomes such a table, too: a row begins as a copy of one that
 * has them all.
 */
function rowMaker(statement: Statement, read: ReadRows): Prepared['rowOf'] {
  let names: readonly string[] = [];
  let empty: Readonly<Record<string, unknown>> = {};
  return (values) => {
    // Another process may add columns to a table of which all are read.
    if (names.length !== values.length) {
      names = statement.columns().map(({ name }) => name);
      empty = JSON.parse(`{${names.map((name) => `${JSON.stringify(name)}:null`).join(',')}}`);
    }
    const row: Record<string, unknown> = { ...empty };
    for (let at = 0; at < values.length; at++) {
      const value = values[at];
      row[names[at]!] = value;
      if (typeof value === 'string') read.characters += value.length;
    }
    read.rows++;
    return row;
  };
}

const listOf = (values: Values): readonly unknown[] => (Array.isArray(values) ? values : [values]);

/** So many characters take as long to read as a row does, and so many of a list as a row that is looked up. */
const CHARACTERS_OF_ROW = 2_048;
const CHARACTERS_OF_KEY = 32;

const rowsAskedFor = (values: Values): number =>
  listOf(values).reduce<number>((sum, one) => sum + (typeof one === 'string' ? one.length / CHARACTERS_OF_KEY : 0), 1);

/** SQLite plans a statement anew for each value of a variable behind LIMIT, unless it is part of a sum. That took longer than most reads. */
const GIVEN_LIMIT = /\bLIMIT [:$?]\w*/g;

let connections = 0;

/** Begins to count anew. */
function rowsOf(read: ReadRows): number {
  const rows = read.rows + read.characters / CHARACTERS_OF_ROW;
  read.rows = 0;
  read.characters = 0;
  return rows;
}

export function sqlOf(file: DatabaseSync): Sql {
  const statements = new Map<string, Prepared>();
  const read: ReadRows = { rows: 0, characters: 0 };
  function reading(text: string, values: Values): Prepared {
    read.rows += rowsAskedFor(values);
    return prepared(text);
  }
  function prepared(text: string): Prepared {
    const known = statements.get(text);
    if (known !== undefined) return known;
    const made = file.prepare(text.replace(GIVEN_LIMIT, '$& + 0'));
    made.setReturnArrays(true);
    const statement = made as unknown as Statement;
    const added = { statement, rowOf: rowMaker(statement, read) };
    statements.set(text, added);
    return added;
  }
  function* each(text: string, values: Values): Iterable<unknown> {
    const { statement, rowOf } = reading(text, values);
    for (const row of statement.iterate(...listOf(values))) yield rowOf(row);
  }
  return {
    file,
    connection: ++connections,
    row<Row>(text: string, values: Values = []) {
      const { statement, rowOf } = reading(text, values);
      const found = statement.get(...listOf(values));
      return found === undefined ? undefined : (rowOf(found) as Row);
    },
    rows<Row>(text: string, values: Values = []) {
      const { statement, rowOf } = reading(text, values);
      return statement.all(...listOf(values)).map(rowOf) as Row[];
    },
    each: <Row>(text: string, values: Values = []) => each(text, values) as Iterable<Row>,
    rowsRead: () => rowsOf(read),
    run: (text, values = []) => Number(prepared(text).statement.run(...listOf(values)).changes),
  };
}

/** The counts of changes by other connections and by this one. SQLite counts for each connection anew. */
export const changesSeen = (sql: Sql): { others: number; own: number } =>
  sql.row<{ others: number; own: number }>(
    'SELECT data_version AS others, total_changes() AS own FROM pragma_data_version',
  )!;

/** Numbers of two connections must not be compared, so each has a name of its own. */
export function versionOf(sql: Sql): string {
  const { others, own } = changesSeen(sql);
  return `${sql.connection}.${others}.${own}`;
}

/** Inserts many rows with few statements: a call of SQLite costs more than a row. */

/** Rows of one statement, which needs no journal of its own because it fails with the whole commit. */
const ROWS = 16;

/**
 * `values` are those of one row after another. A column may have an expression around its
 * value, or one for all rows, which then have no value for it. */
export function rowInserter(
  table: string,
  columns: readonly string[],
  expressions: Readonly<Record<string, string>> = {},
): (sql: Sql, values: readonly SQLInputValue[]) => void {
  const terms = columns.map((column) => expressions[column] ?? '?');
  const row = `(${terms.join(', ')})`;
  const textOf = (rows: number): string =>
    `INSERT OR ROLLBACK INTO ${table} (${columns.join(', ')}) VALUES ${Array.from({ length: rows }, () => row).join(', ')}`;
  const [one, many] = [textOf(1), textOf(ROWS)];
  const width = terms.filter((term) => term.includes('?')).length;
  return (sql, values) => {
    let done = 0;
    for (; done + ROWS * width <= values.length; done += ROWS * width)
      sql.run(many, values.slice(done, done + ROWS * width));
    for (; done < values.length; done += width) sql.run(one, values.slice(done, done + width));
  };
}

/** How freed pages leave the file, and old pages the write-ahead log; and whether there is space for new ones. */

/** Pages given back in one step. */
const PAGES = 200;

/** A step towards a smaller file; false when it cannot shrink further. */
export function freePages(sql: Sql): boolean {
  const { freelist_count } = sql.row<{ freelist_count: number }>('PRAGMA freelist_count')!;
  if (freelist_count === 0) return false;
  sql.rows(`PRAGMA incremental_vacuum(${PAGES})`);
  return freelist_count > PAGES;
}

/** False when a reader, for instance a backup, still needs the log. It waits for none: every commit would wait with it. */
export function truncateLog({ file, row }: Pick<Sql, 'file' | 'row'>): boolean {
  const patience = Number(file.prepare('PRAGMA busy_timeout').get()!['timeout']);
  file.exec('PRAGMA busy_timeout = 0');
  try {
    return row<{ busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)')!.busy === 0;
  } finally {
    file.exec(`PRAGMA busy_timeout = ${patience}`);
  }
}

/**
 * Throws when a commit of so many bytes does not fit. They are written to the log and from there to the file; what is
 * freed afterwards stays in both, so that the next commit finds it there.
 */
export function checkRoom(sql: Sql, room: number): void {
  sql.run('DELETE FROM room');
  sql.run('INSERT INTO room VALUES (zeroblob(?))', [room]);
  sql.rows('PRAGMA wal_checkpoint(PASSIVE)');
  sql.run('DELETE FROM room');
}
