/** Notices that accounts got and whose cause lasts: each cause once, with its beginning. */
import type { Db } from '../db.ts';

export interface OpenNotice {
  readonly accountId: string;
  readonly cause: string;
  readonly since: Date;
}

export interface OpenNoticeStore {
  /** The open notices of every account. Not scoped. */
  openNotices(): Promise<OpenNotice[]>;
  /** Answers when it began, which may be earlier. Undefined when there is no such account. */
  beginNotice(accountId: string, cause: string, at: Date): Promise<Date | undefined>;
  endNotice(accountId: string, cause: string): Promise<void>;
}

const ACCOUNT = '(SELECT number FROM accounts WHERE id = $1)';

export const openNoticeReads = (db: Db): Pick<OpenNoticeStore, 'openNotices'> => ({
  async openNotices() {
    const rows = await db.rows<{ id: string; cause: string; since: number }>(
      // One by one: a join would go through all accounts.
      'SELECT (SELECT id FROM accounts WHERE number = n.account) AS id, n.cause, n.since FROM open_notices n',
    );
    return rows.map(({ id, cause, since }) => ({ accountId: id, cause, since: new Date(since) }));
  },
});

export const openNoticeWrites = (db: Db): Omit<OpenNoticeStore, 'openNotices'> => ({
  beginNotice: (accountId, cause, at) =>
    db.transaction(async (tx) => {
      await tx.run(
        `INSERT INTO open_notices (account, cause, since) SELECT number, $2, $3 FROM accounts WHERE id = $1
         ON CONFLICT (account, cause) DO NOTHING`,
        [accountId, cause, at],
      );
      const row = await tx.row<{ since: number }>(
        `SELECT since FROM open_notices WHERE account = ${ACCOUNT} AND cause = $2`,
        [accountId, cause],
      );
      return row && new Date(row.since);
    }),
  async endNotice(accountId, cause) {
    await db.run(`DELETE FROM open_notices WHERE account = ${ACCOUNT} AND cause = $2`, [accountId, cause]);
  },
});
