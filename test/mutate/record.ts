/** Which tests reach which mutants: each test file runs once without any, and what it reached is kept for the next run. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench } from './bench.ts';
import type { Counts } from './order.ts';
import type { Imports } from './related.ts';
import type { Tree } from './tree.ts';

/** Longer than this no test file may take, or it is left out. On a busy machine the largest ones take minutes. */
const LONGEST_MS = 900_000;

export interface Recorded {
  readonly testFile: string;
  /** Why it cannot be used, if so: it fails on the planted copy without any mutant, or takes too long. */
  readonly trouble?: string;
  /** Milliseconds by test. */
  readonly times: Readonly<Record<string, number>>;
  /** By source file: numbers count from the file's first mutant, so that they outlive edits of other files. */
  readonly shared: Readonly<Record<string, Counts>>;
  readonly byTest: Readonly<Record<string, Readonly<Record<string, Counts>>>>;
}

export function createRecord(root: string, tree: Tree, bench: Bench, imports: Imports) {
  const folder = join(tmpdir(), 'sluice-mutate-reach');
  mkdirSync(folder, { recursive: true });
  // It tells what is planted where, so that a change of the operators is noticed.
  const planted = new Map<string, string>();
  for (const { file, start, end, operator } of tree.mutants) {
    planted.set(file, `${planted.get(file) ?? ''}${start} ${end} ${operator}\n`);
  }
  const byFile = (counts: Counts): Record<string, Counts> => {
    const found: Record<string, Record<number, number>> = {};
    for (const [number, count] of Object.entries(counts)) {
      const { file } = tree.mutants[Number(number) - 1]!;
      found[file] ??= {};
      found[file][Number(number) - tree.bases.get(file)!] = count;
    }
    return found;
  };
  return async (testFile: string): Promise<Recorded> => {
    const hash = createHash('sha256').update(`${root} ${testFile} ${imports.fingerprint(testFile)}`);
    for (const file of [...imports.closure(testFile)].toSorted()) hash.update(planted.get(file) ?? '');
    const name = hash.digest('hex');
    const path = join(folder, `${name}.json`);
    const known = readJson(path);
    if (known !== undefined) return known as Recorded;
    const order = { jobs: [{ number: 0 }], record: true, testTimeout: LONGEST_MS, jobTimeout: LONGEST_MS };
    const { outcomes, elsewhere } = await bench.run(testFile, order);
    const [outcome] = outcomes;
    const { shared = {}, byTest = {} } = outcome?.reach ?? {};
    const recorded: Recorded = {
      testFile,
      ...(outcome?.state !== 'passed' && { trouble: outcome?.failed?.[0] ?? 'It took too long.' }),
      times: outcome?.times ?? {},
      shared: byFile({ ...Object.fromEntries(elsewhere.map((number) => [number, 1_000_000])), ...shared }),
      byTest: Object.fromEntries(Object.entries(byTest).map(([id, counts]) => [id, byFile(counts)])),
    };
    // A file that failed may pass next time, on a machine that is less busy.
    if (recorded.trouble === undefined) writeFileSync(path, JSON.stringify(recorded));
    return recorded;
  };
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
