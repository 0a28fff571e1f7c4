/**
 * The time by which nodes are present, and leases and claims end. On PostgreSQL it is that of the database: the clocks of its
 * nodes may differ. A file has one server, whose clock is the one that is given.
 */
import type { Db } from '../db.ts';

/** The time in milliseconds, as an expression; `parameter` holds `timeGiven`. */
export const storeTime = (db: Db, parameter: string): string =>
  db.dialect === 'postgres'
    ? `coalesce(${parameter}::bigint, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)`
    : parameter;

export const timeGiven = (db: Db, now: Date): number | null => (db.dialect === 'postgres' ? null : now.getTime());
