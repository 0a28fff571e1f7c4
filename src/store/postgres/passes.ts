/** Sessions and tickets. */
import { PASSES_OF_KEY, type PassRow, passOf } from '../rows/passes.ts';
import type { PassStore } from '../store.ts';
import type { Database, Db } from './connection.ts';

export const passStore = (database: Database): PassStore => ({
  addPass: ({ digest, accountId, keyId, endsAt, usedAt }) =>
    database.transaction(async (db) => {
      await db.run('INSERT INTO passes (digest, account, key, ends_at, used_at) VALUES ($1, $2, $3, $4, $5)', [
        digest,
        accountId,
        keyId,
        endsAt.getTime(),
        usedAt.getTime(),
      ]);
      await db.run(
        `DELETE FROM passes WHERE digest IN
           (SELECT digest FROM passes WHERE key = $1 ORDER BY used_at DESC OFFSET ${PASSES_OF_KEY})`,
        [keyId],
      );
    }),
  async pass(digest, now) {
    const [row] = await database.rows<PassRow>('SELECT * FROM passes WHERE digest = $1 AND ends_at > $2', [
      digest,
      now.getTime(),
    ]);
    return row === undefined ? undefined : passOf(row);
  },
  async usePass(digest, now) {
    await database.run('UPDATE passes SET used_at = $2 WHERE digest = $1', [digest, now.getTime()]);
  },
  async takePass(digest, now) {
    const [row] = await database.rows<PassRow>('DELETE FROM passes WHERE digest = $1 RETURNING *', [digest]);
    return row === undefined || row.ends_at <= now.getTime() ? undefined : passOf(row);
  },
});

/** A slice of those that are over; false when there was none. */
export const dropPasses = async (db: Db, now: number): Promise<boolean> =>
  (await db.run(
    'DELETE FROM passes WHERE ctid = ANY(ARRAY(SELECT ctid FROM passes WHERE ends_at <= $1 ORDER BY ends_at LIMIT 1000))',
    [now],
  )) > 0;
