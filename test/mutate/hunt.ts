/** Tries to kill mutants: each meets the tests that reach it, the nearest and likeliest first, until one fails. */
import type { Bench } from './bench.ts';
import type { Mutant } from './mutant.ts';
import { createPlans, type Try } from './plan.ts';
import type { Prey } from './prey.ts';
import { type Kill, killAlone, type Verdict } from './prove.ts';
import { createRanks, type Ranks } from './ranks.ts';
import type { Recorded } from './record.ts';
import { createRounds } from './rounds.ts';
import type { Tree } from './tree.ts';

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
  readonly progress: (text: string) => void;
}

/** So many mutants meet the tests together, so that a test file is loaded a few times for all of them. */
const BLOCK = 500;

/** Verdicts of a block come together: what is killed is known before what survives, and would count too much alone. */
export async function hunt(
  tree: Tree,
  bench: Bench,
  recorded: readonly Recorded[],
  numbers: readonly number[],
  { budget, fresh, onVerdict, isOver, progress }: HuntOptions,
): Promise<void> {
  const plan = createPlans(tree, recorded, budget);
  const ranks = createRanks();
  const rounds = createRounds(bench, ranks, progress);
  const preyOf = (number: number): Prey => {
    const own = plan(number);
    const [left, alone] = fresh ? [[], own.tests] : [own.tests, []];
    return { number, mutant: tree.mutants[number - 1]!, plan: own, left: new Set(left), alone: new Set(alone) };
  };
  for (let begin = 0; begin < numbers.length && !isOver(); begin += BLOCK) {
    const block = numbers.slice(begin, begin + BLOCK).map(preyOf);
    await rounds(block);
    const left = block.filter(({ kill }) => kill === undefined);
    progress(`${left.length} of ${block.length} mutants are left for runs of their own`);
    for (const prey of left) {
      if (fresh) await bench.renew();
      prey.kill = await killInTurn(bench, ranks, prey);
    }
    for (const prey of block) onVerdict(huntedOf(prey));
  }
}

/** Whatever needs a run of its own. */
async function killInTurn(
  bench: Bench,
  ranks: Ranks,
  { mutant, number, plan, alone }: Prey,
): Promise<Kill | undefined> {
  const byFile = Map.groupBy(alone, ({ testFile }) => testFile);
  const killsOf = ({ testFile }: Try): number => ranks.killsOf(mutant, testFile);
  const tries = [
    ...[...byFile].map(([testFile, tests]) =>
      plan.alone(
        testFile,
        tests.map(({ id }) => id),
      ),
    ),
    ...plan.whole.toSorted((one, other) => killsOf(other) - killsOf(one)),
  ];
  for (const next of tries) {
    const kill = await killAlone(bench, next, number);
    if (kill === undefined) continue;
    ranks.killed(mutant, next.testFile);
    return kill;
  }
  return undefined;
}

function huntedOf({ mutant, plan, kill }: Prey): Hunted {
  if (kill !== undefined) return { mutant, ...kill };
  const files = new Set([...plan.tests.map(({ testFile }) => testFile), ...plan.whole.map(({ testFile }) => testFile)]);
  return { mutant, verdict: files.size === 0 ? 'not covered' : 'survived', by: [...files].join(' ') };
}
