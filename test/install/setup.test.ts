/** `scripts/setup.mjs` in a folder of its own, with an npm that only notes what it is asked. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'sluice-setup-'));
const clone = join(folder, 'clone');
const asked = join(folder, 'asked');
const bin = join(folder, 'bin');
const [newer, older] = [join(folder, 'newer'), join(folder, 'older')];
mkdirSync(newer);
symlinkSync(process.execPath, join(newer, 'node'));
mkdirSync(older);
writeFileSync(join(older, 'node'), '#!/bin/sh\necho v20.1.0\n', { mode: 0o755 });
afterAll(() => rmSync(folder, { recursive: true }));

const pack = (version: string, more: object = {}) => ({ version, integrity: `sha512-${version}`, ...more });
const LOCK = {
  '': {},
  'node_modules/fastify': pack('5.0.0'),
  'node_modules/vitest': pack('5.1.0', { dev: true }),
  'node_modules/binding-of-another-machine': pack('1.0.0', { optional: true }),
  'node_modules/own-workspace': { resolved: 'packages/own', link: true },
};
const SERVER = { 'node_modules/fastify': pack('5.0.0') };
const DEVELOPER = { ...SERVER, 'node_modules/vitest': pack('5.1.0', { dev: true }) };

function write(path: string, content: string | object): void {
  mkdirSync(dirname(join(clone, path)), { recursive: true });
  writeFileSync(join(clone, path), typeof content === 'string' ? content : JSON.stringify(content));
}

beforeEach(() => {
  rmSync(clone, { recursive: true, force: true });
  rmSync(asked, { force: true });
  for (const part of ['bin', 'runtime/package.json', 'scripts/setup.mjs', 'scripts/installed.mjs'])
    cpSync(join(ROOT, part), join(clone, part), { recursive: true });
  for (const part of ['console/src/a', 'console/public/a', 'packages/client/src/a', 'src/rules/a', 'src/domain/a'])
    write(part, '');
  for (const part of ['console/index.html', 'console/vite.config.ts', 'console/package.json']) write(part, '');
  write('package-lock.json', { packages: LOCK });
  // Built after all that it is made of.
  write('console/dist/index.html', '');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'npm'), `#!/bin/sh\necho "$@" >> ${asked}\nexit "$NPM_STATUS"\n`);
  chmodSync(join(bin, 'npm'), 0o755);
});

interface Situation {
  readonly installed?: object;
  /** A package that npm has listed and someone has removed. */
  readonly removed?: string;
  /** How npm ends. */
  readonly status?: number;
  /** The program that this machine calls `node` first, before one that is new enough. */
  readonly first?: string;
}

function setUp(args: string[] = [], { installed, removed, status = 0, first = '' }: Situation = {}) {
  if (installed !== undefined) write('node_modules/.package-lock.json', { packages: installed });
  for (const path of Object.keys(installed ?? {}).filter((one) => one !== removed)) write(`${path}/package.json`, {});
  const { status: code, stderr } = spawnSync(process.execPath, [join(clone, 'scripts/setup.mjs'), ...args], {
    encoding: 'utf8',
    env: { PATH: `${bin}:${first}:${newer}:/usr/bin:/bin`, HOME: folder, NPM_STATUS: String(status) },
  });
  return { code, stderr, npm: existsSync(asked) ? readFileSync(asked, 'utf8').trim().split('\n') : [] };
}

const INSTALL = 'ci --no-audit --no-fund --loglevel=error';

describe('the setup before a start', () => {
  it('installs what the server needs, and tells each step and its end', () => {
    expect(setUp()).toEqual({
      code: 0,
      npm: [`${INSTALL} --omit=dev`],
      stderr: expect.stringMatching(
        /^sluice: step 1 of 1: installing packages\nsluice: step 1 of 1: installing packages, done in \d+ s\n$/,
      ),
    });
  });

  it('does nothing, without a word, when all is there', () => {
    expect(setUp([], { installed: SERVER })).toEqual({ code: 0, npm: [], stderr: '' });
  });

  it('installs anew when the lockfile has another version, whatever the times of the files', () => {
    const installed = { 'node_modules/fastify': pack('4.9.9') };
    expect(setUp([], { installed }).npm).toEqual([`${INSTALL} --omit=dev`]);
  });

  it('installs anew when a package was removed after npm listed it', () => {
    const removed = 'node_modules/fastify';
    expect(setUp([], { installed: SERVER, removed }).npm).toEqual([`${INSTALL} --omit=dev`]);
  });

  it('never removes development packages', () => {
    expect(setUp([], { installed: DEVELOPER }).npm).toEqual([]);
    const outdated = { ...DEVELOPER, 'node_modules/fastify': pack('4.9.9') };
    expect(setUp([], { installed: outdated }).npm).toEqual([`${INSTALL} --include=dev`]);
  });

  it('adds development packages where a command needs them: tests, and packing after a start', () => {
    expect(setUp(['--dev', '--only', 'packages'], { installed: SERVER }).npm).toEqual([`${INSTALL} --include=dev`]);
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    expect(scripts['prepack']).toMatch(/^node scripts\/setup\.mjs --dev /);
    expect(scripts['pretest']).toBe('node scripts/setup.mjs --dev');
  });

  it('builds the console when a part of it is newer', () => {
    rmSync(join(clone, 'console/dist'), { recursive: true });
    const { npm, stderr } = setUp([], { installed: SERVER });
    expect(npm).toEqual(['run build --workspace console --silent -- --logLevel warn']);
    expect(stderr).toContain('step 1 of 1: building the console, done in');
  });

  it('leaves the Node of the machine alone where it is new enough', () => {
    expect(setUp([], { installed: SERVER })).toEqual({ code: 0, npm: [], stderr: '' });
    expect(existsSync(join(clone, 'node_modules/.bin/node'))).toBe(false);
    expect(readdirSync(join(clone, 'runtime'))).toEqual(['package.json']);
  });

  it('puts a newer Node before an older one, for every command that npm runs, and fetches none that is there', () => {
    expect(setUp(['--only', 'node'], { first: older })).toEqual({ code: 0, npm: [], stderr: '' });
    expect(realpathSync(join(clone, 'node_modules/.bin/node'))).toBe(realpathSync(process.execPath));
  });

  it('ends with what npm said when it fails, and goes no further', () => {
    rmSync(join(clone, 'console/dist'), { recursive: true });
    const { code, npm, stderr } = setUp([], { status: 7 });
    expect([code, npm]).toEqual([1, [`${INSTALL} --omit=dev`]]);
    expect(stderr).toMatch(/step 1 of 2: installing packages, failed after \d+ s\nsluice: npm ci ended with status 7/);
  });
});
