import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BUSY_MILLISECONDS, connect, pragma } from './connection.ts';
import { sqlOf, truncateLog } from './sql.ts';

function opened() {
  const file = new DatabaseSync(':memory:');
  onTestFinished(() => file.close());
  file.exec('CREATE TABLE posts (number INTEGER PRIMARY KEY, text TEXT); CREATE INDEX posts_by_text ON posts (text)');
  file.exec("INSERT INTO posts VALUES (1, 'a'), (2, 'b'), (3, 'c')");
  return { file, sql: sqlOf(file) };
}

describe('statements', () => {
  it('give rows by the names of their columns', () => {
    const { sql } = opened();
    expect(sql.row('SELECT number, text AS said FROM posts WHERE number = ?', [2])).toEqual({ number: 2, said: 'b' });
    expect(sql.row('SELECT * FROM posts WHERE number = ?', [7])).toBeUndefined();
    expect(sql.rows('SELECT text FROM posts ORDER BY number')).toEqual([{ text: 'a' }, { text: 'b' }, { text: 'c' }]);
    expect([...sql.each('SELECT number FROM posts WHERE number > :above', { above: 2 })]).toEqual([{ number: 3 }]);
  });

  it('that read all columns give those that were added since', () => {
    const { file, sql } = opened();
    const all = 'SELECT posts.*, 7 AS seven FROM posts WHERE number = ?';
    expect(sql.row(all, [1])).toEqual({ number: 1, text: 'a', seven: 7 });
    file.exec("ALTER TABLE posts ADD COLUMN lang TEXT DEFAULT 'en'");
    expect(sql.row(all, [1])).toEqual({ number: 1, text: 'a', lang: 'en', seven: 7 });
  });

  it.each([
    ['SELECT number FROM posts WHERE text > ? ORDER BY text LIMIT ?', ['', 2]],
    ['SELECT number FROM (SELECT * FROM posts ORDER BY text LIMIT ?2) WHERE text > ?1', ['', 2]],
    ['SELECT number FROM posts WHERE text > :text ORDER BY text LIMIT :limit', { text: '', limit: 2 }],
  ])('are planned once, whatever the limit: %s', (text, values) => {
    const { file, sql } = opened();
    let planned = 0;
    // SQLite asks while it plans.
    file.setAuthorizer(() => {
      planned++;
      return 0;
    });
    expect(sql.rows(text, values)).toHaveLength(2);
    expect(planned).toBeGreaterThan(0);
    planned = 0;
    const more = Array.isArray(values) ? ['', 3] : { text: '', limit: 3 };
    expect(sql.rows(text, more)).toHaveLength(3);
    expect(planned).toBe(0);
  });
});

describe('the log', () => {
  it('is not emptied while somebody reads, and nothing waits for that', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-log-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    using file = connect(join(folder, 'a.db'));
    using reader = connect(join(folder, 'a.db'));
    file.exec('CREATE TABLE posts (text TEXT)');
    reader.exec('BEGIN');
    expect(reader.prepare('SELECT * FROM posts').all()).toEqual([]);
    file.exec("INSERT INTO posts VALUES ('a')");
    const sql = sqlOf(file);
    let patience: unknown;
    const row: typeof sql.row = (text, values) => {
      patience = pragma(file, 'busy_timeout');
      return sql.row(text, values);
    };
    for (const isEmptied of [false, true]) {
      expect(truncateLog({ file, row })).toBe(isEmptied);
      expect([patience, pragma(file, 'busy_timeout')]).toEqual([0, BUSY_MILLISECONDS]);
      if (!isEmptied) reader.exec('COMMIT');
    }
  });
});
