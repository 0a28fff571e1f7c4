/** The audit log: written in the transaction of the change itself. */
import type { Change } from '../../domain/change.ts';
import { type ChangeRow, changeColumns, changeFilter, changePage } from '../rows/changes.ts';
import type { ChangeStore } from '../store.ts';
import type { Database, Db } from './connection.ts';

/** Changes that go in one slice of removal. */
const OLD_SLICE = 1_000;

/** Without a change there is nothing to write: tests and repairs leave it out. */
export async function writeChange(db: Db, accountId: string, change: Change | undefined): Promise<void> {
  if (change === undefined) return;
  const { at, by, kind, what, subject, before, after } = changeColumns(change);
  await db.run(
    `INSERT INTO changes (account, at, made_by, kind, what, subject, before, after)
     SELECT number, $2, $3, $4, $5, $6, $7, $8 FROM accounts WHERE id = $1`,
    [accountId, at, by, kind, what, subject, before, after],
  );
}

/** Writes a change that took place, and answers whether it did. */
export async function written(
  db: Db,
  accountId: string,
  change: Change | undefined,
  isDone: boolean,
): Promise<boolean> {
  if (isDone) await writeChange(db, accountId, change);
  return isDone;
}

export const changeStore = (database: Database): ChangeStore => ({
  async changes(query) {
    const { accountId, kind, since, until, before, limit } = query;
    const filter = changeFilter(query);
    const rows = await database.rows<ChangeRow>(
      `SELECT number, at, made_by, what, subject, before, after FROM changes
       WHERE account = (SELECT number FROM accounts WHERE id = $1) AND number < $2 AND at >= $3 AND at < $4
         AND ($5::text IS NULL OR kind = $5) ${filter ? `AND ${filter.column} = $7` : ''}
       ORDER BY number DESC LIMIT $6`,
      [
        accountId,
        before ?? Number.MAX_SAFE_INTEGER,
        since?.getTime() ?? 0,
        until?.getTime() ?? Number.MAX_SAFE_INTEGER,
        kind ?? null,
        limit + 1,
        ...(filter ? [filter.value] : []),
      ],
    );
    return changePage(rows, limit);
  },
});

export const dropChanges = async (db: Db, before: number): Promise<boolean> =>
  (await db.run(
    `DELETE FROM changes WHERE number IN (SELECT number FROM changes WHERE at < $1 ORDER BY at LIMIT ${OLD_SLICE})`,
    [before],
  )) > 0;
