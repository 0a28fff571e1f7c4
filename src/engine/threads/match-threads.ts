/**
 * Matches lines in threads of their own, over the memory of the engines that this thread alone changes. Each matcher has one batch
 * of lines at a time, and this thread knows which are busy. Before rules change, all matchers of the engine are stopped after
 * the line at hand, what they found is read, and the rest of their lines waits: so no list is read while it changes, and every
 * number is that of the rule it was when the line was matched.
 */
import { compiledCore } from '../core/core-memory.ts';
import type { MatcherLines, ThreadOutcome } from '../core/matcher-lines.ts';
import { type Matcher, type MatcherEvents, startMatcher } from './matcher.ts';

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
  /** Returns when no thread is matching lines of the engine. They go on in the next turn of the event loop. */
  settle(engine: number): void;
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

export function createMatchThreads(deps: MatchThreadsDeps): MatchThreads {
  const { threads, engines, onLost = () => {}, entry = ENTRY } = deps;
  const module = compiledCore();
  const waiting: Job[] = [];
  const matchers = new Map<Matcher, Job | undefined>();
  const { promise: started, resolve: onStarted } = Promise.withResolvers<void>();
  let isDue = false;
  /** Threads that ended without a batch, one after another. */
  let fruitless = 0;

  const isAnyReady = (): boolean => [...matchers.keys()].some(({ isReady }) => isReady);

  const newMatcher = (scratches: readonly number[]): void =>
    void matchers.set(startMatcher({ entry, module, engines, scratches }, events), undefined);

  /** In the next turn, so that a change of many rules stops the threads once. */
  function dispatchSoon(): void {
    if (isDue) return;
    isDue = true;
    setImmediate(() => {
      isDue = false;
      dispatch();
    });
  }

  function dispatch(): void {
    for (const [matcher, job] of matchers) if (job === undefined && matcher.isReady) give(matcher);
    // A thread that is starting is not waited for.
    if (!isAnyReady()) for (const job of waiting.splice(0)) askBack(job, job.lines.length);
  }

  function give(matcher: Matcher): void {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      if (matcher.start(job.engine, job.lines, job.next)) {
        matchers.set(matcher, job);
        return;
      }
      askBack(job, job.lines.length);
    }
  }

  /** Hands out what a matcher found; the rest of its lines comes first when lines are given out again. */
  function collect(matcher: Matcher): void {
    const job = matchers.get(matcher);
    if (job === undefined) return;
    matchers.set(matcher, undefined);
    const { given } = matcher;
    const outcomes = matcher.read(job.lines, job.next);
    // What made a matcher fail may do it again: the writer takes those lines.
    if (outcomes === undefined) askBack(job, job.next + given);
    else takeAll(job, outcomes);
    if (outcomes !== undefined) fruitless = 0;
    if (job.next < job.lines.length) waiting.unshift(job);
  }

  function noteStarted(): void {
    if ([...matchers.keys()].every(({ isReady }) => isReady)) onStarted();
  }

  /** Nothing is left of the line at which the thread ended. */
  function replace({ scratches }: Matcher): void {
    for (const [engine, scratch] of scratches.entries()) engines[engine]!.clear(scratch);
    newMatcher(scratches);
  }

  const events: MatcherEvents = {
    onReady() {
      noteStarted();
      dispatch();
    },
    onDone(matcher) {
      collect(matcher);
      dispatch();
    },
    onLost(matcher, error) {
      const job = matchers.get(matcher);
      matchers.delete(matcher);
      if (!matcher.hasMatched) fruitless++;
      const isReplaced = fruitless < MOST_FRUITLESS;
      if (isReplaced) replace(matcher);
      if (job !== undefined) askBack(job, job.next + matcher.given);
      if (job !== undefined && job.next < job.lines.length) waiting.unshift(job);
      onLost({ error, isReplaced });
      noteStarted();
      dispatch();
    },
  };

  for (let count = 0; count < threads; count++) newMatcher(engines.map((engine) => engine.open()));

  return {
    get size() {
      return matchers.size;
    },
    started,
    match(engine, lines, take) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const end = (error?: unknown): void => (error === undefined ? resolve() : reject(error));
      if (lines.length === 0) end();
      else waiting.push({ engine, lines, take, end, next: 0 });
      dispatch();
      return promise;
    },
    settle(engine) {
      let hasStopped = false;
      for (const [matcher, job] of matchers) if (job?.engine === engine) matcher.stop();
      for (const [matcher, job] of matchers) {
        if (job?.engine !== engine) continue;
        matcher.waitUntilStopped();
        collect(matcher);
        hasStopped = true;
      }
      if (hasStopped) dispatchSoon();
    },
    async close() {
      const ending = [...matchers.keys()].map((matcher) => matcher.close());
      for (const [matcher, job] of matchers) {
        matchers.set(matcher, undefined);
        if (job !== undefined) askBack(job, job.lines.length);
      }
      matchers.clear();
      onStarted();
      dispatch();
      await Promise.all(ending);
    },
  };
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
