/**
 * Every command of the README and of the guides, run as written: in order, in one fresh copy of the project that has the packages
 * which `npm start` installs and no other, on the oldest Node that this machine has. On the one that the server runs on the
 * README alone runs again: `npm start` goes over to that one by itself. `npm run campaign -- first-use` installs the packages.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { linkInstalled } from '../install/linked-install.ts';
import { freePort } from '../stages/free-port.ts';
import { commandBlocks } from './pages.ts';
import { openShell } from './shell.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');
const GUIDES = 'docs/guides';
const FIRST = 'README.md';
const guides = readdirSync(join(ROOT, GUIDES)).map((name) => `${GUIDES}/${name}`);

/** What a command that keeps running has printed when the next one may run: a server its address, a list its first match, and no log. */
const READY = /listening on http|receiving on http|^(?!\{).*\d\d:\d\d.*\n/m;

describe.each(nodes())('the commands of the documents on Node %s', (_, searched, pages) => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-docs-'));
  const ports = { 4800: 0, 4900: 0 };
  let key = 'sk_…';

  beforeAll(async () => {
    for (const path of filesOf(ROOT)) cpSync(join(ROOT, path), join(folder, path));
    linkInstalled(ROOT, folder);
    ports[4800] = await freePort();
    ports[4900] = await freePort();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** The reader's own key, and ports that nothing else listens on. */
  const asTyped = (text: string): string =>
    text
      .replaceAll('sk_…', key)
      .replaceAll(/\b(4800|4900)\b/g, (port) => String(ports[port as unknown as keyof typeof ports]));

  it('install what package.json asks for: the lockfile agrees with it', () => {
    const dry = ['ci', '--dry-run', '--offline', '--omit=dev', '--ignore-scripts', '--loglevel=error'];
    const { status, stderr } = spawnSync('npm', dry, { cwd: folder, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, expect.not.stringContaining('npm error')]);
  });

  it.each(pages)('%s works to the letter', async (page) => {
    const { HOME = '' } = process.env;
    const settings = { SLUICE_PORT: String(ports[4800]), SLUICE_URL: `http://127.0.0.1:${ports[4800]}` };
    await using shell = openShell(folder, { PATH: searched, HOME, ...settings });
    for (const { kind, text, line } of commandBlocks(readFileSync(join(ROOT, page), 'utf8'))) {
      if (kind === 'example') continue;
      if (kind === 'background') {
        const output = await shell.start(asTyped(text), READY);
        key = /\bsk_\w+/.exec(output)?.[0] ?? key;
        continue;
      }
      const { status, output } = await shell.run(asTyped(text));
      expect(status === 0, `${page}:${line} ended with ${status}:\n${output}`).toBe(kind === 'run');
    }
  });
});

/** The Node that this machine has, which may be the oldest we start on, and the one that the server runs on; each once. */
function nodes(): [version: string, path: string, pages: readonly string[]][] {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-node-'));
  symlinkSync(process.execPath, join(folder, 'node'));
  const paths = [ownPath(), [folder, ownPath()].join(delimiter)];
  const versionOn = (path: string) =>
    execFileSync('node', ['--version'], { env: { PATH: path }, encoding: 'utf8' })
      .trim()
      .replace(/^v(\d+).*/, '$1');
  const byVersion = [...new Map(paths.map((path) => [versionOn(path), path]))];
  return byVersion.map(([version, path], index) => [version, path, index === 0 ? [FIRST, ...guides] : [FIRST]]);
}

/** The PATH without what npm puts there. */
function ownPath(): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.filter((folder) => !folder.includes('node_modules')).join(delimiter);
}

/** What a clone would hold, as it is in the working tree. */
function filesOf(root: string): string[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: root, encoding: 'utf8' });
  return listed.split('\0').filter((path) => path !== '' && existsIn(root, path));
}

const existsIn = (root: string, path: string): boolean =>
  readdirSync(join(root, dirname(path))).includes(path.split('/').at(-1)!);
