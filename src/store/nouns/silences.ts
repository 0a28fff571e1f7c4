/** Silences of an account. One that is over is no longer there: the audit log tells of it. */
import type { Change } from '../../domain/change.ts';
import type { Silence } from '../../domain/wake.ts';
import { type Db, insertRow } from '../db.ts';
import { lockAccount } from '../rows/locks.ts';
import { parseColumn } from '../rows/texts.ts';
import { noteChange } from './changes.ts';
import { ring } from './nodes.ts';

export interface SilenceStore {
  /** Answers when it ends, which no other silence of the account does. Undefined when `limit` hold already. */
  addSilence(silence: Silence, limit: number, note?: Change): Promise<Date | undefined>;
  /** The silences that hold at a time, oldest first. */
  silences(accountId: string, now: Date): Promise<Silence[]>;
  /** Ends a silence; deliveries that waited for it are due now. Returns false when the account has no such silence. */
  endSilence(accountId: string, silenceId: string, now: Date, note?: Change): Promise<boolean>;
}

interface SilenceRow {
  readonly id: string;
  readonly created_at: number;
  readonly until: number;
  readonly terms: string;
}

type Terms = Omit<Silence, 'id' | 'accountId' | 'until' | 'createdAt'>;

export const silenceReads = (db: Db): Pick<SilenceStore, 'silences'> => ({
  async silences(accountId, now) {
    const rows = await db.rows<SilenceRow>(
      `SELECT id, created_at, until, terms FROM silences
       WHERE account = (SELECT number FROM accounts WHERE id = $1) AND until > $2 ORDER BY until`,
      [accountId, now],
    );
    return rows
      .map(({ id, created_at, until, terms }) => ({
        id,
        accountId,
        createdAt: new Date(created_at),
        until: new Date(until),
        ...parseColumn<Terms>(terms),
      }))
      .toSorted((one, other) => (one.id < other.id ? -1 : 1));
  },
});

export const silenceWrites = (db: Db): Omit<SilenceStore, 'silences'> => ({
  addSilence: ({ id, accountId, createdAt, until, ...terms }, limit, note) =>
    db.transaction(async (tx) => {
      const account = (await lockAccount(tx, accountId))!;
      await tx.run('DELETE FROM silences WHERE account = $1 AND until <= $2', [account, createdAt]);
      const rows = await tx.rows<{ until: number }>('SELECT until FROM silences WHERE account = $1', [account]);
      if (rows.length >= limit) return undefined;
      const taken = new Set(rows.map((row) => row.until));
      let end = until.getTime();
      while (taken.has(end)) end++;
      const row = { id, account, created_at: createdAt, until: end, terms: JSON.stringify(terms) };
      await insertRow(tx, 'silences', row);
      await noteChange(tx, accountId, note);
      return new Date(end);
    }),
  endSilence: (accountId, silenceId, now, note) =>
    db.transaction(async (tx) => {
      const account = await lockAccount(tx, accountId);
      const ended = await tx.row<{ until: number }>(
        'DELETE FROM silences WHERE id = $1 AND account = $2 RETURNING until',
        [silenceId, account ?? null],
      );
      if (ended === undefined) return false;
      // A webhook without a contract has digests for each silence, which are due at its end: full ones, and an open one.
      await tx.run(
        `UPDATE deliveries SET next_at = $3 WHERE next_at = $2 AND status = 'pending' AND digest IS NOT NULL AND body IS NULL
           AND webhook IN (SELECT number FROM webhooks WHERE account = $1 AND wake IS NULL)`,
        [account ?? null, ended.until, now],
      );
      await noteChange(tx, accountId, note);
      await ring(tx, [accountId]);
      return true;
    }),
});
