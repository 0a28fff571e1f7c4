/** The audit log: written in the transaction of the change itself. */
import type { Change } from '../../domain/change.ts';
import { type ChangeRow, changeColumns, changeFilter, changePage } from '../rows/changes.ts';
import type { ChangeQuery } from '../store.ts';
import type { Sql } from './sql.ts';

/** Changes that go in one slice of removal. */
const OLD_SLICE = 1_000;

/** Without a change there is nothing to note: tests and repairs leave it out. */
export function noteChange(sql: Sql, accountId: string, change: Change | undefined): void {
  if (change === undefined) return;
  sql.run(
    `INSERT INTO changes (account, at, made_by, kind, what, subject, before, after)
     VALUES ((SELECT number FROM accounts WHERE id = :account), :at, :by, :kind, :what, :subject, :before, :after)`,
    { account: accountId, ...changeColumns(change) },
  );
}

/** Notes a change that took place, and answers whether it did. */
export function noted(sql: Sql, accountId: string, change: Change | undefined, isDone: boolean): boolean {
  if (isDone) noteChange(sql, accountId, change);
  return isDone;
}

export const changeReads = (sql: Sql) => ({
  changes(query: ChangeQuery) {
    const { accountId, kind, since, until, before, limit } = query;
    const filter = changeFilter(query);
    const rows = sql.rows<ChangeRow>(
      `SELECT number, at, made_by, what, subject, before, after
       FROM changes INDEXED BY changes_of_${filter?.column ?? 'account'}
       WHERE account = (SELECT number FROM accounts WHERE id = :account) ${filter ? `AND ${filter.column} = :value` : ''}
         AND number < :before AND at >= :since AND at < :until AND (:kind IS NULL OR kind = :kind)
       ORDER BY number DESC LIMIT :limit`,
      {
        account: accountId,
        before: before ?? Number.MAX_SAFE_INTEGER,
        since: since?.getTime() ?? 0,
        until: until?.getTime() ?? Number.MAX_SAFE_INTEGER,
        kind: kind ?? null,
        limit: limit + 1,
        ...(filter && { value: filter.value }),
      },
    );
    return changePage(rows, limit);
  },
});

export const removeChanges = (sql: Sql, before: number): boolean =>
  sql.run(
    `DELETE FROM changes WHERE number IN (SELECT number FROM changes WHERE at < ? ORDER BY at LIMIT ${OLD_SLICE})`,
    [before],
  ) > 0;
