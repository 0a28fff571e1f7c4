// Installs what is missing before a command runs: what the server needs, or with `--dev` what tests and benchmarks need as
// well. Plain JavaScript for the oldest Node we start on: it may be the thing that brings the newer Node in.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const development = process.argv.includes('--dev');
// npm writes this file last, so it is newer than the lockfile exactly when an install of that lockfile was finished.
const finished = `${root}node_modules/.package-lock.json`;
const current = existsSync(finished) && statSync(finished).mtimeMs >= statSync(`${root}package-lock.json`).mtimeMs;

if (!current || (development && !existsSync(`${root}node_modules/vitest`))) {
  console.error('sluice: installing dependencies …');
  // Engine warnings are about the Node that runs npm, not about the one that runs Sluice.
  const options = ['--no-audit', '--no-fund', '--loglevel=error', ...(development ? [] : ['--omit=dev'])];
  const { status } = spawnSync('npm', ['ci', ...options], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status !== 0) {
    console.error('sluice: the installation failed; see the messages above.');
    process.exit(status ?? 1);
  }
}
