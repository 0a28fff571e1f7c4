/** Many rows by a few calls: the way into SQLite costs more than most rows do. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';

/** Rows to a statement, largest first: what one leaves over goes by the next. */
const SIZES = [64, 8, 1];

/** `sql` is an insertion around its list of rows. Values are given one after the other, `columns` to a row. */
export function insertMany(
  db: DatabaseSync,
  columns: number,
  sql: (rows: string) => string,
): (values: readonly SQLInputValue[]) => void {
  const row = `(${Array(columns).fill('?').join(', ')})`;
  const statements = SIZES.map((size): { width: number; statement: StatementSync } => ({
    width: size * columns,
    statement: db.prepare(sql(Array(size).fill(row).join(', '))),
  }));
  return (values) => {
    let at = 0;
    for (const { width, statement } of statements) {
      for (; at + width <= values.length; at += width) statement.run(...values.slice(at, at + width));
    }
  };
}
