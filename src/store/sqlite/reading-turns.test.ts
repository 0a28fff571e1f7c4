import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { keepOpen } from './keeper.ts';
import { ROWS_A_TURN, readInTurns } from './reading-turns.ts';
import { type Sql, sqlOf } from './sql.ts';

function stage() {
  const file = new DatabaseSync(':memory:');
  const { run, close } = keepOpen(file, sqlOf);
  file.exec('CREATE TABLE words (number INTEGER PRIMARY KEY, word TEXT) STRICT');
  const add = file.prepare('INSERT INTO words VALUES (?, ?)');
  for (let number = 0; number < 2_000; number++) add.run(number, 'word');
  return { read: readInTurns(run), close };
}

/** Reads so often, one read after another, and answers how many turns of the event loop passed meanwhile. */
async function turnsOf(reads: number, read: () => Promise<unknown>, readers = 1): Promise<number> {
  let left = readers;
  const reader = async (): Promise<void> => {
    for (let count = 0; count < reads; count++) await read();
    left--;
  };
  const all = Promise.all(Array.from({ length: readers }, reader));
  let turns = 0;
  for (; left > 0; turns++) await setImmediate();
  await all;
  return turns;
}

const rows = (count: number) => (sql: Sql) => sql.rows('SELECT * FROM words WHERE number < ?', [count]);

it('lets everything else run between two slices of rows, and one reader go on in each turn', async () => {
  const { read, close } = stage();
  expect(await turnsOf(8, () => read(rows(ROWS_A_TURN)))).toBeGreaterThanOrEqual(8);
  expect(await turnsOf(8, () => read(rows(ROWS_A_TURN)), 3)).toBeGreaterThanOrEqual(24);
  // Eight slices of a tenth fill no turn.
  expect(await turnsOf(8, () => read(rows(ROWS_A_TURN / 10)))).toBeLessThanOrEqual(2);
  close();
});

it('counts a statement without rows, long texts, and keys that are looked up', async () => {
  const { read, close } = stage();
  expect(
    await turnsOf(ROWS_A_TURN * 4, () => read((sql) => sql.row('SELECT 1 FROM words WHERE number < 0'))),
  ).toBeGreaterThanOrEqual(4);
  const long = (sql: Sql) => sql.row("SELECT replace(hex(zeroblob(256 * 1024)), '0', 'x')");
  expect(await turnsOf(8, () => read(long))).toBeGreaterThanOrEqual(8);
  const keys = JSON.stringify(Array.from({ length: 1_000 }, (_, index) => `a key of a post ${index}`));
  const lookUp = (sql: Sql) => sql.rows('SELECT * FROM words WHERE word IN (SELECT value FROM json_each(?))', [keys]);
  expect(await turnsOf(8, () => read(lookUp))).toBeGreaterThanOrEqual(8);
  close();
});
