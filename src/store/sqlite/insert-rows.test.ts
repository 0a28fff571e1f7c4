import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { rowInserter } from './insert-rows.ts';
import { sqlOf } from './sql.ts';

interface Post {
  readonly number: number;
  readonly text: string;
}

const insert = rowInserter<Post>(
  'posts',
  ['number', 'platform', 'text'],
  (values, at, { number, text }) => {
    values[at] = number;
    values[at + 1] = text;
  },
  { platform: `'x'`, text: 'upper(?)' },
);

function insertPosts(count: number) {
  const sql = sqlOf(new DatabaseSync(':memory:'));
  sql.run('CREATE TABLE posts (number INTEGER PRIMARY KEY, platform TEXT, text TEXT)');
  let statements = 0;
  const counting = {
    ...sql,
    run(...given: Parameters<typeof sql.run>) {
      statements++;
      return sql.run(...given);
    },
  };
  insert(
    counting,
    Array.from({ length: count }, (_, number) => ({ number, text: `post ${number}` })),
  );
  const stored = sql.rows<{ number: number; platform: string; text: string }>('SELECT * FROM posts ORDER BY number');
  return { statements, stored: stored.map(({ number, platform, text }) => [number, platform, text]) };
}

describe('rows that are inserted together', () => {
  it.each([0, 1, 63, 64, 65, 200])('are all stored, as they were given: %i rows', (count) => {
    expect(insertPosts(count).stored).toEqual(
      Array.from({ length: count }, (_, number) => [number, 'x', `POST ${number}`]),
    );
  });

  it('take one statement for 64 of them', () => {
    expect([0, 63, 64, 640, 641].map((count) => insertPosts(count).statements)).toEqual([0, 63, 1, 10, 11]);
  });
});
