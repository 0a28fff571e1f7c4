/**
 * The packages that `npm ci --omit=dev` installs, as hard links to those of this checkout: what runs there runs without any
 * development package, and the install takes a second. The real install is in `npm run campaign -- first-use`.
 */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

interface Entry {
  readonly dev?: boolean;
  readonly link?: boolean;
}

export function linkInstalled(root: string, folder: string): void {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Entry>;
  };
  const installed = Object.entries(packages).filter(
    ([path, { dev }]) => path.includes('node_modules/') && dev !== true && existsSync(join(root, path)),
  );
  const own = installed.filter(([, { link }]) => link !== true).map(([path]) => path);
  copyLinked(root, folder, own);
  for (const [path] of installed.filter(([, { link }]) => link === true)) copyLink(root, folder, path);
  for (const name of readdirSync(join(root, 'node_modules/.bin'))) {
    const target = relative(
      root,
      resolve(root, 'node_modules/.bin', readlinkSync(join(root, 'node_modules/.bin', name))),
    );
    if (own.some((path) => target.startsWith(`${path}/`))) copyLink(root, folder, `node_modules/.bin/${name}`);
  }
  // As npm leaves it: what it has installed.
  const list = JSON.stringify({ packages: Object.fromEntries(installed) });
  writeFileSync(join(folder, 'node_modules/.package-lock.json'), list);
}

/** A package within another one comes with it. */
function copyLinked(root: string, folder: string, paths: readonly string[]): void {
  const outer = paths.filter((path) => !paths.some((other) => path.startsWith(`${other}/`)));
  const copy = (how: string) =>
    execFileSync('cp', [how, '--parents', ...outer, folder], { cwd: root, stdio: 'ignore' });
  try {
    copy('-al');
  } catch {
    // Another file system takes no hard links.
    copy('-a');
  }
}

function copyLink(root: string, folder: string, path: string): void {
  if (!lstatSync(join(root, path)).isSymbolicLink()) throw new Error(`${path} is not a link.`);
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  symlinkSync(readlinkSync(join(root, path)), join(folder, path));
}
