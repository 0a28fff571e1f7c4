/** Which tests reach which mutants: each test file runs once without any, and what it reached is kept for the next run. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench } from './bench.ts';
import type { Counts } from './order.ts';
import type { Imports } from './related.ts';
import type { Tree } from './tree.ts';

/** Longer than this no test may take, or its file is left out. On a busy machine the largest ones take minutes. */
const LONGEST_MS = 300_000;

/** The CPU that a test file may take. */
const MOST_SECONDS = 300;

export interface Recorded {
  readonly testFile: string;
  /** Why it cannot be used, if so: it fails on the planted copy without any mutant, or takes too long. */
  readonly trouble?: string;
  /** Milliseconds by test. */
  readonly times: Readonly<Record<string, number>>;
  /** Milliseconds of CPU by test, which are the same on a busy machine. */
  readonly cpu: Readonly<Record<string, number>>;
  /** By source file: numbers count from the file's first mutant, so that they outlive edits of other files. */
  readonly loading: Readonly<Record<string, Counts>>;
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
  const own = ['recorder', 'runner', 'switch', 'watch']
    .map((name) => imports.fingerprint(`test/mutate/${name}.ts`))
    .join(' ');
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
    const hash = createHash('sha256').update(`${root} ${testFile} ${imports.fingerprint(testFile)} ${own}`);
    for (const file of [...imports.closure(testFile)].toSorted()) hash.update(planted.get(file) ?? '');
    const name = hash.digest('hex');
    const path = join(folder, `${name}.json`);
    const known = readJson(path);
    if (known !== undefined) return known as Recorded;
    const [outcome, { inProcesses, inThreads }] = await bench.record(
      { testFile, number: 0, whileLoading: false, mostHits: 0, testTimeout: LONGEST_MS },
      MOST_SECONDS,
    );
    const { loading = {}, shared = {}, byTest = {}, cpu = {} } = outcome?.reach ?? {};
    const recorded: Recorded = {
      testFile,
      ...(outcome?.state !== 'passed' && { trouble: outcome?.failed ?? 'It took too long.' }),
      times: outcome?.times ?? {},
      cpu,
      // A thread may have been started for the program as a whole, and knows the mutant that was on then.
      loading: byFile({ ...often(inThreads), ...loading }),
      shared: byFile({ ...often(inProcesses), ...shared }),
      byTest: Object.fromEntries(Object.entries(byTest).map(([id, counts]) => [id, byFile(counts)])),
    };
    // A file that failed may pass next time, on a machine that is less busy.
    if (recorded.trouble === undefined) writeFileSync(path, JSON.stringify(recorded));
    return recorded;
  };
}

/** Nobody counts there. */
const often = (numbers: readonly number[]): Counts => Object.fromEntries(numbers.map((number) => [number, 1_000_000]));

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
