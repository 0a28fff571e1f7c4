/** Commands on the database of this machine: where there is none, and where it is damaged. */
import {
  closeSync,
  cpSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ran, run } from './black-box/cli.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-database-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const sluice = (dataDir: string, ...args: string[]): Promise<Ran> =>
  run(args, { HOME: folder, SLUICE_DATA_DIR: dataDir });

describe('a folder without a database', () => {
  it('is told by every command that only uses one, and stays as it is', async () => {
    const copy = join(folder, 'copy.db');
    const wrong = join(folder, 'wrong');
    const erased = join(folder, 'erased.ndjson');
    writeFileSync(erased, '');
    const lines = [
      `backup ${copy}`,
      `tombstones export ${copy}`,
      `tombstones import ${erased}`,
      'accounts list',
      'accounts show default',
      'accounts set default --x-rules 5',
      'accounts suspend acme',
      'accounts resume acme',
      'keys list',
      'keys revoke key_1',
    ];
    const stderr = `error: There is no database at ${join(wrong, 'sluice.db')}. Set SLUICE_DATA_DIR to the data folder of the server, or SLUICE_STORE_URL.\n`;
    const ran = await Promise.all(lines.map(async (line) => ({ line, ...(await sluice(wrong, ...line.split(' '))) })));
    expect(ran).toEqual(lines.map((line) => ({ line, code: 2, stdout: '', stderr })));
    expect([wrong, copy].map((path) => existsSync(path))).toEqual([false, false]);
  });

  it.each(['accounts create acme', 'keys create'])('gets one by `sluice %s`', async (line) => {
    const fresh = mkdtempSync(join(folder, 'fresh-'));
    expect((await sluice(fresh, ...line.split(' '))).code).toBe(0);
    expect(readdirSync(fresh)).toContain('sluice.db');
  });
});

describe('the way back to a backup', () => {
  const advice = (file: string): string =>
    `move ${file}, ${file}-wal and ${file}-shm to another folder, and put a backup in its place`;

  it('names the files to take away, after a backup and wherever a database is damaged', async () => {
    const whole = join(folder, 'whole');
    await sluice(whole, 'accounts', 'create', 'acme');
    const { stdout } = await sluice(whole, 'backup', join(folder, 'kept.db'));
    expect(stdout).toContain(advice(join(whole, 'sluice.db')));

    const damaged = join(folder, 'damaged');
    const file = join(damaged, 'sluice.db');
    cpSync(whole, damaged, { recursive: true });
    writeFileSync(file, 'no database '.repeat(1_000));
    const { stderr } = await sluice(damaged, 'accounts', 'list');
    expect(stderr).toMatch(/^error: The database .* is damaged \(/);
    expect(stderr).toContain(advice(file));
    const found = JSON.parse((await sluice(damaged, 'doctor', '--json')).stdout) as object[];
    expect(found).toContainEqual(
      expect.objectContaining({ check: 'store', advice: expect.stringContaining(advice(file)) }),
    );
  });

  it('is told by a command that finds the damage while it works', async () => {
    const torn = join(folder, 'torn');
    const file = join(torn, 'sluice.db');
    await sluice(torn, 'accounts', 'create', 'acme');
    overwriteTable(file, 'accounts');
    const { code, stderr } = await sluice(torn, 'accounts', 'list');
    expect([code, stderr]).toEqual([1, expect.stringContaining('The database is damaged. ')]);
    expect(stderr).toContain(advice(file));
  });
});

/** Leaves the rest of the file as it is, so that opening it finds nothing wrong. */
function overwriteTable(file: string, table: string): void {
  const db = new DatabaseSync(file, { readOnly: true });
  const { rootpage } = db.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(table) as {
    rootpage: number;
  };
  const { page_size } = db.prepare('PRAGMA page_size').get() as { page_size: number };
  db.close();
  const opened = openSync(file, 'r+');
  writeSync(opened, Buffer.alloc(page_size, 0x5a), 0, page_size, (rootpage - 1) * page_size);
  closeSync(opened);
}
