/** The process in which Vitest runs tests of a planted tree. */
import { type ChildProcess, fork } from 'node:child_process';
import type { PoolOptions, PoolWorker } from 'vitest/node';
import { endWithChildren } from './end-process.ts';

export interface WorkerProcess extends PoolWorker {
  /** At once, with all that it has started. */
  end(): void;
}

export function createWorkerProcess({ env, execArgv }: PoolOptions, entry: string, order: string): WorkerProcess {
  let child: ChildProcess | undefined;
  let exited: Promise<unknown> = Promise.resolve();
  const end = (): void => {
    if (child?.pid !== undefined && child.exitCode === null) endWithChildren(child.pid);
  };
  return {
    name: 'mutants',
    on: (event, listener) => child?.on(event, listener),
    off: (event, listener) => child?.off(event, listener),
    send: (message) => child?.send(message),
    deserialize: (data) => data,
    async start() {
      child = fork(entry, [], {
        env: { ...process.env, ...env, SLUICE_MUTATE_ORDER: order },
        execArgv,
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
        serialization: 'advanced',
      });
      const { promise, resolve } = Promise.withResolvers<void>();
      child.once('exit', () => resolve());
      exited = promise;
    },
    async stop() {
      end();
      await exited;
    },
    end,
  };
}
