/** The traits of a SQLite file alone: its settings, other processes, copies, space, and what is left of erased text. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import { StoreError } from '../error.ts';
import { madeInTurns } from '../rows/commit.ts';
import { packCommit } from '../rows/packed-commit.ts';
import { openSqlite } from '../sqlite.ts';
import type { CommitEvent, Store } from '../store.ts';
import { checkSettings, connect } from './connection.ts';
import { writingDb } from './db.ts';
import { keep } from './keeper.ts';
import { sqlOf } from './sql.ts';
import { writesOf } from './writes.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-file-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const newFile = (): string => join(folder, `${++files}.db`);

const NOW = new Date('2026-11-15T08:00:00Z');
const ACCOUNT = { id: 'acct_one', name: 'one', plan: 'paid', xRules: 9, createdAt: NOW } as const;

async function addRules(store: Store, ids: readonly string[]): Promise<void> {
  await store.addAccount(ACCOUNT);
  for (const id of ids) {
    const platforms = { x: { value: 'a', flags: {} } };
    await store.addRule({ id, accountId: ACCOUNT.id, name: id, intent: '', createdAt: NOW, platforms }, {});
  }
}

function eventOf(postId: string, ruleIds: readonly string[], text: string): CommitEvent {
  const matches = ruleIds.map((ruleId) => ({ ruleId, version: 1, highlights: [] }));
  return { event: { platform: 'x', postId, payload: { data: { text } }, accountId: undefined }, matches };
}

const commit = (store: Store, ...events: CommitEvent[]) => store.commit({ platform: 'x', at: NOW, events });

/** The bytes of the database and of everything beside it. */
const onDisk = (file: string): string =>
  readdirSync(folder)
    .filter((name) => join(folder, name).startsWith(file))
    .map((name) => readFileSync(join(folder, name), 'latin1'))
    .join();

function rowsOf(file: string, table: string): number {
  const db = new DatabaseSync(file, { readOnly: true });
  const row = db.prepare(`SELECT count(*) AS rows FROM ${table}`).get() as { rows: number };
  db.close();
  return row.rows;
}

describe('settings', () => {
  it.each([
    'synchronous = OFF',
    'synchronous = NORMAL',
    'journal_mode = DELETE',
    'foreign_keys = OFF',
    'secure_delete = OFF',
  ])('refuses %s', (setting) => {
    const db = connect(newFile());
    checkSettings(db);
    db.exec(`PRAGMA ${setting}`);
    expect(() => checkSettings(db)).toThrow(expect.objectContaining({ reason: 'settings', retryable: false }));
    db.close();
  });

  it('works on the tables of a newer program, unless they need one, and says so', async () => {
    const file = newFile();
    await (await openSqlite(file))[Symbol.asyncDispose]();
    const db = new DatabaseSync(file);
    db.exec('PRAGMA user_version = 99');
    await (await openSqlite(file))[Symbol.asyncDispose]();
    expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: 99 });
    db.exec(`UPDATE state SET value = 99 WHERE name = 'schema_needed'`);
    db.close();
    await expect(openSqlite(file)).rejects.toMatchObject({
      reason: 'newer',
      message: expect.stringContaining('schema 99'),
    });
  });

  it('refuses a file that is no database', async () => {
    const file = newFile();
    writeFileSync(file, 'not a database '.repeat(1000));
    await expect(openSqlite(file)).rejects.toMatchObject({ name: 'StoreError', reason: 'damaged' });
  });
});

