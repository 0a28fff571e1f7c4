/** Every statement of the store on SQLite, at size: none goes through a growing table, and none sorts one. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../../src/store/sqlite/connection.ts';
import { migrate } from '../../../src/store/sqlite/migrate.ts';
import { storeOnConnection } from '../../../src/store/sqlite.ts';
import { noting } from './called.ts';
import { cold, exerciseAll } from './exercise.ts';
import { growthIn } from './sqlite-plan.ts';
import { notMet, statementsIn } from './statements.ts';
import { fillSql, MATCHES, NOW, sqliteDialect } from './world.ts';

/** Locks and notices of several nodes. */
const ONLY_POSTGRES = /pg_advisory|pg_notify|WITH ORDINALITY|'oldest' FOR SHARE/;

const EXCEPTIONS: readonly { readonly sql: RegExp; readonly because: string }[] = [
  { sql: /^SELECT \* FROM accounts ORDER BY number LIMIT [$?]1$/, because: 'all accounts are what is asked for' },
  { sql: /INDEXED BY accounts_restricted/, because: 'an index that has only accounts which are restricted' },
  { sql: /FROM account_use u /, because: 'the minutes of an hour are kept' },
  { sql: /FROM keys k .* ORDER BY k.created_at/, because: 'the keys of one account are few' },
  { sql: /^SELECT 1 FROM oauth_clients WHERE used = 0/, because: 'counted up to its limit, which is 1,000' },
  {
    sql: /LEFT JOIN agreement g .* ORDER BY (r.deleted_at DESC, )?r.number( DESC)?, p.platform/,
    because: 'a limited slice; a rule has two platforms',
  },
  {
    sql: /^UPDATE deliveries SET status = 'pending', .* AND status = 'failed' AND created_at >=/,
    because: 'what one subscription failed to get, when its agent is back: once, in the days that deliveries are kept',
  },
  { sql: /INDEXED BY webhooks_for_heads/, because: 'the index has only those that want heads, and all are asked for' },
  { sql: /INDEXED BY gaps_open/, because: 'the open gaps of a platform are read once, at the start' },
  { sql: /^SELECT \* FROM registrations WHERE platform/, because: 'all of a platform are read once, at the start' },
  {
    sql: /\)( l)? UNION ALL SELECT \* FROM \(SELECT position FROM (matches|rule_matches|ratings)/,
    because: 'each part is limited before it is merged',
  },
  {
    sql: /\) l UNION ALL SELECT \* FROM \(SELECT coalesce\(story, 0\) AS story, position AS last FROM/,
    because: 'each part is limited before it is merged',
  },
  {
    sql: /FROM new_events WHERE key = :key\) k CROSS JOIN matches/,
    because: 'an event has one match for each rule at most',
  },
  { sql: /FROM minutes WHERE subject = \?1 .* GROUP BY slot/, because: 'a chart reads the minutes that it shows' },
  { sql: /SELECT \* FROM \(SELECT number, bytes FROM recent/, because: 'each part is limited before it is merged' },
  {
    sql: /FROM webhooks w JOIN accounts a .* WHERE w.account = .* ORDER BY w.number/,
    because: 'an account has 100 webhooks at most',
  },
  { sql: /^SELECT number FROM webhooks WHERE owner = \?1/, because: 'a key or a grant has few subscriptions' },
  { sql: /^UPDATE webhooks SET claimed_by = NULL/, because: 'a process gives back what it holds when it ends' },
  { sql: /WHERE oldest IS NOT NULL ORDER BY oldest LIMIT/, because: 'one row for each webhook that is owed something' },
  { sql: /^UPDATE deliveries SET status = 'failed'/, because: 'a disabled webhook gives up all that was under way' },
  {
    sql: /INDEXED BY rules_moving .* LIMIT 1$/,
    because: 'the first of an index that has only rules whose matches move',
  },
  { sql: /INDEXED BY recent_erased_waiting .* LIMIT 1$/, because: 'the first of an index that has only waiting ones' },
  { sql: /count\(\*\) AS matches FROM matches m NOT INDEXED/, because: 'the matches of one slice of retention' },
  { sql: /^SELECT DISTINCT p.story, .* FROM matches m NOT INDEXED/, because: 'the matches of one slice of retention' },
  {
    sql: /FROM matches (m )?NOT INDEXED .*WHERE (m\.)?position > \(SELECT value FROM state WHERE name = 'settled'\)( AND platform = '\w+')? (GROUP|ORDER) BY/,
    because: 'at most 10,000 matches wait to be settled, and those of one commit',
  },
  {
    sql: /^INSERT OR ROLLBACK INTO story_parts .* CROSS JOIN matches u INDEXED BY matches_of_story/,
    because: 'at most 10,000 matches wait to be settled, and a story without parts has the matches of one event',
  },
  { sql: /FROM new_minutes GROUP BY/, because: 'new minutes are those of matches that wait to be settled' },
  { sql: /FROM new_events ORDER BY key, event$/, because: 'new events are those of matches that wait to be settled' },
];

