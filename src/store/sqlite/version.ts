/** Whether anything has changed since: by this connection, by our writer, or by another process. */
import type { Sql } from './sql.ts';

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
