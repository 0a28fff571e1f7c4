/** Tries to kill mutants: each meets the tests that reach it, the nearest and fastest first, until one fails. */
import { dirname } from 'node:path';
import type { Bench } from './bench.ts';
import type { Mutant } from './mutant.ts';
import type { Job, Outcome } from './order.ts';
import type { Recorded } from './record.ts';
import type { Tree } from './tree.ts';

export type Verdict = 'killed' | 'timeout' | 'survived' | 'not covered';

interface Try {
  readonly testFile: string;
  readonly tests: string[] | undefined;
  readonly time: number;
  readonly hits: number;
  readonly distance: number;
}

export interface Hunted {
  readonly number: number;
  readonly mutant: Mutant;
  readonly verdict: Verdict;
  /** The test that failed, or the test files that passed. */
  readonly by: string;
}

export interface HuntOptions {
  /** Milliseconds of tests, as recorded, that one mutant may cost. What is left untried counts as survived. */
  readonly budget: number;
  /** Every mutant gets a process of its own. */
  readonly fresh: boolean;
  readonly onVerdict?: (hunted: Hunted) => void;
}

export async function hunt(
  tree: Tree,
  bench: Bench,
  recorded: readonly Recorded[],
  numbers: readonly number[],
  options: HuntOptions,
): Promise<Hunted[]> {
  const done = new Map<number, Hunted>();
  const settle = (number: number, verdict: Verdict, by: string): void => {
    const hunted = { number, mutant: tree.mutants[number - 1]!, verdict, by };
    done.set(number, hunted);
    options.onVerdict?.(hunted);
  };
  const plans = new Map(numbers.map((number) => [number, triesOf(tree, recorded, number, options.budget)]));
  const turns = new Map(numbers.map((number) => [number, 0]));
  for (;;) {
    const batches = new Map<string, Job[]>();
    for (const number of numbers) {
      if (done.has(number)) continue;
      const plan = plans.get(number)!;
      const next = plan[turns.get(number)!];
      turns.set(number, turns.get(number)! + 1);
      if (next === undefined)
        settle(number, plan.length === 0 ? 'not covered' : 'survived', plan.map(({ testFile }) => testFile).join(' '));
      else batches.set(next.testFile, [...(batches.get(next.testFile) ?? []), jobOf(number, next)]);
    }
    if (batches.size === 0) return numbers.map((number) => done.get(number)!);
    for (const [testFile, jobs] of batches) {
      const known = recorded.find((one) => one.testFile === testFile)!;
      for (const { job, state, failed } of await runAll(bench, known, jobs, options.fresh)) {
        if (state === 'begun') settle(job, 'timeout', testFile);
        else if (state !== 'passed')
          settle(
            job,
            /timed out|far too often/.test(failed?.[0] ?? '') ? 'timeout' : 'killed',
            `${testFile} ${failed?.[0] ?? ''}`,
          );
      }
    }
  }
}

const jobOf = (number: number, { tests, hits }: Try): Job => ({
  number,
  mostHits: 10_000 + hits * 100,
  ...(tests && { tests }),
});

function triesOf(tree: Tree, recorded: readonly Recorded[], number: number, budget: number): Try[] {
  const { file } = tree.mutants[number - 1]!;
  const local = number - tree.bases.get(file)!;
  const tries = recorded.flatMap((known): Try[] => {
    const { testFile, times, shared, byTest } = known;
    const distance =
      dirname(testFile) === dirname(file) ? 0 : testFile.startsWith(file.split('/').slice(0, 2).join('/')) ? 1 : 2;
    const inShared = shared[file]?.[local];
    const reaching = Object.entries(byTest).filter(([, counts]) => counts[file]?.[local] !== undefined);
    const hits = Math.max(inShared ?? 0, ...reaching.map(([, counts]) => counts[file]![local]!));
    const all = Object.values(byTest).length;
    if (inShared === undefined && reaching.length === 0) return [];
    const tests = inShared !== undefined || reaching.length === all ? undefined : reaching.map(([id]) => id);
    const time = (tests ?? Object.keys(byTest)).reduce((sum, id) => sum + (times[id] ?? 0), 0);
    return [{ testFile, tests, time, hits, distance }];
  });
  let spent = 0;
  return tries
    .toSorted((one, other) => one.distance - other.distance || one.time - other.time)
    .filter(({ time }, index) => {
      spent += time;
      return spent <= budget || index === 0;
    });
}

/** A worker may end before it begins, on a machine that is too busy. After so many of them in one file something is wrong. */
const MOST_IDLE = 3;

/** Runs all jobs of a test file. After a worker was ended, or was left in doubt, another one goes on. */
async function runAll(
  bench: Bench,
  { testFile, times }: Recorded,
  jobs: readonly Job[],
  fresh: boolean,
): Promise<Outcome[]> {
  const slowest = Math.max(0, ...Object.values(times));
  const whole = Object.values(times).reduce((sum, time) => sum + time, 0);
  const testTimeout = Math.round(10_000 + 5 * slowest);
  const jobTimeout = Math.round(testTimeout + 30_000 + 5 * whole);
  const run = (asked: readonly Job[]) => bench.run(testFile, { jobs: asked, testTimeout, jobTimeout });
  const outcomes: Outcome[] = [];
  let left = jobs;
  let idle = 0;
  while (left.length > 0) {
    const answer = await run(fresh ? left.slice(0, 1) : left);
    // Something thrown between tests may come from the mutant before: only the first one of a worker is surely to blame.
    const sure = answer.outcomes.filter(({ state }, index) => state !== 'stray' || index === 0);
    if (sure.length === 0 && ++idle === MOST_IDLE) throw new Error(`${testFile}: the worker began nothing.`);
    outcomes.push(...sure);
    left = left.slice(sure.length);
  }
  return withoutFlukes(outcomes, run);
}

/** A test that fails without any mutant as well, as on a machine that is too busy, has shown nothing. */
async function withoutFlukes(
  outcomes: readonly Outcome[],
  run: (jobs: readonly Job[]) => Promise<{ readonly outcomes: readonly Outcome[] }>,
): Promise<Outcome[]> {
  const failed = outcomes.filter(({ state }) => state !== 'passed');
  if (failed.length === 0) return [...outcomes];
  const tests = new Set(failed.flatMap(({ failedTest }) => failedTest ?? []));
  const isWhole = failed.some(({ failedTest }) => failedTest === undefined);
  const [control] = (await run([{ number: 0, ...(!isWhole && { tests: [...tests] }) }])).outcomes;
  if (control?.state === 'passed') return [...outcomes];
  return outcomes.map((outcome) => (outcome.state === 'passed' ? outcome : { ...outcome, state: 'passed' }));
}
