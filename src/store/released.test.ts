/** Databases of release 0.2.0, made with its program (`test/store/released/make.ts`), are opened by this one. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPostgres, type TestPostgres } from '../../test/stages/postgres.ts';
import { ACCOUNT, COMMITTED, KEY, RULE, WEBHOOK } from '../../test/store/released/content.ts';
import { connectPostgres } from './postgres/connection.ts';
import { openPostgres } from './postgres.ts';
import { connect, IN_MEMORY } from './sqlite/connection.ts';
import { migrate } from './sqlite/migrate.ts';
import { openSqlite } from './sqlite.ts';
import { POSTGRES_STEPS, SQLITE_SCHEMA } from './steps.ts';
import type { Store } from './store.ts';

const released = (name: string): Buffer =>
  gunzipSync(readFileSync(join(import.meta.dirname, '../../test/store/released', name)));

const folder = mkdtempSync(join(tmpdir(), 'sluice-released-'));
let server: TestPostgres | undefined;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server?.[Symbol.asyncDispose]();
});

let files = 0;
function releasedFile(): string {
  const file = join(folder, `${++files}.db`);
  writeFileSync(file, released('0.2.0.db.gz'));
  return file;
}

async function releasedDatabase(): Promise<string> {
  const url = await server!.newDatabase();
  const database = connectPostgres(url);
  await database.run(released('0.2.0.sql.gz').toString());
  await database.close();
  return url;
}

/** Expects everything that the release stored, and that it goes on from there. */
async function expectContent(store: Store): Promise<void> {
  expect(await store.account(ACCOUNT.name)).toMatchObject(ACCOUNT);
  expect(await store.keyByDigest(Buffer.from('digest'))).toEqual(KEY);
  const rule = await store.rule(ACCOUNT.id, RULE.id);
  expect(rule).toMatchObject({ name: RULE.name, intent: RULE.intent });
  expect([rule!.platforms.x!.matchCount, rule!.platforms.firehose!.matchCount]).toEqual([3, 1]);
  const listed = async () =>
    (await store.matches({ accountId: ACCOUNT.id, ruleId: RULE.id, limit: 10 })).matches.map((match) => [
      match.platform,
      match.platformPostId,
    ]);
  const before = [
    ['x', '3'],
    ['firehose', 'a'],
    // The release put the matches of one commit in the order of their keys.
    ['x', '1'],
    ['x', '2'],
  ];
  expect(await listed()).toEqual(before);
  expect(await store.cursor('x')).toBe('3');
  expect(await store.webhook(ACCOUNT.id, WEBHOOK.id)).toMatchObject({ url: WEBHOOK.url, status: 'active' });
  expect(await store.delivery(ACCOUNT.id, 'dlv_1')).toMatchObject({ status: 'pending', matches: 1 });
  expect(await store.owedMatches(WEBHOOK.id, new Date(Date.UTC(2030, 0)), 10)).toHaveLength(3);
  expect(await store.registrations('x')).toMatchObject([{ tag: 'tag', platformRuleId: 'x 7' }]);
  const again = COMMITTED.at(-1)!;
  const later = { ...again, at: new Date(again.at.getTime() + 60_000) };
  const [event] = later.events;
  const added = { ...event!, event: { ...event!.event, postId: '4' } };
  expect(await store.commit({ ...later, events: [event!, added] })).toMatchObject({ added: 1, repeats: 1 });
  expect(await listed()).toEqual([['x', '4'], ...before]);
}

describe('a file of release 0.2.0', () => {
  it('is opened with all that it holds', async () => {
    await using store = await openSqlite(releasedFile());
    await expectContent(store);
  });

  it('has the tables of a new file when it has been opened', async () => {
    const file = releasedFile();
    await (await openSqlite(file))[Symbol.asyncDispose]();
    using upgraded = connect(file);
    using fresh = connect(IN_MEMORY);
    migrate(fresh);
    const tables = (db: typeof fresh) =>
      db
        .prepare(
          `SELECT m.name AS of, c.name, c.type, c."notnull" AS required, c.pk FROM sqlite_master m, pragma_table_info(m.name) c
           WHERE m.type IN ('table', 'index') AND m.name NOT LIKE 'sqlite_%' ORDER BY 1, 2`,
        )
        .all();
    expect(tables(upgraded)).toEqual(tables(fresh));
    const user_version = SQLITE_SCHEMA;
    expect(fresh.prepare('PRAGMA user_version').get()).toEqual({ user_version });
    expect(upgraded.prepare('PRAGMA user_version').get()).toEqual({ user_version });
  });

  it('is refused in one sentence when it is older than that', async () => {
    const file = releasedFile();
    const db = connect(file);
    db.exec('PRAGMA user_version = 7');
    db.close();
    await expect(openSqlite(file)).rejects.toMatchObject({
      reason: 'older',
      message: 'The database was written by a version before 0.2.0. Start version 0.2.0 on it once, then this version.',
    });
  });
});

describe('a PostgreSQL database of release 0.2.0', () => {
  it('is opened with all that it holds', async () => {
    await using store = await openPostgres(await releasedDatabase());
    await expectContent(store);
  });

  it('has the tables of a new database when it has been opened', async () => {
    const tables = async (url: string) => {
      await (await openPostgres(url))[Symbol.asyncDispose]();
      const database = connectPostgres(url);
      const columns = await database.rows(
        `SELECT c.relname AS of, a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull AS required
         FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
         WHERE c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped AND c.relname !~ '[0-9]{8}'
         ORDER BY 1, 2`,
      );
      const noted = await database.rows<{ name: string }>('SELECT name FROM migrations ORDER BY name');
      await database.close();
      return { columns, noted };
    };
    const fresh = await tables(await server!.newDatabase());
    expect(await tables(await releasedDatabase())).toEqual(fresh);
    // Programs since then have noted the three steps of the release, and one for each that followed.
    expect(fresh.noted).toHaveLength(POSTGRES_STEPS.length + 2);
  });

  it('is refused in one sentence when it is older than that', async () => {
    const url = await releasedDatabase();
    const database = connectPostgres(url);
    await database.run(`DELETE FROM migrations WHERE name = '0003-fair-rings'`);
    await database.close();
    await expect(openPostgres(url)).rejects.toMatchObject({
      reason: 'older',
      message: 'The database was written by a version before 0.2.0. Start version 0.2.0 on it once, then this version.',
    });
  });
});
