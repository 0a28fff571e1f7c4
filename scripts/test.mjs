// The whole of `npm test`: formatting, lint, types, unused code and every test. Each check counts as one test. The
// last line is `N passed, M failed`; above it stand the suites that could not run, and why.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleProgram } from './bundle.ts';

const checks = [
  { name: 'format and lint', command: 'biome', args: ['check', '--error-on-warnings', '.'] },
  { name: 'lint with types', command: 'oxlint', args: ['--type-aware', '--deny-warnings', '--threads=1'] },
  { name: 'types', command: 'tsc', args: ['-p', '.', ...incremental('sources')] },
  { name: 'types of the console', command: 'tsc', args: ['-p', 'console', ...incremental('console')] },
  {
    name: 'types of the n8n nodes',
    command: 'tsc',
    args: ['-p', 'packages/n8n-nodes-sluice', '--noEmit', ...incremental('n8n')],
  },
  { name: 'unused code', command: 'knip', args: [] },
];

/**
 * Files that have not changed since they were checked are not checked again. One thread does it: each further one works
 * out again many types that another knows, and the tests beside it need the CPU.
 */
function incremental(name) {
  return ['--singleThreaded', '--incremental', '--tsBuildInfoFile', `node_modules/.cache/types/${name}.tsbuildinfo`];
}

/** The compiler and what lints with types are Go programs: one thread, and memory that may grow further before it is collected. */
const LITTLE_CPU = { GOMAXPROCS: '1', GOGC: '400' };

function check({ name, command, args }) {
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...LITTLE_CPU, ...process.env },
  });
  // They fill the time in which tests wait, and take none from those that work.
  if (child.pid !== undefined) setPriority(child.pid, 10);
  let said = '';
  for (const output of [child.stdout, child.stderr]) output.on('data', (chunk) => (said += chunk));
  return new Promise((done) => {
    child.once('error', (error) => done({ name, isGood: false, said: `${error}\n` }));
    child.once('close', (code) => done({ name, isGood: code === 0, said }));
  });
}

/** Every commit of a test waits for the disk: in memory, where there is enough of it, that takes no time. */
const MEMORY = '/dev/shm';
const MEMORY_NEEDED = 6 * 2 ** 30;

function scratchParent() {
  if (process.env.TMPDIR !== undefined || !existsSync(MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= MEMORY_NEEDED ? MEMORY : tmpdir();
}

// Everything that tests leave behind is in here, and goes with it.
const folder = mkdtempSync(join(scratchParent(), 'sluice-test-'));
// PostgreSQL runs as another user where root runs the tests, and must get at what is its own in there.
chmodSync(folder, 0o711);
const report = join(folder, 'report.json');
const vitestArguments = [
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${report}`,
  ...process.argv.slice(2),
];
// Hundreds of tests start the program; that its sources start as they are is tried by those that run `npm start`.
const bundle = await bundleProgram();
const tests = spawn('vitest', vitestArguments, {
  stdio: ['ignore', 'inherit', 'inherit'],
  env: {
    ...process.env,
    PROGRAM_UNDER_TEST: join(bundle, 'main.js'),
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(tmpdir(), 'node-compile-cache'),
    TMPDIR: folder,
    // The state that many files of tests begin with is made once, and copied from there.
    TEST_TEMPLATES: folder,
  },
});
const ended = new Promise((done) => {
  tests.once('error', () => done(1));
  tests.once('close', done);
});
const checked = await Promise.all(checks.map(check));
const status = await ended;
rmSync(bundle, { recursive: true });

let passed = 0;
let failed = 0;
for (const { name, isGood, said } of checked) {
  if (isGood) passed++;
  else failed++;
  console.log(`${said}${isGood ? 'ok' : 'FAILED'}: ${name}`);
}

const left = new Set();
const reasons = [
  { suites: /^shared:/, reason: 'its data is not here' },
  { suites: /^browser:/, reason: 'there is no Chromium here' },
  { suites: /^nats:/, reason: 'there is no nats-server here' },
  { suites: /^python:/, reason: 'there is no python3 here' },
  { suites: /^mypy:/, reason: 'there is no mypy here' },
  { suites: /^duckdb:/, reason: 'DuckDB has no binding for this machine' },
  { suites: /^feedparser:/, reason: 'there is no python3 with feedparser here' },
  { suites: /^release:/, reason: 'the history of this clone does not reach back to the last release' },
  { suites: /^systemd:/, reason: 'there is no systemd-analyze here' },
];
const reasonOf = (suite) => reasons.find(({ suites }) => suites.test(suite))?.reason ?? 'it was skipped';
try {
  const results = JSON.parse(readFileSync(report, 'utf8'));
  passed += results.numPassedTests;
  failed += results.numFailedTests;
  for (const file of results.testResults) {
    if (file.status === 'failed' && file.assertionResults.every((one) => one.status !== 'failed')) failed++;
    for (const one of file.assertionResults) if (one.status === 'skipped') left.add(one.ancestorTitles[0] ?? one.title);
  }
} catch {
  failed++;
}
if (status !== 0 && failed === 0) failed++;
rmSync(folder, { recursive: true, force: true });

for (const suite of left) console.log(`not run, ${reasonOf(suite)}: ${suite}`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
