// Installs what is missing before a command runs: what the server needs, or with `--dev` what tests and benchmarks need as
// well; and builds the console when it is missing or older than what it is made of. Plain JavaScript for the oldest Node we
// start on: it may be the thing that brings the newer Node in.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { npmCall } from './npm-call.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const development = process.argv.includes('--dev');

function npm(what, words) {
  const { platform, execPath: node, env } = process;
  const { command, args, shell } = npmCall(words, { platform, node, npmProgram: env.npm_execpath });
  const { status } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2], shell });
  if (status === 0) return;
  console.error(`sluice: ${what} failed; see the messages above.`);
  process.exit(status ?? 1);
}

// npm writes this file last, so it is newer than the lockfile exactly when an install of that lockfile was finished.
const finished = `${root}node_modules/.package-lock.json`;
const current = existsSync(finished) && statSync(finished).mtimeMs >= statSync(`${root}package-lock.json`).mtimeMs;

if (!current || (development && !existsSync(`${root}node_modules/vitest`))) {
  console.error('sluice: installing dependencies …');
  // Engine warnings are about the Node that runs npm, not about the one that runs Sluice.
  const options = ['--no-audit', '--no-fund', '--loglevel=error', ...(development ? [] : ['--omit=dev'])];
  npm('the installation', ['ci', ...options]);
}

const built = `${root}console/dist/index.html`;
const madeOf = ['console/src', 'console/public', 'packages/client/src', 'src/rules', 'src/domain'].flatMap((folder) =>
  readdirSync(root + folder, { recursive: true }).map((name) => `${folder}/${name}`),
);
const parts = [...madeOf, 'console/index.html', 'console/vite.config.ts', 'console/package.json', 'package-lock.json'];
const newest = () => Math.max(...parts.map((path) => statSync(root + path).mtimeMs));

if (!existsSync(built) || statSync(built).mtimeMs < newest()) {
  console.error('sluice: building the console …');
  // Through npm, which puts the newer Node first on the path.
  npm('building the console', ['run', 'build', '--workspace', 'console', '--silent', '--', '--logLevel', 'warn']);
}
