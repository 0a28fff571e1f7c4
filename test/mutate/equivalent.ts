/** Mutants that no test can kill because they change nothing that anyone could notice, each with the reason. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { keyOf, type Mutant } from './mutant.ts';

interface Equivalent {
  readonly file: string;
  readonly within: string;
  readonly operator: string;
  readonly was: string;
  readonly now: string;
  readonly reason: string;
}

export interface Equivalents {
  has(mutant: Mutant): boolean;
  /** Entries of these files that name no mutant any more. */
  stale(files: ReadonlySet<string>, mutants: readonly Mutant[]): string[];
}

export function readEquivalents(root: string): Equivalents {
  const entries = JSON.parse(readFileSync(join(root, 'test/mutate/equivalent.json'), 'utf8')) as Equivalent[];
  const keys = new Set(entries.map(keyOf));
  return {
    has: (mutant) => keys.has(keyOf(mutant)),
    stale(files, mutants) {
      const present = new Set(mutants.map(keyOf));
      return entries
        .filter((entry) => files.has(entry.file) && !present.has(keyOf(entry)))
        .map(({ file, within, was, now }) => `${file} ${within}: ${was} → ${now}`);
    },
  };
}
