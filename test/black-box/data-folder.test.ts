/** The data folder: one server at a time, for its owner's eyes alone, and plain words when the database is damaged. */
import { closeSync, cpSync, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run } from './cli.ts';
import { startServer } from './server.ts';

let folder: string;
let inherited: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-folder-'));
  // As most systems have it: the children inherit it.
  inherited = process.umask(0o022);
});
afterEach(() => {
  process.umask(inherited);
  rmSync(folder, { recursive: true, force: true });
});

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe('a second server on the same data folder', () => {
  it('says who has it and ends with 1; commands work beside the first one', async () => {
    await using server = await startServer({}, join(folder, 'data'));
    const second = await run(['serve'], server.settings);
    expect(second).toMatchObject({ code: 1, stdout: '' });
    expect(second.stderr).toMatch(new RegExp(`^error: Another server works on .*: process ${server.process.pid} on `));
    expect(second.stderr.trimEnd().split('\n')).toHaveLength(1);
    expect((await run(['mcp'], { ...server.settings, SLUICE_URL: '' })).code).toBe(1);
    for (const command of [
      ['keys', 'list'],
      ['keys', 'create'],
      ['backup', join(folder, 'copy.db')],
    ])
      expect(await run(command, server.settings)).toMatchObject({ code: 0 });
    expect((await server.call('GET', '/readyz')).status).toBe(200);
  });

  it('starts at once when the first one was killed', async () => {
    await using server = await startServer({}, join(folder, 'data'));
    await server.end('SIGKILL');
    await using again = await startServer({}, server.dataDir);
    expect((await again.call('GET', '/readyz')).status).toBe(200);
  });
});

describe('the files of a server', () => {
  it('are readable for its own user alone, and so are backups', async () => {
    await using server = await startServer({}, join(folder, 'data'));
    await server.call('POST', '/api.CreateRule', {
      name: 'n',
      intent: '',
      platforms: ['x'],
      overrides: { x: 'lava' },
    });
    await server.push('x', [{ data: { id: '1', text: 'lava' } }]);
    expect((await run(['backup', join(folder, 'copy.db')], server.settings)).code).toBe(0);
    expect(modeOf(server.dataDir)).toBe('700');
    const files = [...readdirSync(server.dataDir).map((name) => join(server.dataDir, name)), join(folder, 'copy.db')];
    expect(files.length).toBeGreaterThan(4);
    expect(files.map((file) => [file, modeOf(file)])).toEqual(files.map((file) => [file, '600']));
  });
});

describe('a damaged database', () => {
  /** Overwrites what follows the first page, or all of it. */
  async function damage(from: number): Promise<Record<string, string>> {
    await using server = await startServer({}, join(folder, 'data'));
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
    const path = join(server.dataDir, 'sluice.db');
    const { size } = statSync(path);
    expect(size).toBeGreaterThan(from);
    mkdirSync(join(folder, 'damaged'));
    const copy = join(folder, 'damaged', 'sluice.db');
    cpSync(path, copy);
    const file = openSync(copy, 'r+');
    writeSync(file, Buffer.alloc(size - from, 0x5a), 0, size - from, from);
    closeSync(file);
    return { ...server.settings, SLUICE_DATA_DIR: join(folder, 'damaged') };
  }

  it.each([0, 8_192])('is told in one sentence with what to do, and status 1: from byte %i on', async (from) => {
    const settings = await damage(from);
    for (const command of [['serve'], ['keys', 'list']]) {
      const { code, stderr } = await run(command, settings);
      expect([code, stderr]).toEqual([1, expect.stringContaining('put a backup in its place')]);
      expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    }
  });
});
