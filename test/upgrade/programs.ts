/**
 * Programs of other versions. The last release comes from the history of the repository. The next one is this program with
 * one more step of the schema, which adds as the rule for steps says. Packages are those that are here.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bundleProgram } from '../../scripts/bundle.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** The commit of release 0.2.0. A release puts its own here. */
const RELEASE = '47df275cd669fecd120079d9f5382f80ee34a568';

const git = (args: readonly string[]): Buffer =>
  execFileSync('git', ['-C', ROOT, ...args], { maxBuffer: 256 * 1024 * 1024, stdio: ['ignore', 'pipe', 'ignore'] });

/** A shallow clone has not got it, and neither has a copy without history. */
export function hasRelease(): boolean {
  try {
    git(['cat-file', '-e', `${RELEASE}^{tree}`]);
    return true;
  } catch {
    return false;
  }
}

/** The program of the last release, in this folder. */
export function releasedProgram(folder: string): string {
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['-x', '-C', folder], { input: git(['archive', RELEASE, 'src', 'bin', 'package.json']) });
  linkPackages(folder);
  return join(folder, 'src/cli/main.ts');
}

const STEPS = 'src/store/steps.ts';
const ADDED =
  'CREATE TABLE later (id text PRIMARY KEY); ALTER TABLE webhooks ADD COLUMN later bigint NOT NULL DEFAULT 0;';

/**
 * The program of the next release, in this folder, bundled: it starts several times. With `isBreak`, none of before can work on
 * its tables.
 */
export async function nextProgram(folder: string, { isBreak = false } = {}): Promise<string> {
  for (const part of ['src', 'bin', 'core', 'packages', 'sandbox', 'package.json', 'tsconfig.json'])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true, filter: (path) => !path.includes('node_modules') });
  const text = readFileSync(join(folder, STEPS), 'utf8');
  const end = text.lastIndexOf('\n];');
  const step = { name: '9999-later', sql: ADDED, ...(isBreak && { needs: '9999-later' }) };
  writeFileSync(join(folder, STEPS), `${text.slice(0, end)}\n  ${JSON.stringify(step)},${text.slice(end)}`);
  linkPackages(folder);
  return join(await bundleProgram(folder), 'main.js');
}

const linkPackages = (folder: string): void => symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
