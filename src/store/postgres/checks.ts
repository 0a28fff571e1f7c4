/** Whether the server keeps what it acknowledges, and has room for more. */

import type { Db } from '../db.ts';
import { StoreError } from '../error.ts';
import type { Database } from './connection.ts';

/** Each with what it must read back; anything else loses what was acknowledged. */
const SETTINGS: Readonly<Record<string, readonly string[]>> = {
  fsync: ['on'],
  full_page_writes: ['on'],
  synchronous_commit: ['on', 'remote_write', 'remote_apply', 'local'],
};

export async function checkServer(db: Db): Promise<void> {
  for (const [name, expected] of Object.entries(SETTINGS)) {
    const [row] = await db.rows<{ value: string }>('SELECT current_setting($1) AS value', [name]);
    if (row !== undefined && expected.includes(row.value)) continue;
    throw new StoreError('settings', `PostgreSQL has ${name} = ${row?.value} where it must be ${expected[0]}.`);
  }
}

/** Throws when so many bytes do not fit. PostgreSQL takes space for a table of this session, and gives it back. */
export async function checkSpace(database: Database, room: number): Promise<void> {
  await database.transaction(async (db) => {
    await db.run('CREATE TEMPORARY TABLE room (bytes bytea) ON COMMIT DROP');
    // As they are: compressed, they would take no space.
    await db.run('ALTER TABLE room ALTER bytes SET STORAGE EXTERNAL');
    await db.run(`INSERT INTO room VALUES (decode(repeat('00', $1), 'hex'))`, [room]);
  });
}
