/** The process in which Vitest runs tests of a planted tree. */
import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import type { PoolOptions, PoolWorker } from 'vitest/node';
import { endWithChildren } from './end-process.ts';
import type { FromWorker, Job, Outcome, Series, ToWorker } from './order.ts';

export interface WorkerProcess extends PoolWorker {
  /** Nothing: it died, or took more than so many seconds of CPU, in a series for one mutant, and was ended. */
  run(job: Job | Series, mostSeconds: number): Promise<Outcome | undefined>;
  /** At once, with all that it has started. */
  end(): void;
}

/** `onReady` is told of one that waits for jobs, and of one that has ended before. */
export function createWorkerProcess(
  { env, execArgv }: PoolOptions,
  entry: string,
  onReady: (worker: WorkerProcess | undefined) => void,
): WorkerProcess {
  let child: ChildProcess | undefined;
  let exited: Promise<unknown> = Promise.resolve();
  let settle: (outcome: Outcome | undefined) => void = () => {};
  const end = (): void => {
    if (child?.pid !== undefined && child.exitCode === null) endWithChildren(child.pid);
  };
  const worker: WorkerProcess = {
    name: 'mutants',
    on: (event, listener) => child?.on(event, listener),
    off: (event, listener) => child?.off(event, listener),
    send: (message) => child?.send(message),
    deserialize: (data) => data,
    async start() {
      child = fork(entry, [], {
        env: { ...process.env, ...env },
        execArgv,
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
        serialization: 'advanced',
      });
      const { promise, resolve } = Promise.withResolvers<void>();
      exited = promise;
      child.once('exit', () => {
        resolve();
        onReady(undefined);
        settle(undefined);
      });
      child.on('message', ({ mutated }: Partial<FromWorker>) => {
        if (mutated === 'ready') onReady(worker);
        else if (mutated !== undefined) settle(mutated);
      });
    },
    async stop() {
      end();
      await exited;
    },
    async run(job, mostSeconds) {
      const { promise, resolve } = Promise.withResolvers<Outcome | undefined>();
      settle = resolve;
      const message: ToWorker = { mutate: job };
      let begun = secondsOf(child!.pid!);
      // Another program on the machine takes time, and no CPU of the worker's: only a mutant that spins does.
      let ticks = 0;
      let noted = 0;
      const watchdog = setInterval(() => {
        const notes = 'notes' in job ? statSync(job.notes).size : 0;
        if (notes !== noted) [noted, begun, ticks] = [notes, secondsOf(child!.pid!), 0];
        // Where all of it stands still for a while there are no ticks.
        const waited = ++ticks / TICKS_A_SECOND;
        if (secondsOf(child!.pid!) - begun > mostSeconds || waited > mostSeconds * MOST_WAITING) end();
      }, 1_000 / TICKS_A_SECOND);
      child!.send(message);
      try {
        return await promise;
      } finally {
        clearInterval(watchdog);
      }
    },
    end,
  };
  return worker;
}

/** A module that never ends to load takes no CPU: what waits for so many times the CPU that it may take is ended as well. */
const MOST_WAITING = 30;

/** How often it is looked whether it is to be ended. */
const TICKS_A_SECOND = 2;

const CPU_TICKS_A_SECOND = 100;

/** The CPU that a process has taken. */
function secondsOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) / CPU_TICKS_A_SECOND;
  } catch {
    return 0;
  }
}
