/** Saved views. */
import { encodeText } from '../rows/texts.ts';
import { savedViewOf, type ViewRow } from '../rows/views.ts';
import type { ViewStore } from '../store.ts';
import type { Database } from './connection.ts';

export const viewStore = (database: Database): ViewStore => ({
  addView: ({ id, accountId, name, query, createdAt }, limit) =>
    database.transaction(async (db) => {
      // The account's row is the lock under which its views are counted.
      const [account] = await db.rows<{ number: number }>('SELECT number FROM accounts WHERE id = $1 FOR UPDATE', [
        accountId,
      ]);
      const [row] = await db.rows<{ views: number }>('SELECT count(*) AS views FROM views WHERE account = $1', [
        account!.number,
      ]);
      if (row!.views >= limit) return false;
      await db.run('INSERT INTO views (id, account, name, query, created_at) VALUES ($1, $2, $3, $4, $5)', [
        id,
        account!.number,
        encodeText(name),
        encodeText(query),
        createdAt.getTime(),
      ]);
      return true;
    }),
  async views(accountId) {
    const rows = await database.rows<ViewRow>(
      `SELECT id, name, query, created_at FROM views
       WHERE account = (SELECT number FROM accounts WHERE id = $1) ORDER BY number`,
      [accountId],
    );
    return rows.map((row) => savedViewOf(accountId, row));
  },
  deleteView: async (accountId, viewId) =>
    (await database.run('DELETE FROM views WHERE id = $1 AND account = (SELECT number FROM accounts WHERE id = $2)', [
      viewId,
      accountId,
    ])) > 0,
});
