import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { checkSettings, connect, IN_MEMORY, inOurWords, pragma, transaction } from './connection.ts';
import { sqlOf } from './sql.ts';

const ofSystem = (code: string): Error => Object.assign(new Error(code), { code, syscall: 'open' });
const ofSqlite = (errcode: number): Error => Object.assign(new Error('as told'), { errcode });

describe('a failure of SQLite', () => {
  it.each([
    ['full', ofSystem('ENOSPC')],
    ['unwritable', ofSystem('EACCES')],
    ['busy', ofSqlite(5)],
    ['busy', ofSqlite(6)],
    ['unwritable', ofSqlite(7)],
    ['unwritable', ofSqlite(8)],
    ['unwritable', ofSqlite(10)],
    ['damaged', ofSqlite(11)],
    ['full', ofSqlite(13)],
    ['unwritable', ofSqlite(14)],
    ['exists', ofSqlite(19)],
    ['damaged', ofSqlite(26)],
    ['defect', ofSqlite(1)],
    // An extended code has the primary one in its low byte.
    ['exists', ofSqlite(19 + 8 * 256)],
  ])('is %s: %s', (reason, cause) => {
    expect(inOurWords(cause)).toMatchObject({ name: 'StoreError', reason, cause });
  });

  it('is told in its own words, and what is no failure of SQLite is left alone', () => {
    expect(inOurWords(ofSystem('EACCES'))).toMatchObject({ message: 'The database file cannot be written: EACCES.' });
    expect(inOurWords(ofSqlite(5))).toMatchObject({ message: 'The database answered: as told.' });
    const others = [new TypeError('a slip'), 'text', undefined, Object.assign(new Error('e'), { errcode: 'five' })];
    for (const other of others) expect(inOurWords(other)).toBe(other);
  });
});

describe('the settings of a connection', () => {
  it('are all as they must be, and a wrong one is refused by its name', () => {
    using db = connect(IN_MEMORY);
    expect(() => checkSettings(db)).not.toThrow();
    expect([pragma(db, 'page_size'), pragma(db, 'auto_vacuum'), pragma(db, 'journal_mode')]).toEqual([
      8192,
      2,
      'memory',
    ]);
    for (const [setting, wrong, right] of [
      ['synchronous', 'NORMAL', 'FULL'],
      ['foreign_keys', 'OFF', 'ON'],
      ['secure_delete', 'OFF', 'ON'],
      ['fullfsync', 'OFF', 'ON'],
      ['checkpoint_fullfsync', 'OFF', 'ON'],
      ['cache_size', '-100', '-8000'],
      ['journal_size_limit', '5', '16777216'],
    ]) {
      db.exec(`PRAGMA ${setting} = ${wrong}`);
      expect(() => checkSettings(db), setting).toThrow(`The database has ${setting} = `);
      db.exec(`PRAGMA ${setting} = ${right}`);
    }
    expect(() => checkSettings(new DatabaseSync(IN_MEMORY))).toThrow(/where it must be/);
  });
});

describe('a transaction', () => {
  function stage() {
    const db = connect(IN_MEMORY);
    db.exec('CREATE TABLE notes (text TEXT PRIMARY KEY)');
    const sql = sqlOf(db);
    const add = (text: string) => sql.run('INSERT INTO notes VALUES (?)', [text]);
    const notes = () => sql.rows<{ text: string }>('SELECT text FROM notes ORDER BY text').map(({ text }) => text);
    return { db, sql, add, notes, [Symbol.dispose]: () => db.close() };
  }

  it('keeps all of its work and answers what that answers, or keeps nothing', () => {
    using stand = stage();
    const { db, sql, add, notes } = stand;
    expect(transaction(sql, () => add('a') + add('b'))).toBe(2);
    const slip = new TypeError('a slip');
    const failing = () =>
      transaction(sql, () => {
        add('c');
        throw slip;
      });
    expect(failing).toThrow(slip);
    expect([db.isTransaction, notes()]).toEqual([false, ['a', 'b']]);
  });

  it('fails with its own error when SQLite has rolled it back already', () => {
    using stand = stage();
    const { db, sql, add, notes } = stand;
    const full = new Error('full');
    const failing = () =>
      transaction(sql, () => {
        add('a');
        db.exec('ROLLBACK');
        throw full;
      });
    expect(failing).toThrow(full);
    expect(notes()).toEqual([]);
  });

  it('holds the lock from its start', () => {
    using stand = stage();
    transaction(stand.sql, () => expect(stand.db.isTransaction).toBe(true));
    expect(stand.db.isTransaction).toBe(false);
  });
});
