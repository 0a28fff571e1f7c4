/**
 * Reads feeds and pages in a thread of its own: a large document takes a while, and a hostile one may take for ever. A
 * thread that takes over 20 seconds or runs out of memory is terminated; the next document gets a new thread.
 */
import { Worker } from 'node:worker_threads';
import type { Clock } from '../../base/clock.ts';
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
}

export interface ReadRequest {
  readonly what: keyof DocumentReader;
  readonly document: FetchedDocument;
}

export interface OpenDocumentReader extends DocumentReader, AsyncDisposable {}

const PATIENCE_MS = 20_000;
/** Documents come one at a time. Without a bound the thread takes as much room for new objects as one that commits many at once. */
const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 12 };

/** The published package holds JavaScript. */
const ENTRY = import.meta.url.endsWith('.ts')
  ? new URL('./document-reader-worker.ts', import.meta.url)
  : new URL('./document-reader-worker.js', import.meta.url);

export function openDocumentReader(clock: Clock): OpenDocumentReader {
  let worker: Worker | undefined;
  let last: Promise<unknown> = Promise.resolve();

  /** One document after another, so that the thread is only ever slow because of one of them. */
  function read(request: ReadRequest): Promise<unknown> {
    const answer = last.then(() => readNow(request));
    last = answer.catch(() => {});
    return answer;
  }

  function startThread(): Worker {
    const thread = new Worker(ENTRY, { resourceLimits: MEMORY });
    // One that was given up may still run out of memory: an error that nobody hears would end the process.
    thread.on('error', () => {
      if (worker === thread) worker = undefined;
    });
    return thread;
  }

  async function readNow(request: ReadRequest): Promise<unknown> {
    worker ??= startThread();
    const thread = worker;
    try {
      return await ask(thread, request, clock);
    } catch (error) {
      worker = undefined;
      await thread.terminate();
      throw new SourceError(`${request.document.url} cannot be read.`, { cause: error });
    }
  }

  return {
    feed: async (document) => (await read({ what: 'feed', document })) as Feed | undefined,
    page: async (document) => (await read({ what: 'page', document })) as Article,
    facts: async (document) => (await read({ what: 'facts', document })) as PageFacts,
    sitemaps: async (document) => (await read({ what: 'sitemaps', document })) as string[],
    [Symbol.asyncDispose]: async () => void (await worker?.terminate()),
  };
}

/** Rejects when the thread fails, ends, or takes too long. */
async function ask(thread: Worker, request: ReadRequest, clock: Clock): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const done = new AbortController();
  const late = async () => {
    await clock.sleep(PATIENCE_MS, done.signal);
    if (!done.signal.aborted) reject(new Error(`The document was not read within ${PATIENCE_MS / 1_000} seconds.`));
  };
  thread.ref();
  thread.once('message', resolve).once('error', reject).once('exit', reject);
  void late();
  try {
    thread.postMessage(request, []);
    return await promise;
  } finally {
    done.abort('read');
    thread.off('message', resolve).off('error', reject).off('exit', reject);
    thread.unref();
  }
}