describe('a file that is no longer at its path', () => {
  const stored = async (store: Store): Promise<string[]> =>
    (await store.matches({ accountId: ACCOUNT.id, limit: 10 })).matches.map(({ platformPostId }) => platformPostId);
  const refused = { reason: 'displaced', retryable: true, message: expect.stringContaining('removed or replaced') };

  it.each(['', '-wal'])('takes no writes until it is back, is read, and nothing of it is lost: %s', async (part) => {
    const file = newFile();
    await using store = await openSqlite(file);
    await addRules(store, ['rule_one']);
    await commit(store, eventOf('1', ['rule_one'], 'a'));
    renameSync(file + part, `${file}.away`);
    for (const id of ['2', '3'])
      await expect(commit(store, eventOf(id, ['rule_one'], 'a'))).rejects.toMatchObject(refused);
    expect(await stored(store)).toEqual(['1']);
    renameSync(`${file}.away`, file + part);
    await commit(store, eventOf('4', ['rule_one'], 'a'));
    expect(await stored(store)).toEqual(['4', '1']);
  });

  it('is whole for the next start although its log was removed', async () => {
    const file = newFile();
    await using store = await openSqlite(file);
    await addRules(store, ['rule_one']);
    await commit(store, eventOf('1', ['rule_one'], 'a'));
    rmSync(`${file}-wal`);
    await expect(commit(store, eventOf('2', ['rule_one'], 'a'))).rejects.toMatchObject(refused);
    // As after a kill: no log beside it.
    const killed = newFile();
    cpSync(file, killed);
    expect([rowsOf(killed, 'matches'), rowsOf(killed, 'rules')]).toEqual([1, 1]);
  });

  it('is not replaced by an empty one when its connection was given up', async () => {
    const file = newFile();
    const { run, close } = keep(file, () => ({}), { writes: false });
    const fails = () => {
      throw new StoreError('full', 'The disk is full.');
    };
    await expect(run(fails)).rejects.toMatchObject({ reason: 'full' });
    rmSync(file);
    await expect(run(() => {})).rejects.toMatchObject(refused);
    expect(existsSync(file)).toBe(false);
    close();
  });
});

describe('files', () => {
  const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

  it('are readable by their owner alone: the database, its log, copies and new folders', async () => {
    const file = join(folder, `${++files}`, 'new.db');
    const copy = newFile();
    const before = process.umask(0o022);
    try {
      await using store = await openSqlite(file);
      await addRules(store, ['rule_one']);
      await store.backup(copy);
      const log = [`${file}-wal`, `${file}-shm`];
      expect([file, ...log, copy].map(modeOf)).toEqual(['600', '600', '600', '600']);
      expect(modeOf(dirname(file))).toBe('700');
    } finally {
      process.umask(before);
    }
  });

  it('that others could read are closed to them when they are opened', async () => {
    const file = newFile();
    writeFileSync(file, '', { mode: 0o644 });
    await using store = await openSqlite(file);
    await addRules(store, ['rule_one']);
    expect([file, `${file}-wal`].map(modeOf)).toEqual(['600', '600']);
  });
});

describe('two programs on one file', () => {
  it('see at once what the other one did', async () => {
    const file = newFile();
    await using server = await openSqlite(file);
    await using cli = await openSqlite(file);
    await addRules(server, ['rule_one']);
    const digest = createHash('sha256').update('secret').digest();
    const used = { createdAt: NOW, lastUsedAt: undefined, expiresAt: undefined };
    await cli.addKey(
      { id: 'key_one', accountId: ACCOUNT.id, name: 'n', scope: 'full', lastFour: 'cret', ...used },
      digest,
    );
    expect(await server.keyByDigest(digest)).toMatchObject({ id: 'key_one' });
    await cli.revokeKey(ACCOUNT.id, 'key_one');
    expect(await server.keyByDigest(digest)).toBeUndefined();
  });

  it('store nothing of a rule that the other one has paused or deleted between two commits', async () => {
    const file = newFile();
    await using server = await openSqlite(file);
    await using cli = await openSqlite(file);
    await addRules(server, ['rule_one', 'rule_two']);
    const added = async (postId: string) =>
      (await commit(server, eventOf(postId, ['rule_one', 'rule_two'], 'a'))).added;
    expect([await added('1'), await added('2')]).toEqual([2, 2]);
    await cli.changeRule(ACCOUNT.id, 'rule_one', { paused: true });
    expect(await added('3')).toBe(1);
    await server.changeRule(ACCOUNT.id, 'rule_one', { paused: false });
    expect(await added('4')).toBe(2);
    await cli.deleteRule(ACCOUNT.id, 'rule_two');
    expect(await added('5')).toBe(1);
  });

  it('give out no position twice', async () => {
    const file = newFile();
    await using one = await openSqlite(file);
    await using other = await openSqlite(file);
    await addRules(one, ['rule_one']);
    const commits = Array.from({ length: 40 }, (_, index) =>
      commit(index % 2 ? one : other, eventOf(`${index}`, ['rule_one'], 'a')),
    );
    expect(new Set((await Promise.all(commits)).map(({ latest }) => latest)).size).toBe(40);
    expect((await one.matches({ accountId: ACCOUNT.id, limit: 100 })).matches).toHaveLength(40);
  });
});

