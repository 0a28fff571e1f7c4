/** Sessions and tickets: a pass stands for a key for a limited time, and is known by a digest. Not scoped by account. */
import type { Change } from '../../domain/change.ts';
import { type Db, deleteSlice, insertRow } from '../db.ts';
import { noteChange } from './changes.ts';

export interface PassStore {
  addPass(pass: Pass, note?: Change): Promise<void>;
  /** Returns undefined once the pass has ended. */
  pass(digest: string, now: Date): Promise<Pass | undefined>;
  usePass(digest: string, now: Date): Promise<void>;
  /** Takes the pass away. Of several callers one gets it, the others get undefined. */
  takePass(digest: string, now: Date, note?: Change): Promise<Pass | undefined>;
}

export interface Pass {
  readonly digest: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly endsAt: Date;
  readonly usedAt: Date;
}

/** One key has no more; those used longest ago go first. */
export const PASSES_OF_KEY = 1_000;
/** Passes that go in one slice of removal. */
const OLD_SLICE = 200;

interface PassRow {
  readonly digest: string;
  readonly account: string;
  readonly key: string;
  readonly ends_at: number;
  readonly used_at: number;
}

const passOf = (row: PassRow): Pass => ({
  digest: row.digest,
  accountId: row.account,
  keyId: row.key,
  endsAt: new Date(row.ends_at),
  usedAt: new Date(row.used_at),
});

export const passReads = (db: Db): Pick<PassStore, 'pass'> => ({
  async pass(digest, now) {
    const row = await db.row<PassRow>('SELECT * FROM passes WHERE digest = $1 AND ends_at > $2', [digest, now]);
    return row && passOf(row);
  },
});

export const passWrites = (db: Db): Omit<PassStore, 'pass'> => ({
  addPass: ({ digest, accountId, keyId, endsAt, usedAt }, note) =>
    db.transaction(async (tx) => {
      await insertRow(tx, 'passes', { digest, account: accountId, key: keyId, ends_at: endsAt, used_at: usedAt });
      await tx.run(
        `DELETE FROM passes WHERE digest IN
           (SELECT digest FROM passes WHERE key = $1 ORDER BY used_at DESC LIMIT ALL OFFSET ${PASSES_OF_KEY})`,
        [keyId],
      );
      await noteChange(tx, accountId, note);
    }),
  async usePass(digest, now) {
    await db.run('UPDATE passes SET used_at = $2 WHERE digest = $1', [digest, now]);
  },
  takePass: (digest, now, note) =>
    db.transaction(async (tx) => {
      const row = await tx.row<PassRow>('DELETE FROM passes WHERE digest = $1 RETURNING *', [digest]);
      if (row === undefined || row.ends_at <= now.getTime()) return undefined;
      await noteChange(tx, row.account, note);
      return passOf(row);
    }),
});

/** A few of those that are over; false when there was none. */
export const removePasses = async (db: Db, now: number): Promise<boolean> =>
  (await deleteSlice(db, 'passes', { key: 'digest', of: 'ends_at <= $1 ORDER BY ends_at', limit: OLD_SLICE }, [now])) >
  0;
