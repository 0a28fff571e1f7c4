/**
 * Compute threads: work that only reads and computes runs there, so that the main thread answers meanwhile. Threads start
 * when they are first needed and end when nothing was asked for a while. Accounts take turns. Work that takes too long, or
 * that nobody waits for any more, is told to stop; when it does not, its thread is ended, and another takes its place.
 */
import { Worker } from 'node:worker_threads';
import type { Clock } from '../base/clock.ts';
import { type Compute, type ComputeWish, createComputeQueue, type Job } from '../service/compute.ts';
import type { ReadContext } from '../service/context.ts';
import { ServiceError } from '../service/errors.ts';
import type { Log, Metrics } from '../service/telemetry.ts';
import { answerOfReply, type ThreadAnswer, type ThreadOrder, type ThreadQuestion } from './messages.ts';

/** Room for new objects, of which V8 uses two thirds. */
const NEW_OBJECTS_MB = 48;

export interface ComputeLimits {
  /** How long one job may take. */
  readonly jobMs: number;
  /** How long a job may take to stop, before its thread is ended. */
  readonly stopMs: number;
  /** How long a thread without work is kept: it takes a second to start. */
  readonly idleMs: number;
  /** The memory of one thread, in MiB. */
  readonly memory: number;
}

const LIMITS: ComputeLimits = { jobMs: 30_000, stopMs: 1_000, idleMs: 300_000, memory: 512 };

export interface ComputeThreadsDeps {
  /** How many there are at most. */
  readonly threads: number;
  readonly order: ThreadOrder;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'computed' | 'computeThreadLost'>;
  /** Resolves when a thread can read what was committed until now. */
  readonly ready?: () => Promise<void>;
  readonly limits?: Partial<ComputeLimits>;
  /** The program that the threads run. */
  readonly program?: URL;
}

export interface ComputeThreads extends Compute<ReadContext>, AsyncDisposable {
  /** Threads that run or wait for work. */
  readonly size: number;
}

/** The published package holds JavaScript. */
const ENTRY = import.meta.url.endsWith('.ts')
  ? new URL('./compute-thread.ts', import.meta.url)
  : new URL('./compute-thread.js', import.meta.url);

interface Thread {
  readonly worker: Worker;
  /** Settles when the thread has ended: with why, if it was not told to. */
  readonly ended: Promise<Error>;
  /** Aborts when it gets work, or is ended. */
  idle: AbortController;
  /** Whether we have ended it ourselves. */
  isEnded: boolean;
}

