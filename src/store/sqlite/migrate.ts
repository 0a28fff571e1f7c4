/** Brings a database to this program's schema, one migration at a time; one from a newer program is refused. */
import type { DatabaseSync } from 'node:sqlite';
import { StoreError } from '../error.ts';
import { MIGRATIONS } from '../migrations/all.ts';
import type { Migration } from '../migrations/migration.ts';
import { DROP_SQL_MATCHES, MATCH_VIEW } from '../nouns/sql-matches.ts';
import { pragma, transaction } from './connection.ts';
import { sqlOf } from './sql.ts';

export function migrate(db: DatabaseSync, migrations: readonly Migration[] = MIGRATIONS): void {
  while (versionOf(db) !== migrations.length) {
    transaction(sqlOf(db), () => {
      // Read again under the lock: two processes may start at once.
      const version = versionOf(db);
      if (version > migrations.length) throw newer(version, migrations.length);
      // A new file takes all of them at once: it has no data that would make the transaction long.
      const next = migrations.slice(version, version === 0 ? undefined : version + 1);
      if (next.length === 0) return;
      db.exec(DROP_SQL_MATCHES);
      for (const { sql } of next) db.exec(sql);
      if (version + next.length === migrations.length) db.exec(MATCH_VIEW.sqlite);
      db.exec(`PRAGMA user_version = ${version + next.length}`);
    });
  }
}

const versionOf = (db: DatabaseSync): number => Number(pragma(db, 'user_version'));

const newer = (found: number, known: number): StoreError =>
  new StoreError(
    'newer',
    `The database has schema ${found}; this program knows schemas up to ${known}. Use a newer program.`,
  );
