/** Which tests have killed mutants of the same function and file before. */
import type { Mutant } from './mutant.ts';
import type { Test } from './plan.ts';

export interface Ranks {
  /** Without a test: another or several of the file. */
  killed(mutant: Mutant, testFile: string, test?: Test): void;
  /** Of these, the likeliest first and then in their order, until they cost so much together; one at least. */
  likeliest(mutant: Mutant, tests: ReadonlySet<Test>, most: number): Test[];
  /** How many mutants of the same file a test file has killed. */
  killsOf(mutant: Mutant, testFile: string): number;
}

/** So many of those that killed most are tried first. */
const FIRST = 3;

export function createRanks(): Ranks {
  const byTest = new Map<string, Map<Test, number>>();
  const byFile = new Map<string, number>();
  const namesOf = ({ file, within }: Mutant): string[] => [`${file} ${within}`, file];
  const killsOf = ({ file }: Mutant, testFile: string): number => byFile.get(`${file} ${testFile}`) ?? 0;
  return {
    killed(mutant, testFile, test) {
      byFile.set(`${mutant.file} ${testFile}`, killsOf(mutant, testFile) + 1);
      if (test === undefined) return;
      for (const name of namesOf(mutant)) {
        const tests = byTest.get(name) ?? new Map<Test, number>();
        tests.set(test, (tests.get(test) ?? 0) + 1);
        byTest.set(name, tests);
      }
    },
    likeliest(mutant, tests, most) {
      const first = namesOf(mutant).flatMap((name) =>
        [...(byTest.get(name) ?? [])]
          .filter(([test]) => tests.has(test))
          .toSorted(([one, by], [other, byOther]) => byOther / other.cost - by / one.cost)
          .slice(0, FIRST)
          .map(([test]) => test),
      );
      const chosen: Test[] = [];
      let spent = 0;
      for (const test of new Set([...first, ...tests])) {
        if (chosen.length > 0 && spent + test.cost > most) break;
        chosen.push(test);
        spent += test.cost;
      }
      return chosen;
    },
    killsOf,
  };
}
