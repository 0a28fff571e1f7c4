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
import { type CommandBlock, commandBlocks } from './pages.ts';
import { openShell, type PageShell } from './shell.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');
const GUIDES = 'docs/guides';
const FIRST = 'README.md';
const guides = readdirSync(join(ROOT, GUIDES)).map((name) => `${GUIDES}/${name}`);

/** A lasting command has printed this when the next may run: a server its address, a list its first match, no log. */
const READY = /listening on http|receiving on http|^(?!\{).*\d\d:\d\d.*\n/m;

/** Most pages begin with it. One server is enough for all: it stays until a page starts one with other settings. */
const START = 'npm start';
/** The one copy. What a Node leaves there is gone before the next, but for the console, which is built once. */
const clone = mkdtempSync(join(tmpdir(), 'sluice-docs-'));

beforeAll(() => {
  for (const path of filesOf(ROOT)) cpSync(join(ROOT, path), join(clone, path));
  linkInstalled(ROOT, clone);
});
afterAll(() => rmSync(clone, { recursive: true, force: true }));

it('the lockfile agrees with what package.json asks for', () => {
  const dry = ['ci', '--dry-run', '--offline', '--omit=dev', '--ignore-scripts', '--loglevel=error'];
  const { status, stderr } = spawnSync('npm', dry, { cwd: clone, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, expect.not.stringContaining('npm error')]);
});

describe.each(nodes())('the commands of the documents on Node %s', (_, searched, pages) => {
  const ports = { 4800: 0, 4900: 0 };
  let key = 'sk_…';
  let standing: PageShell | undefined;

  beforeAll(async () => {
    for (const left of ['data', 'node_modules/.bin/node']) rmSync(join(clone, left), { recursive: true, force: true });
    ports[4800] = await freePort();
    ports[4900] = await freePort();
  });
  afterAll(() => standing?.[Symbol.asyncDispose]());

  /** The reader's own key, and ports that nothing else listens on. */
  const asTyped = (text: string): string =>
    text
      .replaceAll('sk_…', key)
      .replaceAll(/\b(4800|4900)\b/g, (port) => String(ports[port as unknown as keyof typeof ports]));

  const newShell = (): PageShell => {
    const { HOME = '' } = process.env;
    const settings = { SLUICE_PORT: String(ports[4800]), SLUICE_URL: `http://127.0.0.1:${ports[4800]}` };
    return openShell(clone, { PATH: searched, HOME, ...settings });
  };

  async function startIn(shell: PageShell, text: string): Promise<void> {
    const isUsual = text.trim() === START;
    if (isUsual && standing !== undefined) return;
    if (text.includes(START)) {
      await standing?.[Symbol.asyncDispose]();
      standing = isUsual ? newShell() : undefined;
    }
    const output = await (isUsual ? standing! : shell).start(asTyped(text), READY);
    key = /\bsk_\w+/.exec(output)?.[0] ?? key;
  }

  it.each(pages)('%s works to the letter', async (page) => {
    await using shell = newShell();
    for (const { kind, text, line } of blocksOf(page)) {
      if (kind === 'example') continue;
      if (kind === 'background') {
        await startIn(shell, text);
        continue;
      }
      const { status, output } = await shell.run(asTyped(text));
      expect(status === 0, `${page}:${line} ended with ${status}:\n${output}`).toBe(kind === 'run');
    }
  });
});

function blocksOf(page: string): CommandBlock[] {
  return commandBlocks(readFileSync(join(ROOT, page), 'utf8'));
}

function startsAsUsual(page: string): boolean {
  return blocksOf(page).some(({ text }) => text.trim() === START);
}

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
  // Pages that can use the server which is there come before those that start another.
  const ordered = [FIRST, ...guides].toSorted(
    (one, other) => Number(startsAsUsual(other)) - Number(startsAsUsual(one)),
  );
  return byVersion.map(([version, path], index) => [version, path, index === 0 ? ordered : [FIRST]]);
}

/** The PATH without what npm puts there. */
function ownPath(): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.filter((folder) => !folder.includes('node_modules')).join(delimiter);
}

/** The files that a clone would hold, as they are in the working tree. */
function filesOf(root: string): string[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: root, encoding: 'utf8' });
  return listed.split('\0').filter((path) => path !== '' && existsIn(root, path));
}

const existsIn = (root: string, path: string): boolean =>
  readdirSync(join(root, dirname(path))).includes(path.split('/').at(-1)!);
