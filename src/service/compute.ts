/**
 * Work that only reads and computes runs whole in a compute thread, beside the thread that answers requests. A job is such
 * work by name: the thread finds it by its name, and gives it a read view of the store.
 */
import { createFairQueue, type FairQueue, QueueFullError, type QueueLimits } from '../base/fair-queue.ts';
import { limitReached, MAX_WAITING_PREVIEWS } from './limits.ts';

export interface Job<World, Input, Output> {
  readonly name: string;
  /** Input and output are plain data: they travel between threads. */
  run(world: World, input: Input): Promise<Output>;
}

/** The account that asks for a job, and the listener that hears of it. */
export interface ComputeWish {
  readonly accountId: string;
  /** Aborts when nobody wants the answer any more. */
  readonly signal: AbortSignal;
  /** It goes on with work that was let in before. */
  readonly isFurtherPart?: boolean;
  /** Hears how many milliseconds of CPU the job took. */
  readonly onCpu?: ((milliseconds: number) => void) | undefined;
}

export interface Compute<World> {
  run<Input, Output>(job: Job<World, Input, Output>, input: Input, wish: ComputeWish): Promise<Output>;
}

export type ComputeQueue = (wish: ComputeWish) => <T>(work: () => Promise<T>) => Promise<T>;

/** Accounts take turns, and none fills the queue. */
export function createComputeQueue(limits: Omit<QueueLimits, 'maxWaiting'> = {}): ComputeQueue {
  const queue: FairQueue = createFairQueue({ ...limits, maxWaiting: MAX_WAITING_PREVIEWS });
  return ({ accountId, signal, isFurtherPart }) =>
    async (work) => {
      try {
        return await queue.run(accountId, work, { signal, isFurtherPart });
      } catch (error) {
        if (!(error instanceof QueueFullError)) throw error;
        throw limitReached(
          'previews_waiting',
          `${MAX_WAITING_PREVIEWS} requests of this account that read much are waiting already, which is the limit.`,
          { retryAfter: 5 },
        );
      }
    };
}

/** Without threads, jobs run where they are asked for, one at a time: for tests, and for a store in memory. */
export function computeHere<World extends { checkpoint(): void }>(world: () => World): Compute<World> {
  const queue = createComputeQueue();
  return {
    run: (job, input, wish) =>
      queue(wish)(async () => {
        const before = process.threadCpuUsage();
        try {
          return await job.run({ ...world(), checkpoint: () => wish.signal.throwIfAborted() }, input);
        } finally {
          wish.onCpu?.(milliseconds(process.threadCpuUsage(before)));
        }
      }),
  };
}

export const milliseconds = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1_000;
