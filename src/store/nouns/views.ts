/** Saved views of an account. */
import type { Change } from '../../domain/change.ts';
import type { MatchView } from '../../domain/views.ts';
import { countRows, type Db, insertRow } from '../db.ts';
import { lockAccount } from '../rows/locks.ts';
import { decodeName, decodeText, encodeText } from '../rows/texts.ts';
import { noteChange, noted } from './changes.ts';

export interface ViewStore {
  /** False when the account has `limit` views already. */
  addView(view: MatchView, limit: number, note?: Change): Promise<boolean>;
  /** Oldest first. */
  views(accountId: string): Promise<MatchView[]>;
  /** False when the account has no such view. */
  deleteView(accountId: string, viewId: string, note?: Change): Promise<boolean>;
}

interface ViewRow {
  readonly id: string;
  readonly name: string;
  readonly query: string;
  readonly created_at: number;
}

export const viewReads = (db: Db): Pick<ViewStore, 'views'> => ({
  async views(accountId) {
    const rows = await db.rows<ViewRow>(
      `SELECT id, name, query, created_at FROM views
       WHERE account = (SELECT number FROM accounts WHERE id = $1) ORDER BY number`,
      [accountId],
    );
    return rows.map((row) => ({
      id: row.id,
      accountId,
      name: decodeName(row.name),
      query: decodeText(row.query),
      createdAt: new Date(row.created_at),
    }));
  },
});

export const viewWrites = (db: Db): Omit<ViewStore, 'views'> => ({
  addView: ({ id, accountId, name, query, createdAt }, limit, note) =>
    db.transaction(async (tx) => {
      const account = (await lockAccount(tx, accountId))!;
      if ((await countRows(tx, 'views', 'account = $1', [account])) >= limit) return false;
      const texts = { name: encodeText(name), query: encodeText(query) };
      await insertRow(tx, 'views', { id, account, ...texts, created_at: createdAt });
      await noteChange(tx, accountId, note);
      return true;
    }),
  deleteView: (accountId, viewId, note) =>
    db.transaction(async (tx) => {
      const deleted = await tx.run(
        'DELETE FROM views WHERE id = $1 AND account = (SELECT number FROM accounts WHERE id = $2)',
        [viewId, accountId],
      );
      return noted(tx, accountId, note, deleted > 0);
    }),
});
