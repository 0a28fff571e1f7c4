/** The cost of a commit for the rings of recent events: rows that the server touches, counted by the server. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPostgresWithTables, type TestPostgres } from '../../../test/stages/postgres.ts';
import type { Db } from '../db.ts';
import { keepRecent } from './after-commit.ts';
import { connectPostgres } from './connection.ts';

let server: TestPostgres | undefined;
beforeAll(async () => {
  server = await startPostgresWithTables();
});
afterAll(() => server?.[Symbol.asyncDispose]());

/** Rows of the rings that a transaction has read or changed so far. */
async function touched(db: Db): Promise<number> {
  const [row] = await db.rows<{ rows: number }>(
    `SELECT sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) + n_tup_ins + n_tup_upd + n_tup_del)::bigint AS rows
     FROM pg_stat_xact_user_tables WHERE relname LIKE 'recent%'`,
  );
  return row!.rows;
}

describe('a full ring', () => {
  it.each([
    { name: 'of shared events', owner: undefined },
    { name: 'of an account', owner: 'acct_1' },
  ])('$name costs a commit the same, whatever it holds', async ({ owner }) => {
    const costs: number[] = [];
    for (const rows of [2_000, 20_000]) {
      const database = connectPostgres(await server!.newDatabase());
      await database.patiently(
        async (db) => {
          await db.run(
            `INSERT INTO recent (platform, owner, at, events, bytes, lines) SELECT 'x', $2, 0, 1, 10, 'l' FROM generate_series(1, $1)`,
            [rows, owner ?? ''],
          );
          await db.run(
            `INSERT INTO recent_totals (platform, owner, events, bytes) SELECT 'x', o, $1, $1::bigint * 10 FROM unnest($2::text[]) o`,
            [rows, owner === undefined ? [''] : [owner, '*']],
          );
          await db.run('VACUUM ANALYZE');
        },
        { lockMs: 0 },
      );
      const event = { accountId: owner, postId: 'new', payload: '{}' };
      costs.push(
        await database.transaction(async (db) => {
          await keepRecent(db, 'x', 1, [event], { events: rows, bytes: 1e9 });
          return touched(db);
        }),
      );
      await database.close();
    }
    expect(costs[0]).toBeGreaterThan(3);
    expect(costs[1]).toBe(costs[0]);
  });
});
