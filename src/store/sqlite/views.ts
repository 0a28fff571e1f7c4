/** Saved views. */
import type { SavedView } from '../../domain/view.ts';
import { encodeText } from '../rows/texts.ts';
import { savedViewOf, type ViewRow } from '../rows/views.ts';
import { accountNumber } from './accounts.ts';
import { transaction } from './connection.ts';
import type { Sql } from './sql.ts';

export const viewReads = (sql: Sql) => ({
  views: (accountId: string): SavedView[] =>
    sql
      .rows<ViewRow>(
        `SELECT id, name, query, created_at FROM views
         WHERE account = (SELECT number FROM accounts WHERE id = ?) ORDER BY number`,
        [accountId],
      )
      .map((row) => savedViewOf(accountId, row)),
});

export const viewWrites = (sql: Sql) => ({
  addView: ({ id, accountId, name, query, createdAt }: SavedView, limit: number): boolean =>
    transaction(sql, () => {
      const account = accountNumber(sql, accountId)!;
      const { views } = sql.row<{ views: number }>('SELECT count(*) AS views FROM views WHERE account = ?', [account])!;
      if (views >= limit) return false;
      sql.run('INSERT INTO views (id, account, name, query, created_at) VALUES (?, ?, ?, ?, ?)', [
        id,
        account,
        encodeText(name),
        encodeText(query),
        createdAt.getTime(),
      ]);
      return true;
    }),
  deleteView: (accountId: string, viewId: string): boolean =>
    sql.run('DELETE FROM views WHERE id = ? AND account = (SELECT number FROM accounts WHERE id = ?)', [
      viewId,
      accountId,
    ]) > 0,
});
