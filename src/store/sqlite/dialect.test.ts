import { describe, expect, it } from 'vitest';
import { connect, IN_MEMORY } from './connection.ts';
import { writingDb } from './db.ts';
import { inSqlite, WORDS } from './dialect.ts';
import { sqlOf } from './sql.ts';

/** One for each word, in the order of the table. */
const SAID: readonly (readonly [string, string])[] = [
  ['SELECT 1 FROM t /*sqlite INDEXED BY t_of_a */ WHERE a = 1', 'SELECT 1 FROM t INDEXED BY t_of_a WHERE a = 1'],
  [
    'FROM json_to_recordset($2)\n AS p (rule bigint, platform text)',
    `FROM (SELECT value ->> 'rule' AS rule, value ->> 'platform' AS platform FROM json_each(?2)) AS p`,
  ],
  ['FROM unnest($1::bigint[]) AS p (position)', 'FROM (SELECT value AS position FROM json_each(?1)) AS p'],
  ['WHERE NOT a = ANY($2::text[])', 'WHERE NOT a IN (SELECT value FROM json_each(?2))'],
  ['SELECT NULL::text, $1::bigint', 'SELECT NULL, ?1'],
  ['SET a = greatest(a, $1)', 'SET a = max(a, ?1)'],
  ['SET a = least(a, $1)', 'SET a = min(a, ?1)'],
  ['ORDER BY a LIMIT ALL OFFSET 5', 'ORDER BY a LIMIT -1 OFFSET 5'],
  [
    'SELECT 1 FOR UPDATE; SELECT 2\n FOR SHARE OF r; SELECT 3 FOR KEY SHARE; SELECT 4 FOR UPDATE SKIP LOCKED; SELECT 5 FOR UPDATE OF o FOR SHARE OF r',
    'SELECT 1; SELECT 2; SELECT 3; SELECT 4; SELECT 5',
  ],
  ['VALUES ($1, $12, $1)', 'VALUES (?1, ?12, ?1)'],
];

describe('what SQLite is told', () => {
  it.each(SAID)('%j', (postgres, sqlite) => {
    expect(inSqlite(postgres)).toBe(sqlite);
  });

  it('has a case for each word, and needs it', () => {
    expect(SAID).toHaveLength(WORDS.length);
    for (const [index, [postgres]] of SAID.entries()) {
      const { postgres: word } = WORDS[index]!;
      expect(postgres.search(word), String(word)).toBeGreaterThanOrEqual(0);
    }
  });

  it('is nothing else where no word stands', () => {
    const text = `INSERT INTO t AS x (a) VALUES ('for update of a') ON CONFLICT (a) DO UPDATE SET a = x.a || excluded.a`;
    expect(inSqlite(text)).toBe(text);
  });
});

describe('a statement of the store on SQLite', () => {
  async function stage() {
    const file = connect(IN_MEMORY);
    file.exec('CREATE TABLE notes (number INTEGER PRIMARY KEY, text TEXT, bytes BLOB)');
    const db = writingDb(sqlOf(file));
    await db.run('INSERT INTO notes (number, text) SELECT n, t FROM json_to_recordset($1) AS r (n bigint, t text)', [
      JSON.stringify([
        { n: 1, t: 'one' },
        { n: 2, t: null },
        { n: 3, t: 'three' },
      ]),
    ]);
    return { db, [Symbol.dispose]: () => file.close() };
  }

  it('takes lists, truth values and bytes, and a value wherever its number stands', async () => {
    using stand = await stage();
    const { db } = stand;
    expect(
      await db.rows('SELECT number FROM notes WHERE number = ANY($1) AND $2 ORDER BY number', [[3, 1, 9], true]),
    ).toEqual([{ number: 1 }, { number: 3 }]);
    expect(await db.row('SELECT 1 AS found WHERE $2 = $1 AND $1 IS NOT NULL', ['a', 'a'])).toEqual({ found: 1 });
    expect(await db.run('UPDATE notes SET bytes = $1 WHERE text IS NULL', [new Uint8Array([1, 2])])).toBe(1);
    expect(await db.row('SELECT bytes FROM notes WHERE number = 2')).toEqual({ bytes: new Uint8Array([1, 2]) });
    expect(await db.row('SELECT 1 WHERE false')).toBeUndefined();
  });

  it('is part of a transaction that keeps all or nothing, and of the one around it', async () => {
    using stand = await stage();
    const { db } = stand;
    const slip = new TypeError('a slip');
    const failing = db.transaction(async (tx) => {
      await tx.run('DELETE FROM notes');
      await tx.transaction((inner) => inner.run(`INSERT INTO notes VALUES (9, 'nine', NULL)`));
      throw slip;
    });
    await expect(failing).rejects.toBe(slip);
    expect(db.sql.file.isTransaction).toBe(false);
    expect(await db.rows('SELECT number FROM notes')).toHaveLength(3);
    expect(await db.transaction((tx) => tx.run('DELETE FROM notes WHERE number = $1', [1]))).toBe(1);
    expect(await db.rows('SELECT number FROM notes')).toHaveLength(2);
  });
});
