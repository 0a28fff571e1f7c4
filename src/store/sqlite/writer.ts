/**
 * Where writes run: in a thread of their own, because a durable commit waits for the disk and the program must not.
 */
import { Worker } from 'node:worker_threads';
import { StoreError, type StoreFailure } from '../error.ts';
import type { Write, WriteOptions } from './writes.ts';

export interface Writer {
  readonly write: Write;
  readonly close: () => Promise<void>;
}

/** What the thread is told at its start. */
export interface WorkerData {
  readonly path: string;
  readonly options: WriteOptions;
}

export interface WriteRequest {
  readonly id: number;
  readonly name: string;
  readonly args: readonly unknown[];
}

export type WriteReply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly failure: { readonly reason: StoreFailure; readonly message: string } }
  | { readonly id: number; readonly error: unknown };

/** The published package is JavaScript, and its files are called so. */
const ENTRY = import.meta.url.endsWith('.ts')
  ? new URL('./worker.ts', import.meta.url)
  : new URL('./worker.js', import.meta.url);

interface Waiting {
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

export function threadWriter(data: WorkerData): Writer {
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let worker: Worker | undefined;
  let closed = false;

  function started(): Worker {
    const thread = new Worker(ENTRY, { workerData: data });
    thread.on('message', settle);
    thread.on('error', lose);
    thread.on('exit', () => lose(undefined));
    return thread;
  }
  function settle(reply: WriteReply): void {
    const { resolve, reject } = waiting.get(reply.id)!;
    waiting.delete(reply.id);
    // An idle thread keeps no program from ending.
    if (waiting.size === 0) worker?.unref();
    if ('result' in reply) resolve(reply.result as never);
    else reject('failure' in reply ? new StoreError(reply.failure.reason, reply.failure.message) : reply.error);
  }
  /** What was asked may or may not have been done; asking again is safe. The next call starts another thread. */
  function lose(cause: unknown): void {
    worker = undefined;
    const left = [...waiting.values()];
    waiting.clear();
    for (const { reject } of left)
      reject(new StoreError('unwritable', 'The writer of the store has ended.', { cause }));
  }
  return {
    write: (name, ...args) =>
      new Promise((resolve, reject) => {
        if (closed) throw new StoreError('defect', 'The store is closed.');
        worker ??= started();
        worker.ref();
        const request: WriteRequest = { id: ++lastId, name, args };
        waiting.set(request.id, { resolve, reject });
        worker.postMessage(request, []);
      }),
    async close() {
      closed = true;
      if (worker === undefined) return;
      const ended = new Promise((resolve) => worker!.once('exit', resolve));
      worker.ref();
      worker.postMessage(undefined, []);
      await ended;
    },
  };
}
