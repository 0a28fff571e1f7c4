/** Inserts many rows with few statements: a call of SQLite costs more than a row. */
import type { SQLInputValue } from 'node:sqlite';
import type { Sql } from './sql.ts';

/** Rows of one statement, which needs no journal of its own because it fails with the whole commit. */
const ROWS = 64;

/** Writes the values of a row, in the order of its columns, from a place on. */
export type PutRow<Row> = (values: SQLInputValue[], at: number, row: Row) => void;

/** A column may have an expression around its value, or one for all rows, which then have no value for it. */
export function rowInserter<Row>(
  table: string,
  columns: readonly string[],
  put: PutRow<Row>,
  expressions: Readonly<Record<string, string>> = {},
): (sql: Sql, rows: readonly Row[]) => void {
  const terms = columns.map((column) => expressions[column] ?? '?');
  const row = `(${terms.join(', ')})`;
  const textOf = (rows: number): string =>
    `INSERT OR ROLLBACK INTO ${table} (${columns.join(', ')}) VALUES ${Array.from({ length: rows }, () => row).join(', ')}`;
  const [one, many] = [textOf(1), textOf(ROWS)];
  const width = terms.filter((term) => term.includes('?')).length;
  return (sql, rows) => {
    const values = Array<SQLInputValue>(rows.length < ROWS ? 0 : ROWS * width);
    let done = 0;
    for (; done + ROWS <= rows.length; done += ROWS) {
      for (let index = 0; index < ROWS; index++) put(values, index * width, rows[done + index]!);
      sql.run(many, values);
    }
    const single = Array<SQLInputValue>(width);
    for (; done < rows.length; done++) {
      put(single, 0, rows[done]!);
      sql.run(one, single);
    }
  };
}
