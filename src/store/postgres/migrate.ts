/** Brings the database to this version, one step after another, each in a transaction; several nodes may start at once. */

import type { Db } from '../db.ts';
import { StoreError } from '../error.ts';
import { DROP_SQL_MATCHES, MATCH_VIEW } from '../nouns/sql-matches.ts';
import type { Database } from './connection.ts';
import { POSTGRES_MIGRATIONS } from './schema.ts';

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
    const known = new Set(POSTGRES_MIGRATIONS.map(({ name }) => name));
    const foreign = [...done].find((name) => !known.has(name));
    if (foreign !== undefined)
      throw new StoreError('newer', `The database was written by a newer version (it has ${foreign}).`);
    const due = POSTGRES_MIGRATIONS.filter(({ name }) => !done.has(name));
    if (due.length > 0) await db.run(DROP_SQL_MATCHES);
    for (const { name, sql } of due) {
      await db.run(sql);
      await db.run('INSERT INTO migrations (name) VALUES ($1)', [name]);
    }
    if (due.length > 0) await db.run(MATCH_VIEW.postgres);
    await db.run('COMMIT');
  } catch (error) {
    await db.run('ROLLBACK').catch(() => {});
    throw error;
  }
}
