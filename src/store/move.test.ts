/** Everything that a SQLite file holds is there again on PostgreSQL, and goes on from there. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { at, collect, DAY, eventOf, ruleOf, stage } from '../../test/conformance/store/stage.ts';
import { startPostgres, type TestPostgres } from '../../test/stages/postgres.ts';
import { batches, moveToPostgres, TABLES } from './move.ts';
import { connectPostgres } from './postgres/connection.ts';
import { openPostgres } from './postgres.ts';
import { connectInMemory } from './sqlite/migrate.ts';
import { openSqlite } from './sqlite.ts';

let server: TestPostgres | undefined;
const folder = mkdtempSync(join(tmpdir(), 'sluice-move-'));
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** The rows of these tables are made for PostgreSQL. */
const MADE = ['matches', 'events', 'state'];
/** SQLite alone has these, made from matches and events. */
const OF_SQLITE = [
  'rule_matches',
  'event_keys',
  'event_posts',
  'new_events',
  'grown_stories',
  'sqlite_sequence',
  'room',
];
/** These matter while a program runs, or are made again. */
const LEFT_BEHIND = [
  'recent',
  'recent_erased',
  'recent_totals',
  'leases',
  'nodes',
  'passes',
  'account_use',
  'rule_snapshots',
  'rule_snapshot_pieces',
];

it('knows every table of SQLite', () => {
  using db = connectInMemory();
  const tables = db.prepare(`SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name`).all();
  expect(tables.map(({ name }) => name)).toEqual([...TABLES, ...MADE, ...OF_SQLITE, ...LEFT_BEHIND].toSorted());
});

it('moves so many rows at once that one message holds them', () => {
  const rows = (count: number, payload: string | Uint8Array<ArrayBuffer>) =>
    Array.from({ length: count }, () => ({ payload }));
  const sizes = (of: ReturnType<typeof rows>) => [...batches(of)].map(({ length }) => length);
  expect(sizes(rows(2_500, 'x'))).toEqual([1_000, 1_000, 500]);
  for (const payload of ['x'.repeat(1_000_000), new Uint8Array(1_000_000)])
    expect(sizes(rows(20, payload))).toEqual([8, 8, 4]);
  expect(sizes(rows(2, 'x'.repeat(9_000_000)))).toEqual([1, 1]);
});

it('moves rules, matches, counts and keys, once, and what comes after has its place', async () => {
  const file = join(folder, 'sluice.db');
  await using stand = await stage(() => openSqlite(file));
  const { store, account, rule } = stand;
  const second = ruleOf(account, { name: 'Nul \0 and half \ud800' });
  await store.addRule(second, {});
  await store.setRuleStatus(rule.id, 'x', { status: 'active', platformRuleId: '7' });
  await store.addKey(
    {
      id: 'key_1',
      accountId: account.id,
      name: 'a key',
      scope: 'full',
      lastFour: 'abcd',
      createdAt: at(0),
      lastUsedAt: undefined,
      expiresAt: undefined,
    },
    Buffer.alloc(32, 7),
  );
  for (const day of [0, 1, 3]) {
    await store.commit({
      platform: 'x',
      at: at(day * DAY),
      events: [eventOf(`shared ${day}`, [rule, second]), eventOf('again', day === 0 ? [rule] : [second])],
      cursor: { name: 'x', value: `cursor ${day}` },
    });
  }
  const url = await server!.newDatabase();
  expect(await moveToPostgres(file, url)).toMatchObject({ accounts: 1, rules: 2, matches: 8, keys: 1 });

  await using moved = await openPostgres(url);
  const query = { accountId: account.id, limit: 100 };
  const whole = async (from: typeof store) =>
    (await from.matches(query)).matches.map(({ payload, ...rest }) => ({ ...rest, payload }));
  expect(await whole(moved)).toEqual(await whole(store));
  const told = async (from: typeof store) =>
    (await from.stories(query)).stories.map(({ first, ...story }) => ({ ...story, first: first.id }));
  expect(await told(moved)).toEqual(await told(store));
  expect(await collect(moved.rules(account.id))).toEqual(await collect(store.rules(account.id)));
  expect(await moved.keys(account.id)).toEqual(await store.keys(account.id));
  expect(await moved.keyByDigest(Buffer.alloc(32, 7))).toMatchObject({ id: 'key_1' });
  expect(await moved.cursor('x')).toBe('cursor 3');
  expect(await moved.latest()).toBe(await store.latest());
  const span = { accountId: account.id, from: at(0), to: at(4 * DAY), seconds: 86_400 };
  expect(await moved.matchCounts(span)).toEqual(await store.matchCounts(span));
  const repeat = await moved.commit({ platform: 'x', at: at(3 * DAY), events: [eventOf('again', [rule, second])] });
  expect(repeat.added).toBe(0);
  const later = await moved.commit({ platform: 'x', at: at(3 * DAY), events: [eventOf('new', [rule])] });
  expect(later.latest).toBeGreaterThan(await store.latest());
  await moved.addRule(ruleOf(account), {});
  const database = connectPostgres(url);
  const keys = async () => (await database.rows<{ n: number }>('SELECT count(*) AS n FROM match_keys'))[0]!.n;
  const before = await keys();
  expect(await moved.deleteMatches(account.id, 'x', 'again')).toBe(2);
  expect(before - (await keys())).toBe(2);
  await database.close();

  await expect(moveToPostgres(file, url)).rejects.toMatchObject({ reason: 'exists' });
});

it('knows when old matches were last written, and when that last failed', async () => {
  const file = join(folder, 'cold.db');
  await using stand = await stage(() => openSqlite(file));
  await stand.store.noteColdOutcome('written', at(1));
  await stand.store.noteColdOutcome('failed', at(2));
  const url = await server!.newDatabase();
  await moveToPostgres(file, url);
  await using moved = await openPostgres(url);
  expect(await moved.coldFigures()).toMatchObject({ lastWrite: at(1), lastFailure: at(2) });
});

it('gives no number a second time, although what had it is gone', async () => {
  const file = join(folder, 'numbers.db');
  await using stand = await stage(() => openSqlite(file));
  await stand.store.addRule(ruleOf(stand.account), {});
  using gone = new DatabaseSync(file);
  gone.exec(`UPDATE sqlite_sequence SET seq = 41 WHERE name = 'rules'`);
  gone.exec(`DELETE FROM sqlite_sequence WHERE name = 'erasures'; INSERT INTO sqlite_sequence VALUES ('erasures', 7)`);
  const url = await server!.newDatabase();
  await moveToPostgres(file, url);
  const moved = connectPostgres(url);
  const next = async (table: string) =>
    (await moved.row<{ next: number }>(`SELECT nextval(pg_get_serial_sequence($1, 'number')) AS next`, [table]))!.next;
  expect([await next('rules'), await next('erasures'), await next('accounts')]).toEqual([42, 8, 2]);
  await moved.close();
});
