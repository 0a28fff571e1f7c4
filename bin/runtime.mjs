// The Node that Sluice runs on: this one, another on the PATH, or one that is fetched from npm's registry, once, at the version and
// with the checksum in runtime/package-lock.json. Plain JavaScript for the oldest Node we start on.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { npm } from './steps.mjs';

/** The oldest Node that the program runs on, as `engines` says. */
export const LEAST = 24;

const RUNTIME = fileURLToPath(new URL('../runtime/', import.meta.url));
const PACKAGE = `node-${process.platform}-${process.arch}`;

export const isNewEnough = (version) => Number(/^v?(\d+)/.exec(version)?.[1]) >= LEAST;

/** The exact version that would be fetched here; undefined where there is none for this machine. */
export const fetchedVersion = () =>
  JSON.parse(readFileSync(join(RUNTIME, 'package.json'), 'utf8')).optionalDependencies[PACKAGE];

/** Beside the program where that may be written, so that every user of a global installation has it; else for this user. */
const places = () => [RUNTIME, join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'sluice')];

const nodeIn = (folder) => join(folder, `node-${fetchedVersion()}`, 'node_modules', PACKAGE, 'bin', 'node');

/** A Node that is new enough and is here already: one that was fetched, this one, or the first on the PATH. */
export function findNode({ path = process.env.PATH ?? '', version = process.version, folders = places() } = {}) {
  const fetched = folders.map(nodeIn).find((node) => existsSync(node));
  if (fetched !== undefined) return fetched;
  return isNewEnough(version) ? process.execPath : nodesOn(path).find((node) => isNewEnough(versionOf(node)));
}

/** Every `node` on a PATH, in its order. */
const nodesOn = (path) =>
  path
    .split(delimiter)
    .map((folder) => join(folder, process.platform === 'win32' ? 'node.exe' : 'node'))
    .filter((node) => existsSync(node));

/** The version of the `node` that a command on this PATH starts; empty when there is none. */
export const versionOn = (path) => nodesOn(path).slice(0, 1).map(versionOf).join('');

const versionOf = (node) => spawnSync(node, ['--version'], { encoding: 'utf8', timeout: 10_000 }).stdout ?? '';

/** Fetches into a folder of its own and renames that: two at once, or one that was stopped half-way, leave nothing broken. */
export async function fetchNode({ folders = places(), install = (folder) => npm(INSTALL, folder) } = {}) {
  const folder = folders.find(canBeWritten);
  if (folder === undefined) throw new Error(`None of these folders can be written: ${folders.join(', ')}`);
  removeAbandoned(folder);
  const fetching = join(folder, `fetching-${process.pid}`);
  const ready = join(folder, `node-${fetchedVersion()}`);
  try {
    mkdirSync(fetching);
    for (const name of ['package.json', 'package-lock.json']) copyFileSync(join(RUNTIME, name), join(fetching, name));
    await install(fetching);
    if (!existsSync(ready)) renameSync(fetching, ready);
  } catch (error) {
    // Another one was first: its Node is the same.
    if (!existsSync(nodeIn(folder))) throw error;
  } finally {
    rmSync(fetching, { recursive: true, force: true });
  }
  return nodeIn(folder);
}

const INSTALL = ['ci', '--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts'];

function canBeWritten(folder) {
  const probe = join(folder, `probe-${process.pid}`);
  try {
    mkdirSync(probe, { recursive: true });
    rmSync(probe, { recursive: true });
    return true;
  } catch {
    return false;
  }
}

/** Removes what a process left that was killed while it fetched. */
function removeAbandoned(folder) {
  for (const name of readdirSync(folder)) {
    const pid = /^fetching-(\d+)$/.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** The advice to a person when there is no Node, and none can be fetched. */
export const ADVICE = `Sluice needs Node ${LEAST} or newer; this is ${process.version}. Install it from nodejs.org and try again.`;
