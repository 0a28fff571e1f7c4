/** Budgets of the judge under fire, in many runs: on SQLite, and by three nodes on one PostgreSQL. */
import { openPostgres } from '../../src/store/postgres.ts';
import { openSqlite } from '../../src/store/sqlite.ts';
import { type BudgetReport, spendUnderFire } from '../judging/budget.ts';
import { startPostgresWithTables } from '../stages/postgres.ts';

export async function judgeCampaign({ times = 10_000, seed = 1 }: { times?: number; seed?: number }): Promise<boolean> {
  console.log(`${times} runs on each database; --seed ${seed}`);
  await using file = await openSqlite(':memory:');
  const onSqlite = await spendUnderFire([file, file, file], times, seed);
  tell('SQLite', onSqlite);
  await using server = await startPostgresWithTables();
  const url = await server.newDatabase();
  await using one = await openPostgres(url);
  await using two = await openPostgres(url);
  await using three = await openPostgres(url);
  const onPostgres = await spendUnderFire([one, two, three], times, seed);
  tell('PostgreSQL', onPostgres);
  return [...onSqlite.passed, ...onPostgres.passed].length === 0;
}

function tell(name: string, { runs, calls, limited, died, passed }: BudgetReport): void {
  console.log(
    `${name}: ${runs} runs, ${calls} calls, ${died} died unsettled, ${limited} limited, ${passed.length} passed a limit`,
  );
  for (const line of passed.slice(0, 20)) console.log(line);
}
