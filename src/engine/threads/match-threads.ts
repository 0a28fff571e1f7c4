/**
 * Matches lines in threads of their own, over the memory of the engines that this thread alone changes. Each matcher has one batch
 * of lines at a time, and this thread knows which are busy. Before rules change, all matchers of the engine are stopped after
 * the line at hand, what they found is read, and the rest of their lines waits: so no list is read while it changes, and every
 * number is that of the rule it was when the line was matched.
 */
import { onceNextTurn } from '../../base/cooperate.ts';
import { compiledCore } from '../core/core-memory.ts';
import type { MatcherLines, ThreadOutcome } from '../core/matcher-lines.ts';
import { type Matcher, startMatcher } from './matcher.ts';

export interface MatchThreads {
  /** Threads that match. */
  readonly size: number;
  /** Resolves when all that were started at first can match, or have ended. */
  readonly started: Promise<void>;
  /**
   * Matches lines, and calls `take` for each in their order: within that call the numbers of rules are valid. Resolves after the
   * last. Where no thread can match a line, its outcome is `asked`.
   */
  match(engine: number, lines: readonly string[], take: TakeOutcome): Promise<void>;
  /** Stops the threads that match lines of the engine, and returns when none does. They go on in the next turn of the event loop. */
  stop(engine: number): void;
  close(): Promise<void>;
}

export type TakeOutcome = (outcome: ThreadOutcome, index: number) => void;

export interface MatchThreadsDeps {
  readonly threads: number;
  readonly engines: readonly MatcherLines[];
  /** Told of a thread that ended before its time; its lines are asked back. */
  readonly onLost?: (lost: LostThread) => void;
  readonly entry?: URL;
}

export interface LostThread {
  readonly error: unknown;
  /** Whether another was started in its place: not where several in a row ended no batch. */
  readonly isReplaced: boolean;
}

/** Lines on their way through the threads. */
interface Job {
  readonly engine: number;
  readonly lines: readonly string[];
  readonly take: TakeOutcome;
  readonly end: (error?: unknown) => void;
  /** The first line of which nothing is known yet. */
  next: number;
}

/** The published package holds JavaScript. */
const ENTRY = import.meta.url.endsWith('.ts')
  ? new URL('./matcher-thread.ts', import.meta.url)
  : new URL('./matcher-thread.js', import.meta.url);

/** After this many threads in a row that ended no batch, no other is started. */
const MOST_FRUITLESS = 3;

export const createMatchThreads = (deps: MatchThreadsDeps): MatchThreads => new MatcherPool(deps);

class MatcherPool implements MatchThreads {
  readonly started: Promise<void>;
  readonly #onStarted: () => void;
  readonly #engines: readonly MatcherLines[];
  readonly #onLost: (lost: LostThread) => void;
  readonly #entry: URL;
  readonly #module = compiledCore();
  readonly #waiting: Job[] = [];
  readonly #matchers = new Map<Matcher, Job | undefined>();
  /** In the next turn, so that a change of many rules stops the threads once. */
  readonly #dispatchSoon = onceNextTurn(() => this.#dispatch());
  /** Threads that ended without a batch, one after another. */
  #fruitless = 0;

