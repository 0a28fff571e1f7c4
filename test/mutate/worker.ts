/** A worker of Vitest that runs one test file after another, each with one mutant or with several in turn. What they import stays loaded. */
import { init, runBaseTests, setupEnvironment } from 'vitest/worker';
import type { FromWorker, Job, Outcome, Series, ToWorker } from './order.ts';
import { createRecorder } from './recorder.ts';
import { createSeries } from './series.ts';
import { ACTIVE, REACHED } from './switch.ts';
import { watched } from './watch.ts';

declare global {
  /** Milliseconds that a test may take. */
  var sluiceTimeoutOf: ((testId: string) => number) | undefined;
}

type State = Parameters<typeof runBaseTests>[1];

const post = process.send!.bind(process);
const answer = (message: FromWorker): void => void post(message);

/** The mutant that was on when the modules were loaded. */
let loadedWith = 0;

init({
  post: (message) => post(message),
  on: (listener) => process.on('message', listener),
  off: (listener) => process.off('message', listener),
  setup: setupEnvironment,
  collectTests: (state, traces) => runBaseTests('collect', state, traces),
  /** Vitest waits here until the last job is done. */
  async runTests(state, traces) {
    const ended = Promise.withResolvers<void>();
    const run = () => runBaseTests('run', state, traces);
    const take = async ({ mutate }: Partial<ToWorker>): Promise<void> => {
      if (mutate === undefined) return;
      if (mutate === 'end') ended.resolve();
      else answer({ mutated: await ('notes' in mutate ? runSeries(mutate, state, run) : runOnce(mutate, state, run)) });
    };
    process.on('message', (message: Partial<ToWorker>) => {
      // Without an answer it would be waited for: it ends, and another one is begun.
      take(message).catch(() => process.kill(process.pid, 'SIGKILL'));
    });
    answer({ mutated: 'ready' });
    await ended.promise;
  },
});

/** How Vitest runs a file next. */
interface Course {
  readonly testFile: string;
  readonly tests: readonly string[] | undefined;
  /** The mutant that is on while modules are loaded. */
  readonly loadWith: number;
  readonly testTimeout: number;
  /** Whether all modules are loaded anew. */
  readonly isAnew: boolean;
  /** Whether the first failure ends it. */
  readonly bail: boolean;
}

function prepare(state: State, { testFile, tests, loadWith, testTimeout, isAnew, bail }: Course): void {
  const { config } = state;
  // The runner ends a test that hangs, and knows whether the process was stopped meanwhile.
  config.testTimeout = testTimeout * 100;
  config.hookTimeout = testTimeout;
  if (config.expect.poll !== undefined) config.expect.poll.timeout = testTimeout * 2;
  config.bail = bail ? 1 : 0;
  config.isolate = isAnew || loadWith !== loadedWith;
  loadedWith = loadWith;
  const [file] = state.ctx.files;
  state.ctx.files = [{ ...file!, filepath: `${config.root}/${testFile}`, testIds: tests && [...tests] }];
}

async function runOnce(job: Job, state: State, run: () => Promise<void>): Promise<Outcome> {
  const { record } = job;
  const recorder = record && createRecorder(record.mutants);
  // Planted modules hold the board itself.
  const { number: active, mostHits } = job;
  Object.assign(globalThis.sluiceMutants!, { active, hits: 0, mostHits, reached: recorder?.reached });
  globalThis.sluiceRecorder = recorder;
  process.env[ACTIVE] = String(job.number);
  if (record) process.env[REACHED] = record.elsewhere;
  else delete process.env[REACHED];
  const loadWith = job.whileLoading || loadedWith === job.number ? job.number : 0;
  globalThis.sluiceTimeoutOf = () => job.testTimeout;
  prepare(state, { ...job, tests: job.tests, loadWith, isAnew: record !== undefined, bail: true });
  const watch = watched(state, { onLoaded: () => recorder?.loaded(), onStray: () => {} });
  await run();
  // An error that a broken program throws after its last test is thrown by then.
  await new Promise((done) => setImmediate(done));
  return {
    state: watch.failed.length > 0 ? 'failed' : watch.stray.length > 0 ? 'stray' : 'passed',
    failed: watch.failed[0] ?? watch.stray[0],
    failedTest: watch.failedTests[0],
    memory: process.memoryUsage.rss(),
    ...(recorder && { reach: recorder.reach(), times: watch.times }),
  };
}

/** What becomes of the mutants is noted by the series itself. */
async function runSeries(series: Series, state: State, run: () => Promise<void>): Promise<Outcome> {
  const own = createSeries(series);
  Object.assign(globalThis.sluiceMutants!, { active: 0, reached: undefined });
  globalThis.sluiceRecorder = undefined;
  process.env[ACTIVE] = '0';
  delete process.env[REACHED];
  const { testFile, tests } = series;
  const testTimeout = Math.max(...Object.values(tests).map(({ timeout }) => timeout));
  prepare(state, { testFile, tests: Object.keys(tests), loadWith: 0, testTimeout, isAnew: false, bail: false });
  const watch = watched(state, { onLoaded: () => {}, onStray: () => own.stray() });
  globalThis.sluiceSeries = own;
  globalThis.sluiceTimeoutOf = (id) => tests[id]!.timeout;
  try {
    await run();
  } finally {
    globalThis.sluiceSeries = undefined;
  }
  const [failed] = [...watch.failed, ...watch.stray];
  return { state: 'passed', failed, failedTest: undefined, memory: process.memoryUsage.rss() };
}
