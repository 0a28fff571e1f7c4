// Installs what is missing before a command runs. Plain JavaScript for the oldest Node we start on: it may be the
// thing that brings the newer Node (a dependency) in.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
// npm writes this file last, so it is newer than the lockfile exactly when an install of that lockfile was finished.
const installed = `${root}node_modules/.package-lock.json`;
const lockfile = `${root}package-lock.json`;

if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(lockfile).mtimeMs) {
  console.error('sluice: installing dependencies …');
  // Engine warnings are about the Node that runs npm, not about the one that runs Sluice.
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status !== 0) {
    console.error('sluice: the installation failed; see the messages above.');
    process.exit(status ?? 1);
  }
}
