/** Runs tests with a mutant, and those that fail without it as well: only what passes then proves anything. */
import { type Bench, LOAD_SECONDS } from './bench.ts';
import { HUNG, type Job, type Outcome } from './order.ts';
import type { Try } from './plan.ts';

export type Verdict = 'killed' | 'timeout' | 'survived' | 'not covered';

export interface Kill {
  readonly verdict: Verdict;
  /** The test and what it said. */
  readonly by: string;
}

type Said = Pick<Outcome, 'state' | 'failed' | 'failedTest'>;

/** What a worker that died or spun has said. */
const GONE: Said = { state: 'failed', failed: 'It ended, or never did.', failedTest: undefined };

export const hasHung = (said: string): boolean =>
  said === GONE.failed || said.includes(HUNG) || /timed out|far too often/i.test(said);

export const killOf = (testFile: string, said: string): Kill => ({
  verdict: hasHung(said) ? 'timeout' : 'killed',
  by: `${testFile} ${said}`,
});

export const mostHitsOf = (hits: number): number => 10_000 + hits * 100;

/** CPU that tests of so many milliseconds may take. */
export const mostSecondsOf = (milliseconds: number): number => 3 + (3 * milliseconds) / 1000;

/** The mutant is on from the beginning of the file to its end. */
export async function killAlone(bench: Bench, next: Try, number: number): Promise<Kill | undefined> {
  const { testFile, tests, timeout: testTimeout, whileLoading, hits } = next;
  const job: Job = { testFile, number, ...(tests && { tests }), whileLoading, mostHits: mostHitsOf(hits), testTimeout };
  const failed = await failureOf(bench, job, (whileLoading ? LOAD_SECONDS : 0) + mostSecondsOf(next.cost));
  return failed && killOf(testFile, failed.failed ?? '');
}

/**
 * How the tests fail because of the mutant, if they do: the same ones pass right after without it. Those that do not may
 * have met what an earlier mutant left behind, and get one more chance in a new process.
 */
async function failureOf(bench: Bench, job: Job, mostSeconds: number): Promise<Said | undefined> {
  const run = async (asked: Job): Promise<Said> => (await bench.run(asked, mostSeconds)) ?? GONE;
  const failsOnlySo = async (outcome: Said): Promise<boolean> => {
    if (hasHung(outcome.failed ?? '')) await bench.renew();
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
