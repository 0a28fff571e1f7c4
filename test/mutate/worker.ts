/** A worker of Vitest that runs one test file again and again, each time with another mutant. */
import { appendFileSync, readFileSync } from 'node:fs';
import { init, runBaseTests, setupEnvironment } from 'vitest/worker';
import type { Job, Order, Outcome } from './order.ts';
import { createRecorder } from './recorder.ts';
import { ACTIVE, REACHED } from './switch.ts';

type State = Parameters<typeof runBaseTests>[1];

const order = JSON.parse(readFileSync(process.env['SLUICE_MUTATE_ORDER']!, 'utf8')) as Order;
const send = process.send!.bind(process);

init({
  post: (message) => send(message),
  on: (listener) => process.on('message', listener),
  off: (listener) => process.off('message', listener),
  setup: setupEnvironment,
  collectTests: (state, traces) => runBaseTests('collect', state, traces),
  async runTests(state, traces) {
    const report = (outcome: Outcome): void => appendFileSync(order.answers, `${JSON.stringify(outcome)}\n`);
    for (const job of order.jobs) {
      report({ job: job.number, state: 'begun' });
      const outcome = await runOnce(job, state, () => runBaseTests('run', state, traces));
      report(outcome);
      // Something may still run that the next mutant would be blamed for: a new worker goes on.
      if (outcome.state === 'stray' || /timed out/.test(outcome.failed?.[0] ?? '')) break;
    }
  },
});

async function runOnce(job: Job, state: State, run: () => Promise<void>): Promise<Outcome> {
  const recorder = order.record ? createRecorder(order.mutants) : undefined;
  globalThis.sluiceMutants = {
    active: job.number,
    hits: 0,
    mostHits: job.mostHits ?? Number.POSITIVE_INFINITY,
    reached: recorder?.reached,
  };
  globalThis.sluiceRecorder = recorder;
  process.env[ACTIVE] = String(job.number);
  if (order.record) process.env[REACHED] = order.reachedElsewhere;
  state.config.testTimeout = order.testTimeout;
  state.config.hookTimeout = order.testTimeout;
  if (state.config.expect.poll !== undefined) state.config.expect.poll.timeout = order.testTimeout;
  const [file] = state.ctx.files;
  state.ctx.files = [{ ...file!, testIds: job.tests }];
  const watch = watched(state);
  await run();
  // An error that a broken program throws after its last test is thrown by then.
  await new Promise((done) => setImmediate(done));
  return {
    job: job.number,
    state: watch.failed.length > 0 ? 'failed' : watch.stray.length > 0 ? 'stray' : 'passed',
    failed: watch.failed.slice(0, 1).concat(watch.stray.slice(0, 1)),
    ...(watch.failedTests.length > 0 && { failedTest: watch.failedTests[0]! }),
    ...(recorder && { reach: recorder.reach(), times: watch.times }),
  };
}

interface Watch {
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
function watched(state: State): Watch {
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
      for (const { id, result } of files) note(id, result);
    },
    onUnhandledError: (error: { message?: string }) => void watch.stray.push(String(error.message).slice(0, 300)),
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