const folder = mkdtempSync(join(tmpdir(), 'sluice-plans-'));
afterAll(() => rmSync(folder, { recursive: true }));

const recorded = new Set<string>();
let notCalled: string[] = [];
let plans: { sql: string; plan: string[] }[] = [];

beforeAll(async () => {
  const db = connect(join(folder, 'large.db'));
  migrate(db);
  db.exec('CREATE TEMP TABLE n (i INTEGER PRIMARY KEY)');
  db.exec(
    `WITH RECURSIVE c (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i < ${MATCHES}) INSERT INTO n SELECT i FROM c`,
  );
  db.exec('BEGIN');
  for (const sql of fillSql(sqliteDialect, '')) db.exec(sql);
  db.exec('COMMIT');
  const prepare = db.prepare.bind(db);
  db.prepare = (sql) => {
    recorded.add(sql);
    return prepare(sql);
  };
  const clock = { now: () => new Date(NOW), elapsed: () => 0, sleep: async () => {} };
  await using store = storeOnConnection(db, {
    clock,
    recent: { events: 10_000, bytes: 1e9 },
    textKey: Buffer.alloc(32),
    cold,
  });
  const noted = noting(store);
  await exerciseAll(noted.store);
  await noted.store.backup(join(folder, 'copy.db'));
  notCalled = noted.notCalled();
  plans = [...recorded]
    .filter((text) => /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\s/.test(text))
    .map((text) => ({
      sql: asInSource(text).replaceAll(/\s+/g, ' '),
      plan: prepare(`EXPLAIN QUERY PLAN ${text}`)
        .all({})
        .map(({ detail }) => String(detail)),
    }));
});

/** Limits are made part of a sum before a statement is prepared. */
const asInSource = (text: string): string => text.replaceAll(/(LIMIT [:?]\w*) \+ 0/g, '$1');

describe('the statements on SQLite', () => {
  it('are all met by this test: every method, and every statement that the source has', () => {
    expect(notCalled).toEqual(['isShared']);
    // A database in memory is given its one key when it is opened, and steps and their migration change tables.
    const statements = ['src/store/sqlite', 'src/store/nouns', 'src/store/rows']
      .flatMap((path) => statementsIn(path, 'sqlite'))
      .filter(({ file }) => !/(in-memory|steps|migrate)\.ts$/.test(file))
      .filter(({ text }) => !ONLY_POSTGRES.test(text));
    expect(statements.length).toBeGreaterThan(120);
    expect(notMet(statements, new Set([...recorded].map(asInSource)))).toEqual([]);
  });

  it('cost what they give, whatever the tables hold', () => {
    const growing = plans
      .map(({ sql, plan }) => ({ sql, lines: growthIn(sql, plan), plan }))
      .filter(({ sql, lines }) => lines.length > 0 && !EXCEPTIONS.some((exception) => exception.sql.test(sql)));
    expect(growing).toEqual([]);
  });

  it('need every exception', () => {
    const unused = EXCEPTIONS.filter(
      (exception) => !plans.some(({ sql, plan }) => exception.sql.test(sql) && growthIn(sql, plan).length > 0),
    );
    expect(unused).toEqual([]);
  });

  it('would be found if they walked all that waits for a webhook', () => {
    const sql = 'SELECT count(*) FROM json_each(?) p JOIN owed o ON o.position = p.value AND o.webhook = ?';
    expect(
      growthIn(sql, ['SEARCH o USING COVERING INDEX owed_waiting (webhook=?)', 'SCAN p VIRTUAL TABLE']),
    ).toHaveLength(1);
    expect(growthIn(sql, ['SCAN p VIRTUAL TABLE', 'SEARCH o USING PRIMARY KEY (position=? AND webhook=?)'])).toEqual(
      [],
    );
  });
});