describe('space', () => {
  it('holds the payload of an event once, however many rules it matched', async () => {
    const file = newFile();
    await using store = await openSqlite(file);
    const rules = Array.from({ length: 50 }, (_, index) => `rule_${index}`);
    await addRules(store, rules);
    await commit(store, eventOf('a', rules, 'text'));
    expect([rowsOf(file, 'events'), rowsOf(file, 'matches')]).toEqual([1, 50]);
  });

  it('goes back to the disk when matches go', async () => {
    const file = newFile();
    await using store = await openSqlite(file, { recent: { events: 0 } });
    await addRules(store, ['rule_one']);
    await commit(
      store,
      ...Array.from({ length: 600 }, (_, index) => eventOf(`${index}`, ['rule_one'], 'long '.repeat(2000))),
    );
    await store.deleteRule(ACCOUNT.id, 'rule_one');
    while ((await store.removeSlice(NOW)).more);
    // Six megabytes were stored; the tables alone, empty, take one.
    expect(statSync(file).size).toBeLessThan(2_000_000);
    expect(statSync(`${file}-wal`).size).toBe(0);
    for (const table of ['rules', 'rule_platforms', 'tallies', 'minutes', 'events', 'matches', 'story_parts'])
      expect(rowsOf(file, table)).toBe(0);
  });

  it('of recent events that go is taken by those that come, so that it is written once', async () => {
    const file = newFile();
    await using store = await openSqlite(file, { recent: { events: 100, bytes: 1e9 } });
    await store.addAccount(ACCOUNT);
    const text = 'long '.repeat(1_000);
    const push = (first: number) =>
      commit(store, ...Array.from({ length: 50 }, (_, index) => eventOf(`${first + index}`, [], text)));
    for (const first of [0, 50, 100]) await push(first);
    using other = new DatabaseSync(file);
    other.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    for (const first of [150, 200, 250, 300]) await push(first);
    expect(statSync(`${file}-wal`).size).toBeLessThan(1.4 * 4 * 50 * text.length);
  });

  it('fails in words a caller can act on when there is none, and works again when there is', async () => {
    const file = newFile();
    let limit = 1_000_000;
    const { run, close } = keep(file, (db) => {
      db.exec(`PRAGMA max_page_count = ${limit}`);
      return writesOf(writingDb(sqlOf(db)), {
        retentionDays: 30,
        erasureDays: 400,
        recent: { events: 100, bytes: 1e9 },
      });
    });
    await run((writes) => writes.addAccount(ACCOUNT));
    // For the connection that is open, and for those that are opened after a failure.
    limit = statSync(file).size / 8192 + 50;
    await run((_, db) => db.exec(`PRAGMA max_page_count = ${limit}`));
    const fill = async (cursor: string) => {
      const event = {
        postId: cursor,
        accountId: undefined,
        payload: JSON.stringify('x'.repeat(500_000)),
        matches: [],
      };
      const batch = { platform: 'x', at: NOW, events: [event], cursor: { name: 'x', value: cursor } } as const;
      const { packed } = await madeInTurns(packCommit(batch));
      return run((writes) => writes.commit(packed));
    };
    for (const cursor of ['1', '2']) {
      await expect(fill(cursor)).rejects.toMatchObject({ name: 'StoreError', reason: 'full', retryable: true });
    }
    expect([rowsOf(file, 'recent'), rowsOf(file, 'cursors')]).toEqual([0, 0]);
    limit = 1_000_000;
    await fill('3');
    expect([rowsOf(file, 'recent'), rowsOf(file, 'cursors')]).toEqual([1, 1]);
    close();
  });
});

describe('a commit that fails at its end', () => {
  it('leaves no match and no count behind, and is stored whole the next time', async () => {
    const file = newFile();
    await using store = await openSqlite(file);
    await addRules(store, ['rule_one']);
    const exec = (sql: string): void => {
      using db = new DatabaseSync(file);
      db.exec(sql);
    };
    const events = [eventOf('a', ['rule_one'], 'text')];
    const storeIt = () => store.commit({ platform: 'x', at: NOW, events, cursor: { name: 'feed', value: '1' } });
    exec("CREATE TRIGGER no_cursor BEFORE INSERT ON cursors BEGIN SELECT RAISE(ABORT, 'no cursor'); END");
    await expect(storeIt()).rejects.toThrow('no cursor');
    expect(['events', 'matches', 'recent', 'cursors'].map((table) => rowsOf(file, table))).toEqual([0, 0, 0, 0]);
    exec('DROP TRIGGER no_cursor');
    expect(await storeIt()).toMatchObject({ added: 1 });
    expect(['events', 'matches', 'cursors'].map((table) => rowsOf(file, table))).toEqual([1, 1, 1]);
  });
});

