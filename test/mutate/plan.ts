/** Which tests reach each mutant, the nearest and cheapest first. */
import { dirname } from 'node:path';
import type { Recorded } from './record.ts';
import type { Tree } from './tree.ts';

/** One test, as recorded. */
export interface Test {
  readonly testFile: string;
  readonly id: string;
  /** Milliseconds of CPU. */
  readonly cost: number;
  /** Milliseconds after which it hangs. */
  readonly timeout: number;
}

/** What of one test file a mutant meets when it is on from the file's beginning to its end. */
export interface Try {
  readonly testFile: string;
  /** Ids of tests; all of the file when missing. */
  readonly tests: readonly string[] | undefined;
  readonly cost: number;
  readonly timeout: number;
  /** Whether the place is reached while modules are loaded, or where they stay loaded. */
  readonly whileLoading: boolean;
  /** How often the place is reached. */
  readonly hits: number;
}

export interface Plan {
  /** Tests that reach the mutant themselves, within the budget. */
  readonly tests: readonly Test[];
  /** Whole test files, within the budget, where no single test is known to reach it. */
  readonly whole: readonly Try[];
  /** Whether hooks of the file reach it, or the loading of modules: it must be on from the beginning. */
  isAround(testFile: string): boolean;
  hitsIn(test: Test): number;
  /** These tests of one file in a run of their own. */
  alone(testFile: string, ids: readonly string[]): Try;
}

export function createPlans(tree: Tree, recorded: readonly Recorded[], budget: number) {
  const known = recorded.map((one) => ({ ...one, tests: testsOf(one) }));
  const byFile = new Map(known.map((one) => [one.testFile, one]));
  return (number: number): Plan => {
    const { file } = tree.mutants[number - 1]!;
    const local = number - tree.bases.get(file)!;
    const tests: Test[] = [];
    const around: Try[] = [];
    for (const one of known) {
      for (const test of one.tests) if (one.byTest[test.id]![file]?.[local] !== undefined) tests.push(test);
      if (isAround(one, file, local)) around.push(tryOf(one, file, local, undefined));
    }
    const near = (one: { testFile: string; cost: number }, other: { testFile: string; cost: number }): number =>
      distance(one.testFile, file) - distance(other.testFile, file) || one.cost - other.cost;
    return {
      tests: within(tests.toSorted(near), budget),
      whole: tests.length > 0 ? [] : within(around.toSorted(near), budget),
      isAround: (testFile) => isAround(byFile.get(testFile)!, file, local),
      hitsIn: ({ testFile, id }) => byFile.get(testFile)!.byTest[id]![file]![local]!,
      alone: (testFile, ids) => tryOf(byFile.get(testFile)!, file, local, ids),
    };
  };
}

const testsOf = ({ testFile, byTest, times, cpu }: Recorded): Test[] =>
  Object.keys(byTest).map((id) => ({
    testFile,
    id,
    cost: costOf(times[id] ?? 0, cpu[id] ?? 0),
    timeout: timeoutOf(times[id] ?? 0, cpu[id] ?? 0),
  }));

/** While a test waits for a database, that one works. On a busy machine it only waits. */
const costOf = (time: number, cpu: number): number => Math.max(cpu, Math.min(time / 2, cpu * 5), 1);

const isAround = ({ loading, shared }: Recorded, file: string, local: number): boolean =>
  loading[file]?.[local] !== undefined || shared[file]?.[local] !== undefined;

const distance = (testFile: string, file: string): number =>
  dirname(testFile) === dirname(file) ? 0 : testFile.startsWith(file.split('/').slice(0, 2).join('/')) ? 1 : 2;

/** The first of them, one at least. */
function within<Value extends { readonly cost: number }>(values: readonly Value[], budget: number): Value[] {
  let spent = 0;
  return values.filter(({ cost }, index) => {
    spent += cost;
    return spent <= budget || index === 0;
  });
}

/** By the time that it took, or by its CPU where that says less: a busy machine makes any test slow. */
const timeoutOf = (time: number, cpu: number): number => Math.round(Math.min(5_000 + 5 * time, 10_000 + 20 * cpu));

/** Milliseconds that it takes to load a file for a run of its own, and all modules with it. */
const [LOAD_MS, LOAD_ALL_MS] = [50, 300];

type Known = Recorded & { readonly tests: readonly Test[] };

function tryOf(
  { testFile, tests: all, loading, shared, byTest }: Known,
  file: string,
  local: number,
  ids: readonly string[] | undefined,
): Try {
  const asked = ids === undefined ? all : all.filter(({ id }) => ids.includes(id));
  const counts = asked.map(({ id }) => byTest[id]![file]?.[local] ?? 0);
  const whileLoading = loading[file]?.[local] !== undefined;
  return {
    testFile,
    tests: ids,
    cost: asked.reduce((sum, { cost }) => sum + cost, whileLoading ? LOAD_ALL_MS : LOAD_MS),
    timeout: Math.max(0, ...asked.map(({ timeout }) => timeout)),
    whileLoading,
    hits: Math.max(loading[file]?.[local] ?? 0, shared[file]?.[local] ?? 0, ...counts),
  };
}
