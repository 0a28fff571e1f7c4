/** One thread that matches, seen from the thread that gives it lines. */
import { Worker } from 'node:worker_threads';
import type { SharedMemory } from '../core/core-memory.ts';
import type { MatcherLines, ThreadOutcome } from '../core/matcher-lines.ts';

/** A matcher and the thread that gives it lines tell each other these integers, in memory that both see. */
export const CELL = {
  state: 0,
  /** The number of the engine that the lines are for, and of the lines. */
  engine: 1,
  lines: 2,
  /** How many of them were matched. */
  matched: 3,
} as const;

const CELLS_BYTES = 16;

export const STATE = {
  idle: 0,
  /** Lines are there: the matcher has them. */
  busy: 1,
  /** The outcomes of the lines are there: the writer has them. */
  done: 2,
  /** Matching threw. What the scratch holds is of no use. */
  failed: 3,
} as const;

/** A matcher is started with this. */
export interface MatcherOrder {
  readonly module: WebAssembly.Module;
  readonly cells: SharedArrayBuffer;
  readonly engines: readonly {
    readonly memory: SharedMemory;
    readonly scratch: number;
    readonly arePages: boolean;
  }[];
}

/** A thread makes few objects: rules and lines are in memory that all threads share. */
const MEMORY = { maxYoungGenerationSizeMb: 12 };

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
  /** Reads what came of the lines of the batch that has ended, up to where it came; undefined means that it failed. */
  read(lines: readonly string[], from: number): ThreadOutcome[] | undefined;
  /** Has it stop after the line at hand. */
  stop(): void;
  /** Blocks until it has stopped, or is given up. */
  waitUntilStopped(): void;
  close(): Promise<unknown>;
}

export interface MatcherEvents {
  onReady(): void;
  /** A batch has ended. Not called for one that was read before. */
  onDone(): void;
  /** The thread has ended, and was not asked to. */
  onLost(error: unknown): void;
}

export interface MatcherDeps {
  readonly entry: URL;
  readonly module: WebAssembly.Module;
  readonly engines: readonly MatcherLines[];
  readonly scratches: readonly number[];
}

/** A line takes microseconds. A thread that takes this long for one is at its end, or will never come to it. */
const PATIENCE_MS = 2_000;

export const startMatcher = (deps: MatcherDeps, events: MatcherEvents): Matcher => new ThreadMatcher(deps, events);

class ThreadMatcher implements Matcher {
  readonly scratches: readonly number[];
  readonly #engines: readonly MatcherLines[];
  readonly #events: MatcherEvents;
  readonly #worker: Worker;
  readonly #cells: Int32Array;
  #engine: MatcherLines;
  #scratch = 0;
  #given = 0;
  /** Tells batches apart, so that the end of one that was read early is not taken for that of the next. */
  #batch = 0;
  #isReady = false;
  #hasMatched = false;
  #isClosed = false;
  #cause: unknown;

  constructor({ entry, module, engines, scratches }: MatcherDeps, events: MatcherEvents) {
    const cells = new SharedArrayBuffer(CELLS_BYTES);
    const order: MatcherOrder = {
      module,
      cells,
      engines: engines.map(({ memory, arePages }, index) => ({ memory, arePages, scratch: scratches[index]! })),
    };
    this.scratches = scratches;
    this.#engines = engines;
    this.#engine = engines[0]!;
    this.#events = events;
    this.#cells = new Int32Array(cells);
    this.#worker = new Worker(entry, { workerData: order, name: 'matcher', resourceLimits: MEMORY });
    this.#listen();
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  get hasMatched(): boolean {
    return this.#hasMatched;
  }

  get given(): number {
    return this.#given;
  }

  start(index: number, lines: readonly string[], from: number): boolean {
    this.#engine = this.#engines[index]!;
    this.#scratch = this.scratches[index]!;
    this.#given = this.#engine.write(this.#scratch, lines, from);
    if (this.#given === 0) return false;
    this.#batch++;
    this.#worker.ref();
    this.#cells[CELL.engine] = index;
    this.#cells[CELL.lines] = this.#given;
    Atomics.store(this.#cells, CELL.state, STATE.busy);
    Atomics.notify(this.#cells, CELL.state);
    void this.#waitForEnd();
    return true;
  }

  read(lines: readonly string[], from: number): ThreadOutcome[] | undefined {
    this.#worker.unref();
    if (Atomics.load(this.#cells, CELL.state) !== STATE.done) {
      this.#isReady = false;
      return undefined;
    }
    this.#hasMatched = true;
    const outcomes = this.#engine.read(this.#scratch, lines, from, this.#cells[CELL.matched]!);
    this.#given = 0;
    return outcomes;
  }

  stop(): void {
    this.#engine.stop(this.#scratch);
  }

  waitUntilStopped(): void {
    while (Atomics.load(this.#cells, CELL.state) === STATE.busy) {
      if (Atomics.wait(this.#cells, CELL.state, STATE.busy, PATIENCE_MS) !== 'timed-out') continue;
      this.#cause = new Error(`a matcher took longer than ${PATIENCE_MS} ms for one line`);
      void this.#worker.terminate();
      return;
    }
  }

  close(): Promise<unknown> {
    this.#isClosed = true;
    return this.#worker.terminate();
  }

  #listen(): void {
    // An idle thread keeps no process alive.
    this.#worker.unref();
    this.#worker.once('message', () => {
      this.#isReady = true;
      this.#events.onReady();
    });
    this.#worker.once('error', (error) => {
      this.#cause = error;
    });
    this.#worker.once('exit', (code) => {
      this.#isReady = false;
      const error = this.#cause ?? new Error(`the thread ended with code ${code}`);
      if (!this.#isClosed) this.#events.onLost(error);
    });
  }

  async #waitForEnd(): Promise<void> {
    const mine = this.#batch;
    const { async: isWaiting, value } = Atomics.waitAsync(this.#cells, CELL.state, STATE.busy);
    if (isWaiting) await value;
    else await Promise.resolve();
    if (mine === this.#batch && this.#given > 0 && !this.#isClosed) this.#events.onDone();
  }
}
