/** The packages that npm installs with ours, by the lockfile: the root's dependencies, theirs and so on. */
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Entry {
  readonly dependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
  readonly peerDependenciesMeta?: Record<string, { readonly optional?: boolean }>;
}

/** Paths such as `node_modules/fastify`, in the order in which they are met. */
export function runtimePackages(root: string): string[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Entry>;
  };
  const found = new Set<string>();
  const waiting = [''];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    for (const name of wantedBy(packages[path]!)) {
      const at = placeOf(packages, path, name);
      if (at === undefined || found.has(at)) continue;
      found.add(at);
      waiting.push(at);
    }
  }
  return [...found];
}

const wantedBy = ({ dependencies, optionalDependencies, peerDependencies = {}, peerDependenciesMeta = {} }: Entry) => [
  ...Object.keys({ ...dependencies, ...optionalDependencies }),
  ...Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true),
];

/** As Node looks: in the package's own folder, then in each one above it. */
function placeOf(packages: Record<string, Entry>, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (path in packages) return path;
    if (folder === '') return undefined;
  }
}

const BLOCK = 4_096;

/** As `du` counts: whole blocks of 4 KiB, folders included. Packages within are counted for themselves. */
export function bytesOnDisk(folder: string): number {
  if (!existsSync(folder)) return 0;
  return readdirSync(folder)
    .filter((name) => name !== 'node_modules')
    .map((name) => {
      const path = join(folder, name);
      const entry = lstatSync(path);
      return entry.isDirectory() ? bytesOnDisk(path) : Math.ceil(entry.size / BLOCK) * BLOCK;
    })
    .reduce((sum, bytes) => sum + bytes, BLOCK);
}
