/**
 * The numbers that other tables know an account by, and the locks that PostgreSQL needs where SQLite has one writer: a row that
 * stands for what is counted under it, and one lock for what rules match.
 */
import type { Db } from '../db.ts';

/** The lock under which a platform's rings are changed; the other half of its key is the platform. */
export const RING_LOCK = 5_271_846;

const ACCOUNT_NUMBER = 'SELECT number FROM accounts WHERE id = $1';

export const accountNumber = async (db: Db, id: string): Promise<number | undefined> =>
  (await db.row<{ number: number }>(ACCOUNT_NUMBER, [id]))?.number;

/** Keeps the counts of the account unchanged until the end of the transaction. */
export const lockAccount = async (db: Db, id: string): Promise<number | undefined> =>
  (await db.row<{ number: number }>(`${ACCOUNT_NUMBER} FOR UPDATE`, [id]))?.number;

/** Commits share it while they store matches of rules; a change of a rule takes it alone. */
const RULE_LOCK = 5_271_848;

const advisory =
  (lock: number, mode = '') =>
  async (db: Db): Promise<void> => {
    if (db.dialect === 'postgres') await db.run(`SELECT pg_advisory_xact_lock${mode}($1)`, [lock]);
  };

/** Commits wait until the end of the transaction, or are waited for. */
export const lockRules = advisory(RULE_LOCK);

/** No rule changes and no post is erased until the end of the transaction. */
export const shareRules = advisory(RULE_LOCK, '_shared');

/** The log of certificates has one writer until the end of the transaction: they are added one after another. */
export const lockCertificateLog = advisory(5_271_849);

/** Deliveries are given their positions in the order of commits. */
export const lockInbox = advisory(5_271_850);

/** No object of old matches is taken into use, and no match leaves one, until the end of the transaction. */
export const lockColdObjects = advisory(5_271_851);

/** The time in milliseconds, as an expression; `parameter` holds `timeGiven`. */
export const storeTime = (db: Db, parameter: string): string =>
  db.dialect === 'postgres'
    ? `coalesce(${parameter}::bigint, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)`
    : parameter;

/**
 * The time by which nodes are present, and leases and claims end. On PostgreSQL it is that of the database: the clocks of its
 * nodes may differ. A file has one server, whose clock is the one that is given.
 */
export const timeGiven = (db: Db, now: Date): number | null => (db.dialect === 'postgres' ? null : now.getTime());
