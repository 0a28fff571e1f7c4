/** A worker of Vitest that runs one test file after another, each with a mutant. What they import stays loaded. */
import { init, runBaseTests, setupEnvironment } from 'vitest/worker';
import type { FromWorker, Job, Outcome, ToWorker } from './order.ts';
import { createRecorder } from './recorder.ts';
import { ACTIVE, REACHED } from './switch.ts';
import { watched } from './watch.ts';

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
    const take = async ({ mutate }: Partial<ToWorker>): Promise<void> => {
      if (mutate === undefined) return;
      if (mutate === 'end') ended.resolve();
      else answer({ mutated: await runOnce(mutate, state, () => runBaseTests('run', state, traces)) });
    };
    process.on('message', (message: Partial<ToWorker>) => {
      // Without an answer it would be waited for: it ends, and another one is begun.
      take(message).catch(() => process.kill(process.pid, 'SIGKILL'));
    });
    answer({ mutated: 'ready' });
    await ended.promise;
  },
});

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
  const { config } = state;
  config.testTimeout = job.testTimeout;
  config.hookTimeout = job.testTimeout;
  if (config.expect.poll !== undefined) config.expect.poll.timeout = job.testTimeout;
  const loadWith = job.whileLoading || loadedWith === job.number ? job.number : 0;
  config.isolate = record !== undefined || loadWith !== loadedWith;
  loadedWith = loadWith;
  const [file] = state.ctx.files;
  state.ctx.files = [{ ...file!, filepath: `${config.root}/${job.testFile}`, testIds: job.tests && [...job.tests] }];
  const watch = watched(state, () => recorder?.loaded());
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
