/** Inserts many rows with few statements: a call of SQLite costs more than a row. */
import type { SQLInputValue } from 'node:sqlite';
import type { Sql } from './sql.ts';

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
