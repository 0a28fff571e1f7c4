import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { openSqlite } from '../sqlite.ts';
import { checkSettings, connect, IN_MEMORY } from './connection.ts';
import { connectInMemory, migrate } from './migrate.ts';

const schemaOf = (db: DatabaseSync) => db.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema').all();
const stateOf = (db: DatabaseSync) => db.prepare('SELECT * FROM state ORDER BY name').all();
const keyOf = (db: DatabaseSync) => db.prepare('SELECT one, length(key) AS length, key FROM erasure_key').get()!;

it('a database in memory is what the migrations make, with the settings of a file', () => {
  using copy = connectInMemory();
  using whole = connect(IN_MEMORY);
  migrate(whole);
  expect(schemaOf(copy)).toEqual(schemaOf(whole));
  expect(stateOf(copy)).toEqual(stateOf(whole));
  expect(copy.prepare('PRAGMA user_version').get()).toEqual(whole.prepare('PRAGMA user_version').get());
  expect(copy.prepare('PRAGMA auto_vacuum').get()).toEqual({ auto_vacuum: 2 });
  expect(() => checkSettings(copy)).not.toThrow();
});

it('databases in memory share no rows and no key', () => {
  using one = connectInMemory();
  using other = connectInMemory();
  one.exec("UPDATE state SET value = 7 WHERE name = 'latest'");
  using third = connectInMemory();
  expect(stateOf(other)).toEqual(stateOf(third));
  expect(stateOf(one)).not.toEqual(stateOf(other));
  expect(keyOf(one)).toMatchObject({ one: 1, length: 64 });
  expect(new Set([one, other, third].map((db) => keyOf(db)['key'])).size).toBe(3);
});

it('a store in memory waits for nothing, and is copied to a file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-memory-'));
  await using store = await openSqlite(IN_MEMORY);
  const account = { id: 'acct_1', name: 'one', plan: 'paid', xRules: 1, createdAt: new Date(0) } as const;
  await store.addAccount(account);
  expect(store.figures()).toEqual({
    connections: { open: 1, idle: 1, waiting: 0 },
    lock: { waits: 0, seconds: 0 },
  });
  await store.backup(join(folder, 'copy.db'));
  await using copy = await openSqlite(join(folder, 'copy.db'));
  expect(await copy.accounts()).toEqual([account]);
  rmSync(folder, { recursive: true });
});
