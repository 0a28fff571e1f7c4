/** What short commands load. Each module costs time at every start, and one import can bring hundreds. */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');

/** Prints each file that is loaded, one a line, before the command's own output. */
const WATCH = `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from 'node:module';
registerHooks({ load(url, context, next) {
  if (url.startsWith('file:')) process.stderr.write('loaded ' + url + '\\n');
  return next(url, context);
} });`)}`;

function loadedBy(...args: string[]): { readonly status: number | null; readonly files: readonly string[] } {
  const { status, stderr } = spawnSync(process.execPath, ['--import', WATCH, 'bin/sluice.mjs', ...args], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const files = stderr.split('\n').filter((line) => line.startsWith('loaded '));
  return { status, files };
}

const HEAVY =
  /node_modules\/(?!commander|picocolors)|packages\/client|src\/(app\/(?!version)|service|store|sources|http)/;

describe('a short command', () => {
  it.each([
    { args: ['--version'], most: 20 },
    { args: ['check', '-p', 'x', 'tea'], most: 55 },
    { args: ['check', '-p', 'firehose', 'title:tea'], most: 70 },
  ])('loads at most $most files for $args, and nothing of the server', ({ args, most }) => {
    const { status, files } = loadedBy(...args);
    expect(status).toBe(0);
    expect(files.length).toBeGreaterThan(5);
    expect(files.length).toBeLessThanOrEqual(most);
    expect(files.filter((file) => HEAVY.test(file))).toEqual([]);
  });

  it('loads one rule language', () => {
    expect(loadedBy('check', '-p', 'x', 'tea').files.filter((file) => file.includes('rules/firehose/'))).toEqual([]);
    expect(
      loadedBy('check', '-p', 'firehose', 'tea').files.filter((file) => file.includes('rules/x/language')),
    ).toEqual([]);
  });
});