export function createComputeThreads(deps: ComputeThreadsDeps): ComputeThreads {
  const { threads: most, clock, log, metrics } = deps;
  const limits: ComputeLimits = { ...LIMITS, ...deps.limits };
  // One account leaves a thread to the others where there are several.
  const queue = createComputeQueue({ atOnce: most, ofOneOwner: Math.max(1, most - 1) });
  const all = new Set<Thread>();
  const free: Thread[] = [];

  function start(): Thread {
    const worker = new Worker(deps.program ?? ENTRY, {
      workerData: deps.order,
      name: 'compute',
      resourceLimits: { maxOldGenerationSizeMb: limits.memory, maxYoungGenerationSizeMb: NEW_OBJECTS_MB },
    });
    const { promise: ended, resolve } = Promise.withResolvers<Error>();
    const thread: Thread = { worker, ended, idle: new AbortController(), isEnded: false };
    worker.once('error', resolve).once('exit', () => resolve(new Error('The thread has ended.')));
    all.add(thread);
    void ended.then(() => forget(thread));
    return thread;
  }

  function forget(thread: Thread): void {
    all.delete(thread);
    const at = free.indexOf(thread);
    if (at >= 0) free.splice(at, 1);
  }

  function take(): Thread {
    const thread = free.pop() ?? start();
    thread.idle.abort();
    thread.worker.ref();
    return thread;
  }

  function giveBack(thread: Thread): void {
    if (!all.has(thread)) return;
    thread.worker.unref();
    thread.idle = new AbortController();
    free.push(thread);
    const { signal } = thread.idle;
    void clock.sleep(limits.idleMs, signal).then(() => (signal.aborted ? undefined : end(thread)));
  }

  async function end(thread: Thread): Promise<void> {
    thread.isEnded = true;
    thread.idle.abort();
    forget(thread);
    await thread.worker.terminate();
  }

  /** The reply of the thread, or why there is none. A race with `ended` would keep every reply for as long as the thread lives. */
  function ask(thread: Thread, question: ThreadQuestion): Promise<ThreadAnswer | Error> {
    if (!all.has(thread)) return thread.ended;
    const { worker } = thread;
    return new Promise((resolve) => {
      const exited = () => settle(new Error('The thread has ended.'));
      const settle = (answer: ThreadAnswer | Error) => {
        worker.off('message', settle).off('error', settle).off('exit', exited);
        resolve(answer);
      };
      worker.on('message', settle).on('error', settle).on('exit', exited);
      worker.postMessage(question, []);
    });
  }

  /** Tells the job to stop, and ends its thread when it does not. */
  async function stopJob(thread: Thread, { stop }: ThreadQuestion, isDone: AbortSignal): Promise<void> {
    Atomics.store(stop, 0, 1);
    await clock.sleep(limits.stopMs, isDone);
    if (isDone.aborted) return;
    metrics.computeThreadLost();
    await end(thread);
  }

  function lost(thread: Thread, error: Error, job: string): ServiceError {
    if (!thread.isEnded) {
      metrics.computeThreadLost();
      log.error({ err: error, job }, 'a compute thread has ended; another one takes its place');
    }
    return isOutOfMemory(error)
      ? tooMuchMemory()
      : new ServiceError('unavailable', LOST, { retryAfter: 1, cause: error });
  }

  async function runOn(thread: Thread, question: ThreadQuestion, signal: AbortSignal, wish: ComputeWish) {
    const done = new AbortController();
    const begun = clock.elapsed();
    const onStop = () => void stopJob(thread, question, done.signal);
    signal.addEventListener('abort', onStop, { once: true });
    try {
      const reply = await ask(thread, question);
      // A thread that was lost says nothing of its CPU: it had a core for itself.
      wish.onCpu?.(reply instanceof Error ? clock.elapsed() - begun : reply.cpuMilliseconds);
      if (reply instanceof Error) throw lost(thread, reply, question.job);
      metrics.computed(reply.cpuMilliseconds / 1_000);
      return answerOfReply(reply);
    } finally {
      done.abort();
      signal.removeEventListener('abort', onStop);
      giveBack(thread);
    }
  }

  /** The caller hears at once that its time is over; the thread is free when the job has stopped. */
  async function run(job: string, input: unknown, wish: ComputeWish): Promise<unknown> {
    const over = new AbortController();
    const signal = AbortSignal.any([wish.signal, over.signal]);
    const done = new AbortController();
    const isOver = Promise.withResolvers<never>();
    const onOver = () => isOver.reject(signal.reason);
    signal.addEventListener('abort', onOver, { once: true });
    const working = queue(wish)(async () => {
      void clock.sleep(limits.jobMs, done.signal).then(() => done.signal.aborted || over.abort(tooLong(limits.jobMs)));
      try {
        // A store that hangs keeps the place in the queue no longer than the job may take.
        if (deps.ready !== undefined) await Promise.race([deps.ready(), isOver.promise]);
        // A caller that has gone meanwhile is not heard any more: its work would never be told to stop.
        signal.throwIfAborted();
        const question = { job, input, stop: new Int32Array(new SharedArrayBuffer(4)) };
        return await runOn(take(), question, signal, wish);
      } finally {
        done.abort();
      }
    });
    working.catch(() => {});
    isOver.promise.catch(() => {});
    // Node keeps a joined signal for as long as somebody listens to it.
    return Promise.race([working, isOver.promise]).finally(() => signal.removeEventListener('abort', onOver));
  }

  return {
    // The answer is what the job of that name answers: it travelled as plain data.
    run: async <Input, Output>(job: Job<ReadContext, Input, Output>, input: Input, wish: ComputeWish) =>
      (await run(job.name, input, wish)) as Output,
    get size() {
      return all.size;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...all].map(end));
    },
  };
}

const LOST = 'The thread that worked on this has ended. Try again.';

const isOutOfMemory = (error: Error): boolean => 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';

const ASK_FOR_LESS = 'Ask for less: a narrower filter, a shorter time, or a shorter rule.';

const tooMuchMemory = (): ServiceError =>
  new ServiceError('failed_precondition', `This request needs more memory than one may have. ${ASK_FOR_LESS}`, {
    details: { reason: 'out_of_memory' },
  });

const tooLong = (limit: number): ServiceError =>
  new ServiceError(
    'deadline_exceeded',
    `This took longer than ${limit / 1_000} seconds and was ended. ${ASK_FOR_LESS}`,
  );
