/**
 * Databases in memory. The migrations take about 20 ms; a copy of what they made takes one. So they run once in this process,
 * and every database in memory is a copy at first.
 */
import type { DatabaseSync } from 'node:sqlite';
import { connect, IN_MEMORY } from './connection.ts';
import { migrate } from './migrate.ts';

let migrated: Uint8Array | undefined;

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
