/** Brings a database to this program's schema, one migration at a time; one from a newer or a much older program is refused. */
import type { DatabaseSync } from 'node:sqlite';
import { OLDER, StoreError } from '../error.ts';
import { DROP_SQL_MATCHES, MATCH_VIEW } from '../rows/sql-matches.ts';
import { pragma, transaction } from './connection.ts';
import { type Migration, RELEASED_VERSION } from './schema.ts';
import { sqlOf } from './sql.ts';
import { MIGRATIONS } from './steps.ts';

export function migrate(db: DatabaseSync, migrations: readonly Migration[] = MIGRATIONS): void {
  const known = RELEASED_VERSION + migrations.length - 1;
  while (versionOf(db) !== known) {
    transaction(sqlOf(db), () => {
      // Read again under the lock: two processes may start at once.
      const version = versionOf(db);
      checkVersion(version, known);
      // A new file takes all of them at once: it has no data that would make the transaction long.
      const done = version === 0 ? 0 : version - RELEASED_VERSION + 1;
      const next = migrations.slice(done, version === 0 ? undefined : done + 1);
      if (next.length === 0) return;
      db.exec(DROP_SQL_MATCHES);
      for (const { sql } of next) db.exec(sql);
      if (done + next.length === migrations.length) db.exec(MATCH_VIEW.sqlite);
      db.exec(`PRAGMA user_version = ${RELEASED_VERSION + done + next.length - 1}`);
    });
  }
}

const versionOf = (db: DatabaseSync): number => Number(pragma(db, 'user_version'));

function checkVersion(found: number, known: number): void {
  if (found > known)
    throw new StoreError(
      'newer',
      `The database has schema ${found}; this program knows schemas up to ${known}. Use a newer program.`,
    );
  if (found > 0 && found < RELEASED_VERSION) throw new StoreError('older', OLDER);
}
