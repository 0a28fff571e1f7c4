/**
 * Attempts to sinks in a thread of their own, which starts with the first of them: to load the client of Kafka takes half a second, and
 * to write a Parquet file some 30 ms, in which nobody else would be served.
 */
import { Worker } from 'node:worker_threads';
import type { Sent } from './outcome.ts';
import { failedToSend, type Send, type WebhookRequest } from './transport.ts';

export interface SinkThreadData {
  readonly allowPrivate: boolean;
}

/** An attempt, or the id of one that is to be aborted. */
export type SinkOrder = { readonly number: number } & (
  | { readonly request: Omit<WebhookRequest, 'signal'> }
  | { readonly isAborted: true }
);

export interface SinkAnswer {
  readonly number: number;
  readonly sent: Sent;
}

/** The published package holds JavaScript. */
const ENTRY = import.meta.url.endsWith('.ts')
  ? new URL('./sink-worker.ts', import.meta.url)
  : new URL('./sink-worker.js', import.meta.url);
/** A broker that answers without end takes this much memory at most. */
const MEMORY_MB = 256;

interface Thread {
  readonly worker: Worker;
  readonly waiting: Map<number, (sent: Sent) => void>;
}

export function createSinkThread(data: SinkThreadData, entry = ENTRY): Send {
  let current: Thread | undefined;
  let last = 0;

  function start(): Thread {
    const worker = new Worker(entry, { workerData: data, resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB } });
    const thread: Thread = { worker, waiting: new Map() };
    worker.on('message', ({ number, sent }: SinkAnswer) => thread.waiting.get(number)?.(sent));
    const lose = (): void => {
      // The next attempt starts another thread.
      if (current === thread) current = undefined;
      for (const answer of thread.waiting.values()) answer(failedToSend('The attempt broke off.'));
    };
    worker.on('error', lose).on('exit', lose);
    return thread;
  }

  return async ({ signal, webhook, ...request }) => {
    if (signal.aborted) return failedToSend('The attempt was aborted.');
    current ??= start();
    const { worker, waiting } = current;
    const number = ++last;
    const post = (order: SinkOrder): void => worker.postMessage(order, []);
    const abort = (): void => post({ number, isAborted: true });
    const { promise, resolve } = Promise.withResolvers<Sent>();
    waiting.set(number, resolve);
    worker.ref();
    signal.addEventListener('abort', abort, { once: true });
    post({ number, request: { ...request, ...(webhook && { webhook: ownerOf(webhook) }) } });
    const sent = await promise;
    signal.removeEventListener('abort', abort);
    waiting.delete(number);
    // An idle thread keeps no program from ending.
    if (waiting.size === 0) worker.unref();
    return sent;
  };
}

/** The secrets of the webhook stay where they are. */
const ownerOf = ({ id, accountId, confirmedUrl }: NonNullable<WebhookRequest['webhook']>) => ({
  id,
  accountId,
  ...(confirmedUrl !== undefined && { confirmedUrl }),
});
