/** The modules that short commands load. Each costs time at every start, and one import can bring hundreds. */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { environment } from './black-box/server.ts';

const ROOT = resolve(import.meta.dirname, '..');

/** Prints each file that is loaded, one a line, before the command's own output. */
const WATCH = `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from 'node:module';
registerHooks({ load(url, context, next) {
  if (url.startsWith('file:')) process.stderr.write('loaded ' + url + '\\n');
  return next(url, context);
} });`)}`;

/** No server listens on port 9. What a command needs for the answer, it has loaded before it asks. */
const SERVER = { SLUICE_URL: 'http://127.0.0.1:9', SLUICE_API_KEY: 'a-key-that-no-server-has' };

function loadedBy(...args: string[]): { readonly status: number | null; readonly files: readonly string[] } {
  const { status, stderr } = spawnSync(process.execPath, ['--import', WATCH, 'bin/sluice.mjs', ...args], {
    cwd: ROOT,
    env: environment({ ...SERVER, HOME: '/nowhere' }),
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
    { args: ['check', '-p', 'x', 'tea'], most: 64 },
    { args: ['check', '-p', 'firehose', 'title:tea'], most: 80 },
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

/** A command that talks to a server has no use for the server, its settings, and what reads YAML or checks shapes. */
const OF_THE_SERVER =
  /node_modules\/(zod|yaml|fastify|undici)|src\/(app\/(?!version|server-settings|replay|private-folder)|service|store|http|mcp|engine|rules)/;

describe('a command that talks to a server', () => {
  it.each(
    [
      'status',
      'open --print',
      'rules list',
      'rules pause Etna',
      'matches',
      'tail',
      'webhooks list',
      'keys list --remote',
      'digest',
      'why Etna',
      'rehearse Etna',
      'replay package.json -p x',
    ].map((line) => ({ line })),
  )('loads at most 60 files for $line, and nothing of the server', ({ line }) => {
    const { status, files } = loadedBy(...line.split(' '));
    expect(status).toBe(1);
    expect(files.filter((file) => OF_THE_SERVER.test(file))).toEqual([]);
    expect(files.length).toBeGreaterThan(15);
    expect(files.length).toBeLessThanOrEqual(60);
  });
});