describe('erased text', () => {
  const SECRET = 'an unmistakable sentence';

  it('is gone from the disk a round of housekeeping after the post was erased', async () => {
    const file = newFile();
    await using store = await openSqlite(file);
    await addRules(store, ['rule_one']);
    const own = eventOf('a', ['rule_one'], SECRET);
    await commit(store, eventOf('kept', ['rule_one'], 'another'), eventOf('b', [], 'rest'), {
      ...own,
      event: { ...own.event, accountId: ACCOUNT.id },
    });
    expect(onDisk(file).includes(SECRET)).toBe(true);
    expect(await store.deleteMatches(ACCOUNT.id, 'x', 'a')).toBe(1);
    while ((await store.removeSlice(NOW)).more);
    expect(onDisk(file).includes(SECRET)).toBe(false);
    expect(onDisk(file).includes('another')).toBe(true);
  });

  it('is gone from the disk when its rule has been removed', async () => {
    const file = newFile();
    await using store = await openSqlite(file, { recent: { events: 0 } });
    await addRules(store, ['rule_one', 'rule_two']);
    await commit(
      store,
      eventOf('a', ['rule_one'], `${SECRET} one`),
      eventOf('b', ['rule_one', 'rule_two'], `${SECRET} two`),
    );
    await store.deleteRule(ACCOUNT.id, 'rule_one');
    while ((await store.removeSlice(NOW)).more);
    expect(onDisk(file).includes(`${SECRET} one`)).toBe(false);
    expect(onDisk(file).includes(`${SECRET} two`)).toBe(true);
  });
});

describe('backup', () => {
  it('is a whole copy of one moment, taken while commits go on', async () => {
    const file = newFile();
    const copy = newFile();
    await using store = await openSqlite(file);
    await addRules(store, ['rule_one']);
    await commit(
      store,
      ...Array.from({ length: 500 }, (_, index) => eventOf(`${index}`, ['rule_one'], 'text '.repeat(500))),
    );
    const copied = store.backup(copy);
    for (let index = 500; index < 530; index++) {
      await store.commit({
        platform: 'x',
        at: NOW,
        events: [eventOf(`${index}`, ['rule_one'], 'more')],
        cursor: { name: 'x', value: `${index}` },
      });
    }
    await copied;
    expect(existsSync(`${copy}.part`)).toBe(false);
    await using restored = await openSqlite(copy);
    const { matchCount } = (await restored.rule(ACCOUNT.id, 'rule_one'))!.platforms.x!;
    expect(matchCount).toBeGreaterThanOrEqual(500);
    expect((await restored.matches({ accountId: ACCOUNT.id, limit: 1000 })).matches).toHaveLength(matchCount);
    expect(await restored.cursor('x')).toBe(matchCount === 500 ? undefined : `${matchCount - 1}`);
  });

  it('fails by itself when it cannot be written; the store goes on', async () => {
    await using store = await openSqlite(newFile());
    await expect(store.backup(join(folder, 'missing', 'copy.db'))).rejects.toMatchObject({ name: 'StoreError' });
    await store.check();
  });
});

describe('closing', () => {
  it('is waited for by a program that has nothing else to do', () => {
    const closer = new URL('../../../test/store/closer.ts', import.meta.url).pathname;
    expect(execFileSync(process.execPath, [closer, newFile()], { encoding: 'utf8' })).toBe('closed');
  });

  it('refuses calls afterwards, and keeps what was written', async () => {
    const file = newFile();
    const store = await openSqlite(file);
    await store.addAccount(ACCOUNT);
    await store[Symbol.asyncDispose]();
    await expect(store.accounts()).rejects.toThrow('closed');
    await expect(store.addAccount(ACCOUNT)).rejects.toThrow('closed');
    await using again = await openSqlite(file);
    expect(await again.accounts()).toEqual([ACCOUNT]);
  });
});
