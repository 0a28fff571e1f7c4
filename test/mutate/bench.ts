/** Runs test files of a planted tree under Vitest in one worker, and begins another when that one hangs or dies. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVitest } from 'vitest/node';
import type { Job, Note, Outcome, Series } from './order.ts';
import { BY_PROCESS, BY_THREAD } from './switch.ts';
import { createWorkerProcess, type WorkerProcess } from './worker-process.ts';

export interface Elsewhere {
  readonly inProcesses: readonly number[];
  readonly inThreads: readonly number[];
}

export interface Bench extends AsyncDisposable {
  /** Nothing: the worker died, or took too much CPU. */
  run(job: Omit<Job, 'record'>, mostSeconds: number): Promise<Outcome | undefined>;
  /** What the worker noted, and whether it died meanwhile, or took too much CPU for one mutant. */
  series(series: Omit<Series, 'notes'>, mostSeconds: number): Promise<{ notes: readonly Note[]; hasDied: boolean }>;
  /** Runs the file in freshly loaded modules, and also answers which mutants its processes and its threads reached. */
  record(job: Omit<Job, 'record'>, mostSeconds: number): Promise<[Outcome | undefined, Elsewhere]>;
  /** The next job begins in a new worker. */
  renew(): Promise<void>;
}

/** A worker that holds more has met too much. */
const MOST_MEMORY = 1_500_000_000;

/** CPU that it takes to load the whole program, with room to spare. */
export const LOAD_SECONDS = 10;

/** A worker may end before it begins, on a machine that is too busy. After so many something is wrong. */
const MOST_IDLE = 3;

export async function openBench(folder: string, { mutants, data }: { mutants: number; data: string }): Promise<Bench> {
  const scratch = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'sluice-mutate-bench-'));
  // PostgreSQL may run as another user, and keeps its data here.
  chmodSync(scratch, 0o711);
  const elsewhere = join(scratch, 'reached');
  const notes = join(scratch, 'notes');
  const entry = join(folder, 'test/mutate/worker.ts');
  let worker: WorkerProcess | undefined;
  let ready: WorkerProcess | undefined;
  let onReady: () => void = () => {};
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
    setupFiles: ['test/setup.ts'],
    runner: 'test/mutate/runner.ts',
    env: {
      PROPERTY_SEED: process.env['PROPERTY_SEED'] ?? '20261115',
      SLUICE_TEST_DATA: data,
      TMPDIR: scratch,
      TEST_TEMPLATES: scratch,
    },
    pool: {
      name: 'mutants',
      createPoolWorker: (options) =>
        (worker = createWorkerProcess(options, entry, (now) => {
          ready = now;
          onReady();
        })),
    },
    include: ['**/*.test.ts'],
    maxWorkers: 1,
    isolate: false,
    bail: 1,
    restoreMocks: true,
    unstubEnvs: true,
    expect: { poll: { timeout: 10_000 } },
  });
  await vitest.standalone();
  const project = vitest.projects[0]!;
  let running: Promise<unknown> = Promise.resolve();
  const begin = async (testFile: string): Promise<WorkerProcess> => {
    for (let idle = 0; idle < MOST_IDLE; idle++) {
      await running;
      const { promise, resolve } = Promise.withResolvers<void>();
      onReady = resolve;
      running = vitest.runTestSpecifications([project.createSpecification(join(folder, testFile))]).catch(() => {});
      await promise;
      if (ready !== undefined) return ready;
    }
    throw new Error(`${testFile}: the worker began nothing.`);
  };
  const renew = async (): Promise<void> => {
    worker?.end();
    await running;
  };
  const run = async (job: Job | Series, mostSeconds: number): Promise<Outcome | undefined> => {
    const known = ready;
    const outcome = await (known === undefined
      ? (await begin(job.testFile)).run(job, mostSeconds + LOAD_SECONDS)
      : known.run(job, mostSeconds));
    if (outcome === undefined || outcome.memory > MOST_MEMORY) await renew();
    return outcome;
  };
  return {
    run,
    async series(series, mostSeconds) {
      writeFileSync(notes, '');
      const outcome = await run({ ...series, notes }, mostSeconds);
      const lines = readFileSync(notes, 'utf8').split('\n').filter(Boolean);
      return { notes: lines.map((line) => JSON.parse(line) as Note), hasDied: outcome === undefined };
    },
    async record(job, mostSeconds) {
      writeFileSync(elsewhere, Buffer.alloc(mutants + 1));
      const outcome = await run({ ...job, record: { mutants, elsewhere } }, mostSeconds);
      const reached = [...readFileSync(elsewhere)].map((by, number) => ({ by, number }));
      const numbersBy = (mark: number | undefined) =>
        reached.filter(({ by }) => by === mark).map(({ number }) => number);
      return [outcome, { inProcesses: numbersBy(BY_PROCESS), inThreads: numbersBy(BY_THREAD) }];
    },
    renew,
    async [Symbol.asyncDispose]() {
      await renew();
      await vitest.close();
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}
