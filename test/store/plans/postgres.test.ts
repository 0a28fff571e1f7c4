/** Every statement of the store on PostgreSQL, at size: none goes through a growing table, none looks at more than it gives. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectPostgres } from '../../../src/store/postgres/connection.ts';
import { storeOn } from '../../../src/store/postgres.ts';
import { startPostgresWithTables, type TestPostgres } from '../../stages/postgres.ts';
import { noting } from './called.ts';
import { cold, exerciseAll } from './exercise.ts';
import { type Explained, explaining, rowsScanned, rowsVisited } from './recorded.ts';
import { notMet, statementsIn } from './statements.ts';
import { FIRST, fillSql, MATCHES, NOW, postgresDialect } from './world.ts';

/** The rows that a statement may look at. The tables that grow have from 5,000 to 50,000. */
const MOST_ROWS = 3_000;
/** The rows of them found by going through a table: of accounts and small tables at most. */
const MOST_SCANNED = 1_001;

/** Statements that need a broken connection, a new database or a connection of their own; their tests are elsewhere. */
const ELSEWHERE = [/commit.ts: SELECT pg_xact_status/, /migrate.ts: /, /partitions.ts: SELECT pg_try_advisory_lock/];

const EXCEPTIONS: readonly { readonly sql: RegExp; readonly because: string }[] = [
  { sql: /FROM webhooks w JOIN accounts a .* AND true$/, because: 'all active webhooks are what is asked for' },
  { sql: /WHERE oldest IS NOT NULL ORDER BY oldest LIMIT/, because: 'one row for each webhook that is owed something' },
  { sql: /count\(\*\) AS answers FROM/, because: 'counted up to the quota of an account, which is 10,000' },
  { sql: /^DELETE FROM minutes WHERE ctid/, because: 'a slice of ten thousand, found by their age' },
];

let server: TestPostgres | undefined;
let explained: Explained[] = [];
let notCalled: string[] = [];

beforeAll(async () => {
  server = await startPostgresWithTables();
  const database = connectPostgres(await server.newDatabase(), { textKey: Buffer.alloc(32) });
  const clock = { now: () => new Date(NOW), elapsed: () => 0, sleep: async () => {} };
  // A commit makes the partitions of its day.
  const plain = storeOn(database, { clock });
  await plain.commit({ platform: 'x', at: new Date(FIRST), events: [] });
  await database.patiently(
    async (db) => {
      await db.run(`CREATE TEMP TABLE n AS SELECT i::bigint AS i FROM generate_series(0, ${MATCHES}) i`);
      for (const sql of fillSql(postgresDialect, 'OVERRIDING SYSTEM VALUE')) await db.run(sql);
      for (const table of [
        'accounts',
        'rules',
        'webhooks',
        'deliveries',
        'attempts',
        'recent',
        'broken',
        'alerts',
        'views',
        'silences',
        'source_fetches',
        'account_sources',
        'rehearsals',
        'rehearsal_samples',
      ])
        await db.run(`SELECT setval(pg_get_serial_sequence('${table}', 'number'), (SELECT max(number) FROM ${table}))`);
      await db.run(`UPDATE state SET value = 20000 WHERE name = 'rule_change'`);
      await db.run('VACUUM ANALYZE');
    },
    { lockMs: 0 },
  );
  const recorder = explaining(database);
  await using store = storeOn(recorder.database, {
    clock,
    recent: { events: 10_000, bytes: 1e9 },
    cold,
  });
  const noted = noting(store);
  await exerciseAll(noted.store);
  await noted.store.backup('anywhere').catch(() => {});
  ({ explained } = recorder);
  notCalled = noted.notCalled();
});
afterAll(() => server?.[Symbol.asyncDispose]());

const excepted = ({ sql }: Explained): boolean => EXCEPTIONS.some((exception) => exception.sql.test(sql));
const isGrowing = ({ plan }: Explained): boolean => rowsVisited(plan) > MOST_ROWS || rowsScanned(plan) > MOST_SCANNED;

/** The one that looked at most, of each statement. */
const distinct = (all: readonly Explained[]): Explained[] =>
  [...Map.groupBy(all, ({ sql }) => sql).values()].map(
    (same) => same.toSorted((one, other) => rowsVisited(other.plan) - rowsVisited(one.plan))[0]!,
  );

describe('the statements on PostgreSQL', () => {
  it('are all met by this test: every method, and every statement that the source has', () => {
    expect(notCalled).toEqual(['isShared']);
    const statements = ['src/store/postgres', 'src/store/nouns', 'src/store/rows'].flatMap((path) =>
      statementsIn(path, 'postgres'),
    );
    expect(statements.length).toBeGreaterThan(120);
    const missing = notMet(statements, new Set(explained.map(({ sql }) => sql)));
    expect(missing.filter((text) => !ELSEWHERE.some((pattern) => pattern.test(text)))).toEqual([]);
    expect(missing).toHaveLength(6);
  });

  it('cost what they give, whatever the tables hold', () => {
    const growing = distinct(explained)
      .filter((one) => isGrowing(one) && !excepted(one))
      .map(({ sql, plan }) => ({ sql, rows: rowsVisited(plan), scanned: rowsScanned(plan) }));
    expect(growing).toEqual([]);
  });

  it('need every exception', () => {
    const unused = EXCEPTIONS.filter(({ sql }) => !explained.some((one) => sql.test(one.sql) && isGrowing(one)));
    expect(unused).toEqual([]);
  });
});
