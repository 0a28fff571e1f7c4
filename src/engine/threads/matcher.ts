/** One thread that matches, seen from the thread that gives it lines. */
import { Worker } from 'node:worker_threads';
import type { MatcherLines, ThreadOutcome } from '../core/matcher-lines.ts';
import { CELL, CELLS_BYTES, type MatcherOrder, STATE } from './matcher-cells.ts';

export interface Matcher {
  readonly scratches: readonly number[];
  /** Whether it takes lines: its thread has started, and has not failed. */
  readonly isReady: boolean;
  /** Whether it has ever ended a batch. */
  readonly hasMatched: boolean;
  /** How many lines the batch at hand has. */
  readonly given: number;
  /** Gives it lines from one on; false where it can take none of them. It must not be busy. */
  start(engine: number, lines: readonly string[], from: number): boolean;
  /** What came of the lines of the batch that has ended, up to where it came; undefined where it failed. */
  read(lines: readonly string[], from: number): ThreadOutcome[] | undefined;
  /** Has it stop after the line at hand. */
  stop(): void;
  /** Blocks until it has stopped, or is given up. */
  waitUntilStopped(): void;
  close(): Promise<unknown>;
}

export interface MatcherEvents {
  onReady(matcher: Matcher): void;
  /** A batch has ended. Not called for one that was read before. */
  onDone(matcher: Matcher): void;
  /** The thread has ended, and was not asked to. */
  onLost(matcher: Matcher, error: unknown): void;
}

export interface MatcherDeps {
  readonly entry: URL;
  readonly module: WebAssembly.Module;
  readonly engines: readonly MatcherLines[];
  readonly scratches: readonly number[];
}

/** A line takes microseconds. A thread that takes this long for one is at its end, or will never come to it. */
const PATIENCE_MS = 2_000;

export function startMatcher({ entry, module, engines, scratches }: MatcherDeps, events: MatcherEvents): Matcher {
  const shared = new SharedArrayBuffer(CELLS_BYTES);
  const cells = new Int32Array(shared);
  const order: MatcherOrder = {
    module,
    cells: shared,
    engines: engines.map(({ memory, arePages }, index) => ({ memory, arePages, scratch: scratches[index]! })),
  };
  const worker = new Worker(entry, { workerData: order, name: 'matcher' });
  // An idle thread keeps no process alive.
  worker.unref();
  let engine = engines[0]!;
  let scratch = 0;
  let given = 0;
  /** Tells batches apart, so that the end of one that was read early is not taken for that of the next. */
  let batch = 0;
  let isReady = false;
  let hasMatched = false;
  let isClosed = false;
  let cause: unknown;

  async function waitForEnd(): Promise<void> {
    const mine = batch;
    const { async: isWaiting, value } = Atomics.waitAsync(cells, CELL.state, STATE.busy);
    if (isWaiting) await value;
    else await Promise.resolve();
    if (mine === batch && given > 0 && !isClosed) events.onDone(matcher);
  }

  const matcher: Matcher = {
    scratches,
    get isReady() {
      return isReady;
    },
    get hasMatched() {
      return hasMatched;
    },
    get given() {
      return given;
    },
    start(index, lines, from) {
      engine = engines[index]!;
      scratch = scratches[index]!;
      given = engine.write(scratch, lines, from);
      if (given === 0) return false;
      batch++;
      worker.ref();
      cells[CELL.engine] = index;
      cells[CELL.lines] = given;
      Atomics.store(cells, CELL.state, STATE.busy);
      Atomics.notify(cells, CELL.state);
      void waitForEnd();
      return true;
    },
    read(lines, from) {
      worker.unref();
      if (Atomics.load(cells, CELL.state) !== STATE.done) {
        isReady = false;
        return undefined;
      }
      hasMatched = true;
      const outcomes = engine.read(scratch, lines, from, cells[CELL.matched]!);
      given = 0;
      return outcomes;
    },
    stop: () => engine.stop(scratch),
    waitUntilStopped() {
      while (Atomics.load(cells, CELL.state) === STATE.busy) {
        if (Atomics.wait(cells, CELL.state, STATE.busy, PATIENCE_MS) !== 'timed-out') continue;
        cause = new Error(`a matcher took longer than ${PATIENCE_MS} ms for one line`);
        void worker.terminate();
        return;
      }
    },
    close() {
      isClosed = true;
      return worker.terminate();
    },
  };
  worker.once('message', () => {
    isReady = true;
    events.onReady(matcher);
  });
  worker.once('error', (error) => {
    cause = error;
  });
  worker.once('exit', (code) => {
    isReady = false;
    if (!isClosed) events.onLost(matcher, cause ?? new Error(`the thread ended with code ${code}`));
  });
  return matcher;
}
