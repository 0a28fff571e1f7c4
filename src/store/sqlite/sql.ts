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
  /** How many rows were changed. */
  run(text: string, values?: Values): number;
}

interface Statement {
  get(...values: unknown[]): unknown;
  all(...values: unknown[]): unknown[];
  iterate(...values: unknown[]): Iterable<unknown>;
  run(...values: unknown[]): { changes: number | bigint };
}

const listOf = (values: Values): readonly unknown[] => (Array.isArray(values) ? values : [values]);

let connections = 0;

export function sqlOf(file: DatabaseSync): Sql {
  const statements = new Map<string, Statement>();
  function prepared(text: string): Statement {
    const known = statements.get(text);
    if (known !== undefined) return known;
    const statement = file.prepare(text);
    statements.set(text, statement);
    return statement;
  }
  return {
    file,
    connection: ++connections,
    row: <Row>(text: string, values: Values = []) => prepared(text).get(...listOf(values)) as Row | undefined,
    rows: <Row>(text: string, values: Values = []) => prepared(text).all(...listOf(values)) as Row[],
    each: <Row>(text: string, values: Values = []) => prepared(text).iterate(...listOf(values)) as Iterable<Row>,
    run: (text, values = []) => Number(prepared(text).run(...listOf(values)).changes),
  };
}