  constructor({ threads, engines, onLost = () => {}, entry = ENTRY }: MatchThreadsDeps) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.started = promise;
    this.#onStarted = resolve;
    this.#engines = engines;
    this.#onLost = onLost;
    this.#entry = entry;
    for (let count = 0; count < threads; count++) this.#addMatcher(engines.map((engine) => engine.open()));
  }

  get size(): number {
    return this.#matchers.size;
  }

  match(engine: number, lines: readonly string[], take: TakeOutcome): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const end = (error?: unknown): void => (error === undefined ? resolve() : reject(error));
    if (lines.length === 0) end();
    else this.#waiting.push({ engine, lines, take, end, next: 0 });
    this.#dispatch();
    return promise;
  }

  stop(engine: number): void {
    const busy = [...this.#matchers].filter(([, job]) => job?.engine === engine).map(([matcher]) => matcher);
    for (const matcher of busy) matcher.stop();
    for (const matcher of busy) {
      matcher.waitUntilStopped();
      this.#collect(matcher);
    }
    if (busy.length > 0) this.#dispatchSoon();
  }

  async close(): Promise<void> {
    const ending = [...this.#matchers.keys()].map((matcher) => matcher.close());
    for (const [matcher, job] of this.#matchers) {
      this.#matchers.set(matcher, undefined);
      if (job !== undefined) askBack(job, job.lines.length);
    }
    this.#matchers.clear();
    this.#onStarted();
    this.#dispatch();
    await Promise.all(ending);
  }

  #addMatcher(scratches: readonly number[]): void {
    const deps = { entry: this.#entry, module: this.#module, engines: this.#engines, scratches };
    const matcher = startMatcher(deps, {
      onReady: () => {
        this.#noteStarted();
        this.#dispatch();
      },
      onDone: () => {
        this.#collect(matcher);
        this.#dispatch();
      },
      onLost: (error) => this.#lose(matcher, error),
    });
    this.#matchers.set(matcher, undefined);
  }

  #dispatch(): void {
    for (const [matcher, job] of this.#matchers) if (job === undefined && matcher.isReady) this.#give(matcher);
    // A thread that is starting is not waited for.
    if ([...this.#matchers.keys()].some(({ isReady }) => isReady)) return;
    for (const job of this.#waiting.splice(0)) askBack(job, job.lines.length);
  }

  #give(matcher: Matcher): void {
    for (let job = this.#waiting.shift(); job !== undefined; job = this.#waiting.shift()) {
      if (matcher.start(job.engine, job.lines, job.next)) {
        this.#matchers.set(matcher, job);
        return;
      }
      askBack(job, job.lines.length);
    }
  }

  /** Hands out what a matcher found; the rest of its lines comes first when lines are given out again. */
  #collect(matcher: Matcher): void {
    const job = this.#matchers.get(matcher);
    if (job === undefined) return;
    this.#matchers.set(matcher, undefined);
    const { given } = matcher;
    const outcomes = matcher.read(job.lines, job.next);
    // The lines that made a matcher fail may do it again: the writer takes them.
    if (outcomes === undefined) askBack(job, job.next + given);
    else {
      takeAll(job, outcomes);
      this.#fruitless = 0;
    }
    if (job.next < job.lines.length) this.#waiting.unshift(job);
  }

  #noteStarted(): void {
    if ([...this.#matchers.keys()].every(({ isReady }) => isReady)) this.#onStarted();
  }

  #lose(matcher: Matcher, error: unknown): void {
    const job = this.#matchers.get(matcher);
    this.#matchers.delete(matcher);
    if (!matcher.hasMatched) this.#fruitless++;
    const isReplaced = this.#fruitless < MOST_FRUITLESS;
    if (isReplaced) this.#replace(matcher);
    if (job !== undefined) askBack(job, job.next + matcher.given);
    if (job !== undefined && job.next < job.lines.length) this.#waiting.unshift(job);
    this.#onLost({ error, isReplaced });
    this.#noteStarted();
    this.#dispatch();
  }

  /** Nothing is left of the line at which the thread ended. */
  #replace({ scratches }: Matcher): void {
    for (const [engine, scratch] of scratches.entries()) this.#engines[engine]!.clear(scratch);
    this.#addMatcher(scratches);
  }
}

const askBack = (job: Job, end: number): void =>
  takeAll(job, Array<ThreadOutcome>(Math.min(end, job.lines.length) - job.next).fill('asked'));

function takeAll(job: Job, outcomes: readonly ThreadOutcome[]): void {
  try {
    for (const outcome of outcomes) job.take(outcome, job.next++);
  } catch (error) {
    job.next = job.lines.length;
    job.end(error);
  }
  if (job.next >= job.lines.length) job.end();
}
