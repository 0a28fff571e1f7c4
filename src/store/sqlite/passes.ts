/** Sessions and tickets. */
import { PASSES_OF_KEY, type PassRow, passOf } from '../rows/passes.ts';
import type { Pass } from '../store.ts';
import { transaction } from './connection.ts';
import type { Sql } from './sql.ts';

export const passReads = (sql: Sql) => ({
  pass(digest: string, now: Date): Pass | undefined {
    const row = sql.row<PassRow>('SELECT * FROM passes WHERE digest = ? AND ends_at > ?', [digest, now.getTime()]);
    return row && passOf(row);
  },
});

export const passWrites = (sql: Sql) => ({
  addPass: ({ digest, accountId, keyId, endsAt, usedAt }: Pass): void =>
    transaction(sql, () => {
      sql.run('INSERT INTO passes (digest, account, key, ends_at, used_at) VALUES (?, ?, ?, ?, ?)', [
        digest,
        accountId,
        keyId,
        endsAt.getTime(),
        usedAt.getTime(),
      ]);
      sql.run(
        `DELETE FROM passes WHERE digest IN
           (SELECT digest FROM passes WHERE key = ? ORDER BY used_at DESC LIMIT -1 OFFSET ${PASSES_OF_KEY})`,
        [keyId],
      );
    }),
  usePass(digest: string, now: Date): void {
    sql.run('UPDATE passes SET used_at = ? WHERE digest = ?', [now.getTime(), digest]);
  },
  takePass(digest: string, now: Date): Pass | undefined {
    const row = sql.row<PassRow>('DELETE FROM passes WHERE digest = ? RETURNING *', [digest]);
    return row === undefined || row.ends_at <= now.getTime() ? undefined : passOf(row);
  },
});

/** A few of those that are over; false when there was none. */
export const removePasses = (sql: Sql, now: number): boolean =>
  sql.run('DELETE FROM passes WHERE digest IN (SELECT digest FROM passes WHERE ends_at <= ? LIMIT 200)', [now]) > 0;
