import { expect, it } from 'vitest';
import { openPostgres } from '../../src/store/postgres.ts';
import { openSqlite } from '../../src/store/sqlite.ts';
import { startPostgresWithTables } from '../stages/postgres.ts';
import { type BudgetReport, spendUnderFire } from './budget.ts';

const SEED = 20_261_118;

function expectHeld({ passed, runs, calls, limited, died }: BudgetReport): void {
  console.log(`seed ${SEED}: ${runs} runs, ${calls} calls, ${died} died unsettled, ${limited} runs were limited`);
  expect(passed).toEqual([]);
  expect(calls).toBeGreaterThan(runs);
  expect(died).toBeGreaterThan(runs / 20);
  expect(limited).toBeGreaterThan(runs / 4);
}

it('no budget is passed on SQLite, whatever dies and however many ask at once', async () => {
  await using store = await openSqlite(':memory:');
  expectHeld(await spendUnderFire([store, store, store], 100, SEED));
});

it('no budget is passed by three nodes on one PostgreSQL', async () => {
  await using server = await startPostgresWithTables();
  const url = await server.newDatabase();
  await using one = await openPostgres(url);
  await using two = await openPostgres(url);
  await using three = await openPostgres(url);
  expectHeld(await spendUnderFire([one, two, three], 40, SEED));
});
