/** The view `sql_matches`, asked in SQL on both databases: it says what the store says. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, DAY, eventOf, ruleOf, stage } from '../../test/conformance/store/stage.ts';
import { startPostgres, type TestPostgres } from '../../test/stages/postgres.ts';
import type { StoredMatch } from '../domain/match.ts';
import { openPostgres } from './postgres.ts';
import { connect } from './sqlite/connection.ts';
import { migrate } from './sqlite/migrate.ts';
import { openSqlite } from './sqlite.ts';
import { SQLITE_STEPS } from './steps.ts';
import type { Store } from './store.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-view-'));
let server: TestPostgres | undefined;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

type Row = Readonly<Record<string, unknown>>;

/** The row that the view should show of a match. */
const rowOf = (match: StoredMatch, account: { id: string; name: string }): Row => ({
  account_id: account.id,
  account_name: account.name,
  id: match.id,
  created_at: match.createdAt.toISOString(),
  platform: match.platform,
  platform_post_id: match.platformPostId,
  rule_id: match.ruleId,
  rule_name: match.ruleName,
  rule_version: match.ruleVersion,
  payload: match.json,
  highlights: JSON.stringify(match.highlights),
  edit_of: match.editOf ?? null,
  event_id: expect.stringMatching(/^event_[0-9a-z]{16}$/) as string,
  source: match.source ?? null,
  story_id: match.storyId ?? null,
  story_first: match.storyFirst,
  rating: match.rating ?? null,
});

/** A store with matches of two rules over days, one rated, one an edit, one of a rule that is deleted then. */
async function fill(open: () => Promise<Store>) {
  const stand = await stage(open);
  const { store, account, rule } = stand;
  const hard = ruleOf(account, { name: 'A "quoted" näme 🌋' });
  const doomed = ruleOf(account, { name: 'doomed' });
  for (const one of [hard, doomed]) await store.addRule(one, {});
  const commit = (time: number, ...events: ReturnType<typeof eventOf>[]) =>
    store.commit({ platform: 'x', at: at(time), events });
  await commit(0, eventOf('1', [rule, hard, doomed], { source: 'push', text: 'a storm over the sea' }));
  await commit(DAY + 7, eventOf('2', [rule], { earlier: ['1'], text: 'a storm over the sea' }), eventOf('3', [hard]));
  await store.deleteRule(account.id, doomed.id);
  const { matches } = await store.matches({ accountId: account.id, limit: 99 });
  const rating = { accountId: account.id, position: matches[0]!.position, rating: 'relevant' } as const;
  await store.rateMatch({ ...rating, at: at(DAY + 9), by: 'key_1', traces: '' }, 9);
  const rated = await store.matches({ accountId: account.id, limit: 99 });
  return { stand, rows: rated.matches.map((match) => rowOf(match, account)) };
}

describe('the view sql_matches', () => {
  it('has on SQLite what the store has, and takes no writes', async () => {
    const file = join(folder, 'view.db');
    const { stand, rows } = await fill(() => openSqlite(file));
    await using _ = stand;
    using db = new DatabaseSync(file);
    const found = db.prepare('SELECT * FROM sql_matches ORDER BY id DESC').all() as Row[];
    expect(found.map((row) => ({ ...row, story_first: row['story_first'] === 1 }))).toEqual(rows);
    expect(rows).toHaveLength(4);
    for (const write of ['DELETE FROM sql_matches', `UPDATE sql_matches SET source = 'x'`])
      expect(() => db.exec(write)).toThrow('cannot modify sql_matches because it is a view');
    // Past retention, and not removed yet: lists do not show it, and neither does the view.
    db.exec(`UPDATE state SET value = (SELECT max(position) FROM matches) WHERE name = 'oldest'`);
    expect(db.prepare('SELECT id FROM sql_matches').all()).toEqual([{ id: rows[0]!['id'] }]);
  });

  it('has on PostgreSQL what the store has, and takes no writes', async () => {
    const url = await server!.newDatabase();
    const { stand, rows } = await fill(() => openPostgres(url));
    await using _ = stand;
    // PostgreSQL keeps no NUL in a text: such a name stays in its stored form, and the question still has an answer.
    await stand.store.changeRule(stand.account.id, stand.rule.id, { name: 'nul \u0000 half \ud800' });
    const db = new Client({ connectionString: url });
    await db.connect();
    try {
      const { rows: found } = await db.query<Row>('SELECT * FROM sql_matches ORDER BY id DESC');
      const stored = JSON.stringify('nul \u0000 half \ud800');
      expect(found.map((row) => ({ ...row, created_at: (row['created_at'] as Date).toISOString() }))).toEqual(
        rows.map((row) => (row['rule_id'] === stand.rule.id ? { ...row, rule_name: stored } : row)),
      );
      for (const write of ['DELETE FROM sql_matches', `UPDATE sql_matches SET source = 'x'`])
        await expect(db.query(write)).rejects.toThrow(/cannot (delete from|update) view "sql_matches"/);
    } finally {
      await db.end();
    }
  });

  it('is there again after a migration that takes away and renames what it stands on', () => {
    using db = connect(join(folder, 'later.db'));
    migrate(db);
    const later = {
      name: '9999-later',
      sql: `CREATE TABLE moved AS SELECT * FROM ratings; DROP TABLE ratings; ALTER TABLE moved RENAME TO ratings;
        ALTER TABLE matches DROP COLUMN edit_of; ALTER TABLE matches ADD COLUMN edit_of TEXT;`,
    };
    migrate(db, [...SQLITE_STEPS, later]);
    expect(db.prepare('SELECT * FROM sql_matches').all()).toEqual([]);
  });

  it('is given to a database of an earlier version', () => {
    using db = connect(join(folder, 'earlier.db'));
    const before = SQLITE_STEPS.findIndex(({ name }) => name === '0014-shared-feeds');
    migrate(db, SQLITE_STEPS.slice(0, before));
    db.exec('DROP VIEW sql_matches');
    migrate(db);
    expect(db.prepare('SELECT * FROM sql_matches').all()).toEqual([]);
  });
});
