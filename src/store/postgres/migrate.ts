/** Brings the database to this version, one step after another, each in a transaction; several nodes may start at once. */

import type { Db } from '../db.ts';
import { OLDER, StoreError } from '../error.ts';
import { DROP_SQL_MATCHES, MATCH_VIEW } from '../rows/sql-matches.ts';
import type { Database } from './connection.ts';
import { POSTGRES_MIGRATIONS, RELEASED_STEPS } from './schema.ts';

/** Any number, if all our programs take the same: the process that holds it migrates. */
const LOCK = 5_271_844;

/** Another node may migrate for minutes, and a step may take minutes itself: neither has a time limit. */
export const migratePostgres = (database: Database): Promise<void> => database.patiently(migrateOn, { lockMs: 0 });

async function migrateOn(db: Db): Promise<void> {
  await db.run('BEGIN');
  try {
    await db.run('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    await db.run('CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY)');
    const done = new Set((await db.rows<{ name: string }>('SELECT name FROM migrations')).map(({ name }) => name));
    const known = new Set([...RELEASED_STEPS, ...POSTGRES_MIGRATIONS.map(({ name }) => name)]);
    const foreign = [...done].find((name) => !known.has(name));
    if (foreign !== undefined)
      throw new StoreError('newer', `The database was written by a newer version (it has ${foreign}).`);
    if (done.size > 0 && RELEASED_STEPS.some((name) => !done.has(name))) throw new StoreError('older', OLDER);
    if (done.size === 0) for (const name of RELEASED_STEPS.slice(0, -1)) await note(db, name);
    const due = POSTGRES_MIGRATIONS.filter(({ name }) => !done.has(name));
    if (due.length > 0) await db.run(DROP_SQL_MATCHES);
    for (const { name, sql } of due) {
      await db.run(sql);
      await note(db, name);
    }
    if (due.length > 0) await db.run(MATCH_VIEW.postgres);
    await db.run('COMMIT');
  } catch (error) {
    await db.run('ROLLBACK').catch(() => {});
    throw error;
  }
}

const note = (db: Db, name: string): Promise<number> => db.run('INSERT INTO migrations (name) VALUES ($1)', [name]);
