/** Real processes, killed at random moments: what was acknowledged is there, once, and the file is whole. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import { plainRoot } from '../../../test/stages/plain-merkle.ts';
import { treeRoot, withNodes } from '../../base/merkle.ts';
import { openSqlite } from '../sqlite.ts';
import type { Store } from '../store.ts';

const KILLS = 8;
const folder = mkdtempSync(join(tmpdir(), 'sluice-crash-'));
afterAll(() => rmSync(folder, { recursive: true }));

const committer = new URL('../../../test/store/committer.ts', import.meta.url).pathname;
const migrator = new URL('../../../test/store/migrator.ts', import.meta.url).pathname;
const RULES = ['rule_one', 'rule_two'];

/** Runs the committer until it has acknowledged so many commits, kills it, and answers the last acknowledged. */
async function commitAndKill(file: string, from: number, commits: number): Promise<number> {
  const child = spawn(process.execPath, [committer, file, `${from}`], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  let acknowledged = from - 1;
  for await (const line of createInterface(child.stdout)) {
    acknowledged = Number(line);
    // At an unknown point of the commit that follows; lines already on their way are still read.
    if (acknowledged - from + 1 >= commits) child.kill('SIGKILL');
  }
  expect(await exited).toEqual([null, 'SIGKILL']);
  return acknowledged;
}

/** Every match of the account by rule and post, with how often it is there. */
async function storedIn(store: Store, of: { ruleId?: string } = {}): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  let after = 0;
  for (;;) {
    const { matches, last } = await store.matchesAfter({
      accountId: 'acct_crash',
      after,
      limit: 1000,
      ...of,
    });
    for (const { ruleId, platformPostId } of matches) {
      const key = `${ruleId} ${platformPostId}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    if (last === after) return counts;
    after = last;
  }
}

/** The cursor of a file that has all it covers, each match once, and is whole. */
async function checkedCursor(file: string): Promise<number> {
  await using store = await openSqlite(file);
  const stored = await storedIn(store);
  expect(new Set(stored.values())).toEqual(new Set([1]));
  const cursor = Number(await store.cursor('x'));
  const expected = RULES.flatMap((rule) => Array.from({ length: cursor + 1 }, (_, number) => `${rule} ${number}`));
  expect([...stored.keys()].toSorted()).toEqual(expected.toSorted());
  for (const id of RULES) expect((await store.rule('acct_crash', id))!.platforms.x!.matchCount).toBe(cursor + 1);
  for (const ruleId of RULES) {
    const { stories } = await store.stories({ accountId: 'acct_crash', ruleId, limit: 10 });
    expect(stories.map(({ size }) => size)).toEqual([RULES.length * (cursor + 1)]);
    expect((await storedIn(store, { ruleId })).size).toBe(cursor + 1);
  }
  const db = new DatabaseSync(file, { readOnly: true });
  expect(db.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  expect(db.prepare('PRAGMA foreign_key_check').all()).toEqual([]);
  db.close();
  return cursor;
}

/** The log of certificates has each acknowledged one at its place, and the root that these make. */
async function checkedLog(file: string, acknowledged: number): Promise<void> {
  await using store = await openSqlite(file);
  const { size } = await store.certificateLogEnd();
  expect(heardOrNot(acknowledged)).toContain(size);
  const root = await withNodes(store.certificateNodes, (node) => treeRoot(size, node));
  const certificates = Array.from({ length: size }, (_, at) => `certificate ${at + 1}`);
  expect(root.toString('hex')).toBe(plainRoot(certificates).toString('hex'));
}

/** The last commit may have been made without anybody hearing of it. */
const heardOrNot = (acknowledged: number): number[] => [acknowledged, acknowledged + 1];

describe('a killed process', () => {
  it(`loses nothing and repeats nothing over ${KILLS} kills`, async () => {
    const file = join(folder, 'kills.db');
    let acknowledged = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      acknowledged = await commitAndKill(file, acknowledged + 1, 1 + Math.floor(Math.random() * 12));
    }
    expect(heardOrNot(acknowledged)).toContain(await checkedCursor(file));
    await checkedLog(file, acknowledged);
  });

  it.each([0, 1, 5, 12, 20, 30])(
    'leaves the old schema when it dies after %i statements of a migration',
    async (statements) => {
      const file = join(folder, `migration-${statements}.db`);
      const child = spawn(process.execPath, [migrator, file, `${statements}`], { stdio: 'inherit' });
      expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
      const db = new DatabaseSync(file);
      expect(db.prepare('SELECT name FROM sqlite_schema').all()).toEqual([]);
      expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: 0 });
      db.close();
      await using store = await openSqlite(file);
      await store.check();
    },
  );
});

describe('a file that cannot grow', () => {
  it('fails the commit as a whole, in words a caller can act on, and keeps all that was acknowledged', async () => {
    const file = join(folder, 'limited.db');
    // Four megabytes for any file; a write beyond them fails as one on a full disk does.
    const command = `ulimit -f 4000; exec "$0" "$@"`;
    const child = spawn('bash', ['-c', command, process.execPath, committer, file, '1'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines: string[] = [];
    for await (const line of createInterface(child.stdout)) lines.push(line);
    expect(lines.pop()).toBe('unwritable');
    expect(lines.length).toBeGreaterThan(5);
    expect(heardOrNot(Number(lines.at(-1)))).toContain(await checkedCursor(file));
  });
});
