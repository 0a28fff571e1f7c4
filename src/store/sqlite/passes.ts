/** Sessions and tickets. */
import type { DatabaseSync } from 'node:sqlite';
import { PASSES_OF_KEY, type PassRow, passOf } from '../rows/passes.ts';
import type { Pass } from '../store.ts';
import { transaction } from './connection.ts';

export function passReads(db: DatabaseSync) {
  const find = db.prepare('SELECT * FROM passes WHERE digest = ? AND ends_at > ?');
  return {
    pass(digest: string, now: Date): Pass | undefined {
      const row = find.get(digest, now.getTime()) as PassRow | undefined;
      return row === undefined ? undefined : passOf(row);
    },
  };
}

export function passWrites(db: DatabaseSync) {
  const insert = db.prepare('INSERT INTO passes (digest, account, key, ends_at, used_at) VALUES (?, ?, ?, ?, ?)');
  const takeOld = db.prepare(
    `DELETE FROM passes WHERE digest IN
       (SELECT digest FROM passes WHERE key = ? ORDER BY used_at DESC LIMIT -1 OFFSET ${PASSES_OF_KEY})`,
  );
  const use = db.prepare('UPDATE passes SET used_at = ? WHERE digest = ?');
  const take = db.prepare('DELETE FROM passes WHERE digest = ? RETURNING *');
  return {
    addPass: ({ digest, accountId, keyId, endsAt, usedAt }: Pass): void =>
      transaction(db, () => {
        insert.run(digest, accountId, keyId, endsAt.getTime(), usedAt.getTime());
        takeOld.run(keyId);
      }),
    usePass(digest: string, now: Date): void {
      use.run(now.getTime(), digest);
    },
    takePass(digest: string, now: Date): Pass | undefined {
      const row = take.get(digest) as PassRow | undefined;
      return row === undefined || row.ends_at <= now.getTime() ? undefined : passOf(row);
    },
  };
}

/** A few of those that are over; false when there was none. */
export function removePasses(db: DatabaseSync): (now: number) => boolean {
  const remove = db.prepare(
    'DELETE FROM passes WHERE digest IN (SELECT digest FROM passes WHERE ends_at <= ? LIMIT 200)',
  );
  return (now) => Number(remove.run(now).changes) > 0;
}
