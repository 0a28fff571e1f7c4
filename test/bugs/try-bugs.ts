/**
 * Plants bugs in a copy of the project, one at a time, and runs the test that must catch each. A bug is caught when that test
 * fails; a file that does not load proves nothing.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { plantTree } from '../mutate/tree.ts';
import type { Bug } from './bug.ts';

export interface Tried {
  readonly bug: Bug;
  readonly verdict: 'caught' | 'survived';
  /** What the test said. */
  readonly by: string;
}

interface TestResult {
  readonly status: string;
  readonly title: string;
  readonly failureMessages: readonly string[];
}

export function tryBugs(root: string, bugs: readonly Bug[], report: (tried: Tried) => void = () => {}): Tried[] {
  using tree = plantTree(root, []);
  refuseFailing(tree.folder, bugs);
  return bugs.map((bug) => {
    const tried = tryBug(tree.folder, bug);
    report(tried);
    return tried;
  });
}

/** A test that fails without its bug would catch anything. */
function refuseFailing(folder: string, bugs: readonly Bug[]): void {
  const results = runTests(folder, [...new Set(bugs.map(({ caughtBy }) => caughtBy.file))], testNames(bugs));
  for (const { id, caughtBy } of bugs) {
    const named = results.filter(({ title }) => title === caughtBy.test);
    if (named.length === 0) throw new Error(`${id}: ${caughtBy.file} has no test "${caughtBy.test}".`);
    const failed = named.find(({ status }) => status !== 'passed');
    if (failed !== undefined)
      throw new Error(`${id}: "${caughtBy.test}" does not pass without the bug: ${failed.failureMessages[0]}`);
  }
}

function tryBug(folder: string, bug: Bug): Tried {
  const path = join(folder, bug.file);
  const text = readFileSync(path, 'utf8');
  if (text.split(bug.find).length !== 2)
    throw new Error(`${bug.id}: ${bug.file} does not have this text once: ${bug.find}`);
  writeFileSync(
    path,
    text.replace(bug.find, () => bug.replace),
  );
  try {
    const results = runTests(folder, [bug.caughtBy.file], testNames([bug]));
    const failed = results.find(({ status, title }) => status === 'failed' && title === bug.caughtBy.test);
    const said = failed?.failureMessages[0]?.split('\n')[0] ?? '';
    return { bug, verdict: failed === undefined ? 'survived' : 'caught', by: said };
  } finally {
    writeFileSync(path, text);
  }
}

const testNames = (bugs: readonly Bug[]): string => bugs.map(({ caughtBy }) => escaped(caughtBy.test)).join('|');

/** The text as a pattern that finds it. */
const escaped = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);

/** Seconds after which a test that hangs is ended; it has not passed. */
const LONGEST = 300;

function runTests(folder: string, files: readonly string[], names: string): TestResult[] {
  const scratch = mkdtempSync(join(tmpdir(), 'sluice-bugs-'));
  const output = join(scratch, 'results.json');
  const vitest = join(folder, 'node_modules/vitest/vitest.mjs');
  const reporter = ['--reporter=json', `--outputFile=${output}`];
  try {
    const told = spawnSync(
      process.execPath,
      [vitest, 'run', ...files, '-t', names, ...reporter, '--project', 'program'],
      {
        cwd: folder,
        encoding: 'utf8',
        timeout: LONGEST * 1_000,
        killSignal: 'SIGKILL',
      },
    );
    if (told.signal !== null) return [{ status: 'failed', title: names, failureMessages: ['It took too long.'] }];
    const { testResults } = JSON.parse(readFileSync(output, 'utf8')) as {
      testResults: readonly { readonly assertionResults: readonly TestResult[] }[];
    };
    return testResults.flatMap(({ assertionResults }) => assertionResults);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
