/** Tries to kill mutants: each meets the tests that reach it, the nearest and likeliest first, until one fails. */
import { type Bench, LOAD_SECONDS } from './bench.ts';
import type { Mutant } from './mutant.ts';
import type { Job, Outcome } from './order.ts';
import { createPlans, type Try } from './plan.ts';
import type { Recorded } from './record.ts';
import type { Tree } from './tree.ts';

export type Verdict = 'killed' | 'timeout' | 'survived' | 'not covered';

export interface Hunted {
  readonly mutant: Mutant;
  readonly verdict: Verdict;
  /** The test that failed, or the test files that passed. */
  readonly by: string;
}

export interface HuntOptions {
  /** Milliseconds of the tests' CPU, as recorded, that one mutant may cost. What is left untried counts as survived. */
  readonly budget: number;
  /** Every mutant gets a process of its own. */
  readonly fresh: boolean;
  readonly onVerdict: (hunted: Hunted) => void;
  /** Whether the time is over. */
  readonly isOver: () => boolean;
}

/** Within so many mutants the order may change. */
const BLOCK = 200;

export async function hunt(
  tree: Tree,
  bench: Bench,
  recorded: readonly Recorded[],
  numbers: readonly number[],
  { budget, fresh, onVerdict, isOver }: HuntOptions,
): Promise<void> {
  const plans = createPlans(tree, recorded, budget);
  for (let begin = 0; begin < numbers.length; begin += BLOCK) {
    const block = numbers
      .slice(begin, begin + BLOCK)
      .map((number) => ({ number, isLoading: isLoading(plans.of(number)) }));
    // Modules are loaded anew for each of those that must be on meanwhile, and once after them.
    for (const { number } of block.toSorted((one, other) => Number(one.isLoading) - Number(other.isLoading))) {
      if (isOver()) return;
      if (fresh) await bench.renew();
      const mutant = tree.mutants[number - 1]!;
      const tries = plans.of(number);
      const killed = await killBy(bench, tries, number);
      if (killed !== undefined) plans.killed(number, killed.testFile);
      onVerdict(
        killed === undefined
          ? { mutant, verdict: tries.length === 0 ? 'not covered' : 'survived', by: filesOf(tries) }
          : { mutant, verdict: killed.verdict, by: `${killed.testFile} ${killed.said}` },
      );
    }
  }
}

const isLoading = (tries: readonly Try[]): boolean => tries.some(({ whileLoading }) => whileLoading);

const filesOf = (tries: readonly Try[]): string => tries.map(({ testFile }) => testFile).join(' ');

async function killBy(bench: Bench, tries: readonly Try[], number: number) {
  for (const next of tries) {
    const failed = await failureOf(bench, next, jobOf(next, number));
    if (failed === undefined) continue;
    const verdict: Verdict = hasHung(failed) ? 'timeout' : 'killed';
    return { testFile: next.testFile, said: failed.failed ?? '', verdict };
  }
  return undefined;
}

const jobOf = ({ testFile, tests, testTimeout, whileLoading, hits }: Try, number: number): Job => ({
  testFile,
  number,
  ...(tests && { tests }),
  whileLoading,
  mostHits: 10_000 + hits * 100,
  testTimeout,
});

type Said = Pick<Outcome, 'state' | 'failed' | 'failedTest'>;

/** What a worker that died or spun has said. */
const GONE: Said = { state: 'failed', failed: 'It ended, or never did.', failedTest: undefined };

const hasHung = (outcome: Said): boolean => outcome === GONE || /timed out|far too often/i.test(outcome.failed ?? '');

/**
 * How the tests fail because of the mutant, if they do: the same ones pass right after without it. Those that do not may
 * have met what an earlier mutant left behind, and get one more chance in a new process.
 */
async function failureOf(bench: Bench, { time }: Try, job: Job): Promise<Said | undefined> {
  const mostSeconds = (job.whileLoading ? LOAD_SECONDS : 3) + (3 * time) / 1000;
  const run = async (asked: Job): Promise<Said> => (await bench.run(asked, mostSeconds)) ?? GONE;
  const failsOnlySo = async (outcome: Said): Promise<boolean> => {
    if (hasHung(outcome)) await bench.renew();
    const { failedTest } = outcome;
    const control = await run({ ...job, number: 0, ...(failedTest !== undefined && { tests: [failedTest] }) });
    return control.state === 'passed';
  };
  const first = await run(job);
  if (first.state === 'passed') return undefined;
  if (first.state === 'failed' && (await failsOnlySo(first))) return first;
  await bench.renew();
  const second = await run(job);
  if (second.state === 'passed') return undefined;
  await bench.renew();
  return (await failsOnlySo(second)) ? second : undefined;
}
