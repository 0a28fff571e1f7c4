/** Which tests each mutant meets, and in which order. */
import { dirname } from 'node:path';
import type { Recorded } from './record.ts';
import type { Tree } from './tree.ts';

/** What of one test file a mutant meets. */
export interface Try {
  readonly testFile: string;
  /** Their ids; all of the file when missing. */
  readonly tests: readonly string[] | undefined;
  /** Milliseconds of CPU, as recorded. */
  readonly time: number;
  /** Milliseconds after which one of them hangs. */
  readonly testTimeout: number;
  /** Whether the place is reached while modules are loaded, or where they stay loaded. */
  readonly whileLoading: boolean;
  /** How often they reach the place. */
  readonly hits: number;
}

export interface Plans {
  of(number: number): Try[];
  killed(number: number, testFile: string): void;
}

export function createPlans(tree: Tree, recorded: readonly Recorded[], budget: number): Plans {
  /** How many mutants of a source file each test file has killed. */
  const kills = new Map<string, number>();
  const placeOf = (number: number) => {
    const { file } = tree.mutants[number - 1]!;
    return { file, local: number - tree.bases.get(file)! };
  };
  const killsOf = (file: string, testFile: string): number => kills.get(`${file} ${testFile}`) ?? 0;
  return {
    of(number) {
      const { file, local } = placeOf(number);
      const near = recorded
        .flatMap((known) => tryOf(known, file, local))
        .toSorted((one, other) => distance(one, file) - distance(other, file) || one.time - other.time);
      const killed = ({ testFile }: Try): number => killsOf(file, testFile);
      // Among equals in kills the order stays.
      return within(near, budget).toSorted((one, other) => killed(other) - killed(one));
    },
    killed(number, testFile) {
      const { file } = placeOf(number);
      kills.set(`${file} ${testFile}`, killsOf(file, testFile) + 1);
    },
  };
}

const distance = ({ testFile }: Try, file: string): number =>
  dirname(testFile) === dirname(file) ? 0 : testFile.startsWith(file.split('/').slice(0, 2).join('/')) ? 1 : 2;

function within(tries: readonly Try[], budget: number): Try[] {
  let spent = 0;
  return tries.filter(({ time }, index) => {
    spent += time;
    return spent <= budget || index === 0;
  });
}

/** By the time that it took, or by its CPU where that says less: a busy machine makes any test slow. */
const timeoutOf = (time: number, cpu: number): number => Math.round(Math.min(5_000 + 5 * time, 10_000 + 20 * cpu));

function tryOf({ testFile, times, cpu, loading, shared, byTest }: Recorded, file: string, local: number): Try[] {
  const around = Math.max(loading[file]?.[local] ?? 0, shared[file]?.[local] ?? 0);
  const all = Object.keys(byTest);
  const reaching = all.filter((id) => byTest[id]![file]?.[local] !== undefined);
  if (around === 0 && reaching.length === 0) return [];
  const tests = around > 0 ? all : reaching;
  return [
    {
      testFile,
      tests: tests.length === all.length ? undefined : tests,
      time: tests.reduce((sum, id) => sum + (cpu[id] ?? 0), 0),
      testTimeout: Math.max(0, ...tests.map((id) => timeoutOf(times[id] ?? 0, cpu[id] ?? 0))),
      whileLoading: loading[file]?.[local] !== undefined,
      hits: Math.max(around, ...reaching.map((id) => byTest[id]![file]![local]!)),
    },
  ];
}
