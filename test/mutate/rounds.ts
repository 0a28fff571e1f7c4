/** Sends many mutants through the tests that reach them: each test file is loaded once in a round for all of them. */
import { type Bench, LOAD_SECONDS } from './bench.ts';
import type { Note, Series, Shot } from './order.ts';
import type { Test } from './plan.ts';
import type { Prey } from './prey.ts';
import { hasHung, killAlone, killOf, mostHitsOf, mostSecondsOf } from './prove.ts';
import type { Ranks } from './ranks.ts';

/** Milliseconds of tests that a mutant meets in each round: what most mutants die of is met before the rest. */
const ROUNDS = [20, 100, 500, Number.POSITIVE_INFINITY];

/** A test that fails so often without a mutant does not run twice in one process. */
const MOST_DOUBTS = 2;

/** In two more is what was not tried because a worker died or a test failed. */
const MOST_ROUNDS = ROUNDS.length + 2;

export function createRounds(bench: Bench, ranks: Ranks, progress: (text: string) => void) {
  const doubts = new Map<Test, number>();
  const isDoubtful = (test: Test): boolean => (doubts.get(test) ?? 0) >= MOST_DOUBTS;
  return async (block: readonly Prey[]): Promise<void> => {
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const wanted = new Map<Test, Prey[]>();
      for (const prey of block.filter(isAlive)) {
        for (const test of [...prey.left].filter(isDoubtful)) putAside(prey, test);
        for (const test of ranks.likeliest(prey.mutant, prey.left, ROUNDS[round] ?? Number.POSITIVE_INFINITY)) {
          const preys = wanted.get(test) ?? [];
          preys.push(prey);
          wanted.set(test, preys);
        }
      }
      if (wanted.size === 0) return;
      progress(`round ${round + 1}: ${block.filter(isAlive).length} of ${block.length} mutants are alive`);
      for (const tests of byFile([...wanted.keys()])) {
        await runSeries(bench, tests, wanted, (test, prey, note) => {
          if (note.state === 'passed') prey.left.delete(test);
          else if (note.state !== 'failed') {
            doubts.set(test, (doubts.get(test) ?? 0) + 1);
            putAside(prey, test);
          } else if (!prey.plan.isAround(test.testFile)) {
            prey.kill = killOf(test.testFile, note.said ?? '');
            ranks.killed(prey.mutant, test.testFile, test);
          } else putAside(prey, test);
        });
      }
      await proveHints(bench, ranks, block);
    }
  };
}

const isAlive = ({ kill }: Prey): boolean => kill === undefined;

function putAside({ left, alone }: Prey, test: Test): void {
  left.delete(test);
  alone.add(test);
}

/** The cheapest files first: what they kill the others need not try. */
function byFile(tests: readonly Test[]): Test[][] {
  const costOf = (group: readonly Test[]): number => Math.max(...group.map(({ cost }) => cost));
  return [...Map.groupBy(tests, ({ testFile }) => testFile).values()].toSorted(
    (one, other) => costOf(one) - costOf(other),
  );
}

async function runSeries(
  bench: Bench,
  tests: readonly Test[],
  wanted: ReadonlyMap<Test, readonly Prey[]>,
  onNote: (test: Test, prey: Prey, note: Note) => void,
): Promise<void> {
  const shotsOf = (test: Test): Shot[] =>
    wanted
      .get(test)!
      .filter(isAlive)
      .map(({ number, plan }) => ({ number, mostHits: mostHitsOf(plan.hitsIn(test)) }));
  const asked = tests.map((test) => ({ test, shots: shotsOf(test) })).filter(({ shots }) => shots.length > 0);
  if (asked.length === 0) return;
  const series: Omit<Series, 'notes'> = {
    testFile: tests[0]!.testFile,
    tests: Object.fromEntries(asked.map(({ test, shots }) => [test.id, { shots, timeout: test.timeout }])),
  };
  const longest = Math.max(...asked.map(({ test }) => test.cost));
  const { notes, hasDied } = await bench.series(series, LOAD_SECONDS + mostSecondsOf(longest));
  const byId = new Map(tests.map((test) => [test.id, test]));
  for (const note of notes.filter(({ state }, index) => state !== 'begun' || (hasDied && index === notes.length - 1))) {
    const test = byId.get(note.test)!;
    onNote(test, wanted.get(test)!.find(({ number }) => number === note.number)!, note);
  }
  // What hangs may go on in the process.
  if (notes.some(({ said }) => said !== undefined && hasHung(said))) await bench.renew();
}

/** A mutant that hooks or loading reach as well was off meanwhile: it is tried again, on from the beginning. */
async function proveHints(bench: Bench, ranks: Ranks, block: readonly Prey[]): Promise<void> {
  for (const prey of block.filter(isAlive)) {
    for (const test of prey.alone) {
      const { testFile, id } = test;
      if (!prey.plan.isAround(testFile)) continue;
      prey.alone.delete(test);
      prey.kill = await killAlone(bench, prey.plan.alone(testFile, [id]), prey.number);
      if (prey.kill === undefined) continue;
      ranks.killed(prey.mutant, testFile, test);
      break;
    }
  }
}
