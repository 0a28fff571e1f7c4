/**
 * Reads feeds and pages in a thread of its own: a large document takes a while, and a hostile one may take for ever. A
 * thread that takes over 20 seconds or runs out of memory, or whose document nobody waits for any more, is terminated; the next
 * document gets a new thread. Owners take turns, so that one with many documents delays itself.
 */
import { Worker } from 'node:worker_threads';
import type { Clock } from '../../base/clock.ts';
import { createFairQueue } from '../../base/fair-queue.ts';
import type { ApiList } from '../feeds/api-lists.ts';
import type { Feed } from '../feeds/feed.ts';
import { SourceError } from '../fetch/source-error.ts';
import type { Article, PartWish } from '../watch/main-text.ts';
import type { PageFacts } from '../watch/page-facts.ts';

export interface DocumentReader {
  /** Returns undefined when the document is no feed. */
  feed(document: FetchedDocument): Promise<Feed | undefined>;
  page(document: FetchedDocument): Promise<Article>;
  /** The offers of a page to programs. */
  facts(document: FetchedDocument): Promise<PageFacts>;
  /** The sitemaps that a document lists, the one that changed last on top. */
  sitemaps(document: FetchedDocument): Promise<string[]>;
}

export interface FetchedDocument {
  readonly bytes: Uint8Array;
  readonly contentType: string | undefined;
  readonly url: string;
  /** The part of a page to read. */
  readonly part?: PartWish;
  /** The list of an API that it is; a feed is any other. */
  readonly list?: ApiList | undefined;
}

export interface ReadRequest {
  readonly what: keyof DocumentReader;
  readonly document: FetchedDocument;
}

/** The answer of the thread. */
export interface ReadAnswer {
  readonly read: unknown;
  readonly cpuMs: number;
}

/** The owner of the documents that are read, and the listener that hears of it. */
export interface ReadWish {
  readonly owner: string;
  /** Aborts when nobody wants them any more. */
  readonly signal?: AbortSignal;
  /** Hears how many milliseconds of CPU a document took. */
  readonly onCpu?: (milliseconds: number) => void;
}

export interface OpenDocumentReader extends DocumentReader, AsyncDisposable {}

/** By itself it reads for the operator. */
export interface SharedReader extends OpenDocumentReader {
  for(wish: ReadWish): DocumentReader;
}

const PATIENCE_MS = 20_000;
/** Documents come one at a time. Without a bound the thread takes as much room for new objects as one that commits many at once. */
const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 12 };

/** The published package holds JavaScript. */
const ENTRY = import.meta.url.endsWith('.ts')
  ? new URL('./document-reader-worker.ts', import.meta.url)
  : new URL('./document-reader-worker.js', import.meta.url);

export function openDocumentReader(clock: Clock): SharedReader {
  let worker: Worker | undefined;
  // One document after another, so that the thread is only ever slow because of one of them.
  const queue = createFairQueue({ maxWaiting: Number.POSITIVE_INFINITY });

  async function readNow(request: ReadRequest, { signal, onCpu }: ReadWish): Promise<unknown> {
    worker ??= startThread((lost) => {
      if (worker === lost) worker = undefined;
    });
    const thread = worker;
    const begun = clock.elapsed();
    try {
      const { read, cpuMs } = await ask(thread, request, clock, signal);
      onCpu?.(cpuMs);
      return read;
    } catch (error) {
      // A thread that was lost says nothing of its CPU: it had a core for itself.
      onCpu?.(clock.elapsed() - begun);
      worker = undefined;
      await thread.terminate();
      throw error;
    }
  }

  const readerFor = (wish: ReadWish): DocumentReader =>
    readerBy((request) =>
      queue
        .run(wish.owner, () => readNow(request, wish), { signal: wish.signal })
        .catch((error: unknown) => {
          throw new SourceError(`${request.document.url} cannot be read.`, { cause: error });
        }),
    );

  return {
    ...readerFor({ owner: '' }),
    for: readerFor,
    [Symbol.asyncDispose]: async () => void (await worker?.terminate()),
  };
}

function startThread(onError: (thread: Worker) => void): Worker {
  const thread = new Worker(ENTRY, { resourceLimits: MEMORY });
  // One that was given up may still run out of memory: an error that nobody hears would end the process.
  thread.on('error', () => onError(thread));
  return thread;
}

const readerBy = (read: (request: ReadRequest) => Promise<unknown>): DocumentReader => ({
  feed: async (document) => (await read({ what: 'feed', document })) as Feed | undefined,
  page: async (document) => (await read({ what: 'page', document })) as Article,
  facts: async (document) => (await read({ what: 'facts', document })) as PageFacts,
  sitemaps: async (document) => (await read({ what: 'sitemaps', document })) as string[],
});

/** Rejects when the thread fails, ends, or takes too long, and when the signal aborts. */
async function ask(
  thread: Worker,
  request: ReadRequest,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<ReadAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<ReadAnswer>();
  const leave = () => reject(signal!.reason);
  const done = new AbortController();
  const late = async () => {
    await clock.sleep(PATIENCE_MS, done.signal);
    if (!done.signal.aborted) reject(new Error(`The document was not read within ${PATIENCE_MS / 1_000} seconds.`));
  };
  thread.ref();
  thread.once('message', resolve).once('error', reject).once('exit', reject);
  signal?.addEventListener('abort', leave, { once: true });
  void late();
  try {
    thread.postMessage(request, []);
    return await promise;
  } finally {
    done.abort('read');
    signal?.removeEventListener('abort', leave);
    thread.off('message', resolve).off('error', reject).off('exit', reject);
    thread.unref();
  }
}
