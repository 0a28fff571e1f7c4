// Brings what is missing before a command runs: a Node that is new enough; the packages that the server needs, or with `--dev`
// what tests and benchmarks need as well; and the console, when it is not built or older than what it is made of.
// `--only node` and `--only packages` stop before the rest. Plain JavaScript for the oldest Node we start on.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ADVICE, fetchedVersion, fetchNode, findNode, isNewEnough, versionOn } from '../bin/runtime.mjs';
import { npm, runSteps } from '../bin/steps.mjs';
import { hasDevelopment, isComplete } from './installed.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path) => (existsSync(root + path) ? JSON.parse(readFileSync(root + path, 'utf8')) : undefined);

function packagesStep(isForDevelopment) {
  const [lock, installed] = [read('package-lock.json'), read('node_modules/.package-lock.json')];
  // The packages that a developer has installed stay.
  const development = isForDevelopment || hasDevelopment(lock, installed);
  const exists = (path) => existsSync(`${root}${path}/package.json`);
  if (isComplete(lock, installed, { development, exists })) return [];
  // Engine warnings are about the Node that runs npm, not about the one that runs Sluice.
  const options = ['--no-audit', '--no-fund', '--loglevel=error', development ? '--include=dev' : '--omit=dev'];
  const title = development ? 'installing packages, those for development too' : 'installing packages';
  return [{ title, run: () => npm(['ci', ...options], root) }];
}

/** The PATH without what npm puts there: what this machine itself has. */
const path = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter);
/** A link is needed if this machine's own `node` is too old: npm's commands seek `node` among the packages first. */
const needsLink = !isNewEnough(versionOn(path));

function nodeStep() {
  if (!needsLink || findNode({ path }) !== undefined) return [];
  const version = fetchedVersion();
  if (version === undefined) throw new Error(ADVICE);
  return [{ title: `fetching Node ${version}`, run: fetchNode }];
}

function linkNode() {
  const link = `${root}node_modules/.bin/node`;
  if (!needsLink || existsSync(link)) return;
  mkdirSync(`${root}node_modules/.bin`, { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(findNode({ path }), link);
}

function consoleStep() {
  const built = `${root}console/dist/index.html`;
  const madeOf = ['console/src', 'console/public', 'packages/client/src', 'src/rules', 'src/domain'].flatMap((folder) =>
    readdirSync(root + folder, { recursive: true }).map((name) => `${folder}/${name}`),
  );
  const parts = [
    ...madeOf,
    'console/index.html',
    'console/vite.config.ts',
    'console/package.json',
    'package-lock.json',
  ];
  const newest = Math.max(...parts.map((part) => statSync(root + part).mtimeMs));
  if (existsSync(built) && statSync(built).mtimeMs >= newest) return [];
  // Through npm, which puts the newer Node first on the path.
  const build = ['run', 'build', '--workspace', 'console', '--silent', '--', '--logLevel', 'warn'];
  return [{ title: 'building the console', run: () => npm(build, root) }];
}

try {
  const { only, dev = false } = parseArgs({
    options: { only: { type: 'string' }, dev: { type: 'boolean' } },
  }).values;
  const packages = only === 'node' ? [] : packagesStep(dev);
  await runSteps([...nodeStep(), ...packages, { run: linkNode }, ...(only === undefined ? consoleStep() : [])]);
} catch (error) {
  console.error(`sluice: ${error.message}`);
  process.exit(1);
}
