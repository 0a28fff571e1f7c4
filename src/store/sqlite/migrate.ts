/** Brings a database to this program's schema, one step at a time. One whose tables this program cannot serve is refused. */
import type { DatabaseSync } from 'node:sqlite';
import { OLDER, StoreError } from '../error.ts';
import { DROP_SQL_MATCHES, MATCH_VIEW } from '../rows/match-rows.ts';
import { NEEDED, neededAfter, newerSchema, type SchemaStep } from '../schema-needs.ts';
import { RELEASED_VERSION, SQLITE_STEPS } from '../steps.ts';
import { connect, IN_MEMORY, pragma, transaction } from './connection.ts';
import { sqlOf } from './sql.ts';

export function migrate(db: DatabaseSync, migrations: readonly SchemaStep[] = SQLITE_STEPS): void {
  const known = RELEASED_VERSION + migrations.length - 1;
  while (versionOf(db) < known) {
    transaction(sqlOf(db), () => {
      // Read again under the lock: two processes may start at once.
      const version = versionOf(db);
      if (version > 0 && version < RELEASED_VERSION) throw new StoreError('older', OLDER);
      // A new file takes all of them at once: it has no data that would make the transaction long.
      const done = version === 0 ? 0 : version - RELEASED_VERSION + 1;
      const next = migrations.slice(done, version === 0 ? undefined : done + 1);
      if (next.length === 0) return;
      db.exec(DROP_SQL_MATCHES);
      for (const { sql } of next) db.exec(sql);
      const now = done + next.length;
      if (now === migrations.length) db.exec(MATCH_VIEW.sqlite);
      db.prepare('INSERT OR REPLACE INTO state (name, value) VALUES (?, ?)').run(
        NEEDED,
        neededAfter(migrations.slice(0, now), RELEASED_VERSION),
      );
      db.exec(`PRAGMA user_version = ${RELEASED_VERSION + now - 1}`);
    });
  }
  checkNeeded(db, known);
}

const versionOf = (db: DatabaseSync): number => Number(pragma(db, 'user_version'));

/** Tables of a newer program serve this one, unless they say that they do not. */
function checkNeeded(db: DatabaseSync, known: number): void {
  const version = versionOf(db);
  if (version <= known) return;
  const row = db.prepare('SELECT value FROM state WHERE name = ?').get(NEEDED);
  const needed = Number(row?.['value'] ?? version);
  if (needed > known) throw new StoreError('newer', newerSchema({ known, needed }));
}

let migrated: Uint8Array | undefined;

/**
 * Databases in memory. The migrations take about 20 ms; a copy of what they made takes one. So they run once in this process,
 * and every database in memory is a copy at first.
 */
export function connectInMemory(): DatabaseSync {
  migrated ??= migratedImage();
  const db = connect(IN_MEMORY, migrated);
  // A migration made this key by chance: no two databases share it.
  db.exec('UPDATE erasure_key SET key = lower(hex(randomblob(32)))');
  return db;
}

function migratedImage(): Uint8Array {
  const db = connect(IN_MEMORY);
  try {
    migrate(db);
    return db.serialize();
  } finally {
    db.close();
  }
}
