/** Runs test files of a planted tree under Vitest, one worker at a time, and ends a worker that hangs. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVitest } from 'vitest/node';
import type { Job, Outcome } from './order.ts';
import { createWorkerProcess, type WorkerProcess } from './worker-process.ts';

export interface Bench extends AsyncDisposable {
  /** Outcomes in the order of the jobs. When the worker hangs or dies the last one is `begun`, and the rest is missing. */
  run(
    testFile: string,
    order: { jobs: readonly Job[]; record?: boolean; testTimeout: number; jobTimeout: number },
  ): Promise<{
    readonly outcomes: readonly Outcome[];
    /** Mutants that threads or processes of the tests reached, when that is recorded. */
    readonly elsewhere: readonly number[];
  }>;
}

export async function openBench(folder: string, { mutants, data }: { mutants: number; data: string }): Promise<Bench> {
  const scratch = mkdtempSync(join(tmpdir(), 'sluice-mutate-orders-'));
  const orderFile = join(scratch, 'order.json');
  const entry = join(folder, 'test/mutate/worker.ts');
  let worker: WorkerProcess | undefined;
  // A run that is interrupted leaves nothing behind.
  process.once('exit', () => {
    worker?.end();
    rmSync(scratch, { recursive: true, force: true });
  });
  const vitest = await createVitest('test', {
    root: folder,
    config: false,
    watch: false,
    reporters: [{}],
    setupFiles: ['test/setup.ts', 'test/mutate/setup.ts'],
    env: { PROPERTY_SEED: process.env['PROPERTY_SEED'] ?? '20261115', SLUICE_TEST_DATA: data },
    pool: { name: 'mutants', createPoolWorker: (options) => (worker = createWorkerProcess(options, entry, orderFile)) },
    include: ['**/*.test.ts'],
    maxWorkers: 1,
    isolate: true,
    bail: 1,
    restoreMocks: true,
    unstubEnvs: true,
    expect: { poll: { timeout: 10_000 } },
  });
  await vitest.standalone();
  const project = vitest.projects[0]!;
  let runs = 0;
  return {
    async run(testFile, { jobs, record = false, testTimeout, jobTimeout }) {
      const answers = join(scratch, `answers-${++runs}`);
      const reachedElsewhere = join(scratch, `reached-${runs}`);
      writeFileSync(answers, '');
      if (record) writeFileSync(reachedElsewhere, Buffer.alloc(mutants + 1));
      writeFileSync(orderFile, JSON.stringify({ jobs, mutants, record, reachedElsewhere, answers, testTimeout }));
      const read = (): string => readFileSync(answers, 'utf8');
      const watchdog = watchProgress(read, jobTimeout, () => worker?.end());
      try {
        await vitest.runTestSpecifications([project.createSpecification(join(folder, testFile))]);
      } finally {
        clearInterval(watchdog);
      }
      const outcomes = read()
        .trim()
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Outcome);
      const last = new Map(outcomes.map((outcome) => [outcome.job, outcome]));
      const elsewhere = record ? [...readFileSync(reachedElsewhere).entries()].filter(([, byte]) => byte !== 0) : [];
      return { outcomes: [...last.values()], elsewhere: elsewhere.map(([number]) => number) };
    },
    async [Symbol.asyncDispose]() {
      await vitest.close();
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}

/** Calls `end` when nothing was added for too long. */
function watchProgress(read: () => string, limit: number, end: () => void): NodeJS.Timeout {
  let size = 0;
  let since = performance.now();
  return setInterval(() => {
    const now = read().length;
    if (now !== size) [size, since] = [now, performance.now()];
    else if (performance.now() - since > limit) end();
  }, 500);
}
