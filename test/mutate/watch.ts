/** What the runner in a worker tells of its tests. */
import type { runBaseTests } from 'vitest/worker';

type State = Parameters<typeof runBaseTests>[1];

export interface Watch {
  readonly failed: string[];
  /** Ids of tests that failed with a message of their own. */
  readonly failedTests: string[];
  /** Errors that no test caught. */
  readonly stray: string[];
  /** Milliseconds by test. */
  readonly times: Record<string, number>;
}

type Result = { state?: string; duration?: number; errors?: { message?: string }[] } | undefined;

/** Listens to what the runner tells its reporters, in their place; the loading of modules goes on as before. */
export function watched(state: State, { onLoaded, onStray }: { onLoaded: () => void; onStray: () => void }): Watch {
  const watch: Watch = { failed: [], failedTests: [], stray: [], times: {} };
  const note = (id: string, result: Result): void => {
    if (result?.state === 'fail') {
      const message = result.errors?.[0]?.message;
      // A suite fails with its tests, and says nothing of its own.
      if (message === undefined) watch.failed.push(id);
      else {
        watch.failed.unshift(`${id}: ${message}`.slice(0, 300));
        if (id.includes('_')) watch.failedTests.push(id);
      }
    }
    if (result?.duration !== undefined) watch.times[id] = result.duration;
  };
  const rpc = (state as { rpc: object }).rpc as Record<string, unknown>;
  const original = originals.get(rpc) ?? rpc;
  const answers: Record<string, (...values: never[]) => unknown> = {
    onTaskUpdate: (packs: [string, Result][]) => {
      for (const [id, result] of packs) note(id, result);
    },
    onCollected: (files: { id: string; result?: Result }[]) => {
      onLoaded();
      for (const { id, result } of files) note(id, result);
    },
    onUnhandledError: (error: { message?: string }) => {
      watch.stray.push(String(error.message).slice(0, 300));
      onStray();
    },
    onUserConsoleLog: () => {},
    onQueued: () => {},
    onTaskArtifactRecord: (_id: string, artifact: unknown) => artifact,
    getCountOfFailedTests: () => 0,
    onCancel: () => {},
    onAfterSuiteRun: () => {},
  };
  const replaced = new Proxy(original, {
    get: (target, name) => {
      const answer = answers[String(name)];
      return answer === undefined
        ? target[String(name)]
        : Object.assign(async (...values: never[]) => answer(...values), { asEvent: answer });
    },
  });
  originals.set(replaced, original);
  (state as { rpc: unknown }).rpc = replaced;
  return watch;
}

const originals = new WeakMap<object, Record<string, unknown>>();
