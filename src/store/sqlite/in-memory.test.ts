import type { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { checkSettings, connect, IN_MEMORY } from './connection.ts';
import { connectInMemory } from './in-memory.ts';
import { migrate } from './migrate.ts';

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
