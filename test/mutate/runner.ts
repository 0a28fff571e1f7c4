/** The runner of Vitest, which tells the recorder of each test, or runs a series of mutants through it. */
import { type RunnerTask, type RunnerTestCase, TestRunner, type TestTryOptions } from 'vitest';
import { HUNG } from './order.ts';

/** A test may put others in their place. */
const { setInterval, clearInterval, setImmediate } = globalThis;

// biome-ignore lint/style/noDefaultExport: Vitest asks for it.
export default class extends TestRunner {
  override async onBeforeRunTask(test: RunnerTask): Promise<void> {
    await super.onBeforeRunTask(test);
    if (test.type === 'test' && test.mode !== 'skip') globalThis.sluiceSeries?.prepare(test);
  }

  override onBeforeTryTask(test: RunnerTask, options: TestTryOptions): void {
    super.onBeforeTryTask(test, options);
    if (test.type !== 'test') return;
    globalThis.sluiceRecorder?.enter(test.id);
    globalThis.sluiceSeries?.begin(test, options.repeats, options.retry);
  }

  async runTask(test: RunnerTestCase): Promise<void> {
    const run = TestRunner.getTestFn(test);
    const timeout = globalThis.sluiceTimeoutOf?.(test.id);
    await (timeout === undefined ? run() : within(timeout, run));
  }

  /** Also after what a test has left to do for when it is finished. */
  override async onAfterRetryTask(test: RunnerTestCase, options: TestTryOptions): Promise<void> {
    await super.onAfterRetryTask(test, options);
    globalThis.sluiceRecorder?.leave();
    // An error that nobody waits for is thrown by then.
    await new Promise((done) => setImmediate(done));
  }

  override onAfterRunTask(test: RunnerTask): void {
    super.onAfterRunTask(test);
    if (test.type === 'test' && test.mode !== 'skip') globalThis.sluiceSeries?.finish(test);
  }
}

/** A process that was stopped for a while has ticked no more than once meanwhile. */
const TICKS = 10;

async function within(milliseconds: number, run: () => unknown): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  let left = TICKS;
  const timer = setInterval(() => {
    if (--left === 0) reject(new Error(`${HUNG} for ${milliseconds} ms.`));
  }, milliseconds / TICKS);
  try {
    await Promise.race([run(), promise]);
  } finally {
    clearInterval(timer);
  }
}
