import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { addFile, makeFolder, replaceFile } from './durable-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-durable-'));
afterAll(() => rmSync(folder, { recursive: true }));

const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe('a durable file', () => {
  it('is replaced as a whole and leaves nothing beside it', () => {
    const home = join(folder, 'replaced');
    makeFolder(home);
    const file = join(home, 'key');
    // A crash left half of one, which others could read.
    writeFileSync(`${file}.${process.pid}`, 'half', { mode: 0o644 });
    for (const content of ['first', 'second']) replaceFile(file, content);
    expect([readFileSync(file, 'utf8'), modeOf(file), readdirSync(home)]).toEqual(['second', 0o600, ['key']]);
  });

  it('is made once, and whoever comes second leaves it as it is', () => {
    const home = join(folder, 'added');
    makeFolder(home);
    const file = join(home, 'key');
    for (const content of ['first', 'second']) addFile(file, content);
    expect([readFileSync(file, 'utf8'), modeOf(file), readdirSync(home)]).toEqual(['first', 0o600, ['key']]);
  });

  it('may be in folders that are made for it', () => {
    makeFolder(join(folder, 'some', 'way', 'down'));
    makeFolder(join(folder, 'some', 'way', 'down'));
    expect(modeOf(join(folder, 'some', 'way'))).toBe(0o700);
  });

  it('may be in a folder of one letter, below the one where the program was started', () => {
    const home = join(folder, 'started');
    makeFolder(home);
    const code = `import { makeFolder } from ${JSON.stringify(import.meta.resolve('./durable-file.ts'))}; makeFolder('d/e')`;
    // It is ended where it makes the folder for ever.
    const options = { cwd: home, timeout: 60_000, encoding: 'utf8' } as const;
    expect(spawnSync(process.execPath, ['--input-type=module', '-e', code], options)).toMatchObject({ status: 0 });
    expect(existsSync(join(home, 'd', 'e'))).toBe(true);
  });
});
