/**
 * Programs that the suites need and no npm package brings: looked for where a variable says and in the usual places; on
 * Debian, as root, installed where they are missing (SLUICE_TEST_INSTALL=off forbids that).
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Wanted {
  /** The path of the program, if somebody has said so: then it is nowhere else. */
  readonly chosen: string | undefined;
  readonly names: readonly string[];
  /** Whole paths to look at beside those on the path. */
  readonly usual?: readonly string[];
  /** Debian's package, which brings a program of the same name. */
  readonly debian: string;
}

export const programPath = (wanted: Wanted): string | undefined => find(wanted) ?? install(wanted);

function find({ chosen, names, usual = [] }: Wanted): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(':'), '/usr/bin', '/usr/sbin', '/usr/local/bin', '/snap/bin'];
  const paths = [...folders.flatMap((folder) => names.map((name) => join(folder, name))), ...usual];
  return (chosen ? [chosen] : paths).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function install(wanted: Wanted): string | undefined {
  const { chosen, debian } = wanted;
  if (chosen) return undefined;
  installPackage(debian, `command -v ${debian}`);
  return find(wanted);
}

/** Debian's own Python: another one that comes before it on the path has none of Debian's modules. */
export const PYTHON = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3';

/** Whether Python can import this module, which a package of Debian brings. */
export function hasPythonModule(name: string, debian: string): boolean {
  const isThere = () => spawnSync(PYTHON, ['-c', `import ${name}`], { stdio: 'ignore' }).status === 0;
  if (isThere()) return true;
  installPackage(debian, `${PYTHON} -c 'import ${name}'`);
  return isThere();
}

/** `isThere`: the command that says so. */
function installPackage(debian: string, isThere: string): void {
  const mayInstall = process.env['SLUICE_TEST_INSTALL'] !== 'off' && process.getuid?.() === 0;
  if (!mayInstall || !existsSync('/etc/debian_version')) return;
  console.log(`There is no ${debian} here: installing Debian’s package (SLUICE_TEST_INSTALL=off forbids it).`);
  // Two suites that begin together must not get into each other's way.
  const command = `apt-get -qq update && apt-get -qq -y install --no-install-recommends ${debian}`;
  const lock = join(tmpdir(), 'sluice-install.lock');
  spawnSync('sh', ['-c', `exec 9>${lock} && flock 9 && { ${isThere} || { ${command}; }; }`], {
    stdio: 'ignore',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
}
