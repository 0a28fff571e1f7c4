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
 * to make and to read.
 */
function rowMaker(statement: Statement, read: ReadRows): Prepared['rowOf'] {
  let names: readonly string[] = [];
  return (values) => {
    // Another process may add columns to a table of which all are read.
    if (names.length !== values.length) names = statement.columns().map(({ name }) => name);
    const row: Record<string, unknown> = {};
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
