/**
 * Feeds and pages are read in a thread of their own: a large one takes a while, and a hostile one may take for ever. A
 * thread that is too slow, or runs out of memory, is ended; the next reading gets a new one.
 */
import { Worker } from 'node:worker_threads';
import type { Clock } from '../../base/clock.ts';
import type { Feed } from '../feeds/feed.ts';
import { SourceError } from '../source.ts';
import type { Article } from '../watch/main-text.ts';

export interface Reader {
  /** Undefined when it is no feed. */
  feed(document: Fetched): Promise<Feed | undefined>;
  page(document: Fetched): Promise<Article>;
}

export interface Fetched {
  readonly bytes: Uint8Array;
  readonly contentType: string | undefined;
  readonly url: string;
}

export interface ReadRequest {
  readonly what: 'feed' | 'page';
  readonly document: Fetched;
}

export interface OpenReader extends Reader, AsyncDisposable {}

const PATIENCE_MS = 20_000;
const MEMORY_MB = 256;

/** The published package holds JavaScript. */
const ENTRY = import.meta.url.endsWith('.ts')
  ? new URL('./document-reader-worker.ts', import.meta.url)
  : new URL('./document-reader-worker.js', import.meta.url);

export function openReader(clock: Clock): OpenReader {
  let worker: Worker | undefined;
  let last: Promise<unknown> = Promise.resolve();

  /** One after another: then the one that is slow is known by name. */
  function ask(request: ReadRequest): Promise<unknown> {
    const answer = last.then(() => askNow(request));
    last = answer.catch(() => {});
    return answer;
  }

  async function askNow(request: ReadRequest): Promise<unknown> {
    worker ??= new Worker(ENTRY, { resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB } });
    const thread = worker;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const done = new AbortController();
    thread.ref();
    thread.once('message', resolve);
    thread.once('error', reject);
    thread.once('exit', reject);
    const late = async () => {
      await clock.sleep(PATIENCE_MS, done.signal);
      if (!done.signal.aborted) reject(new Error('it took too long'));
    };
    void late();
    try {
      thread.postMessage(request, []);
      return await promise;
    } catch (error) {
      worker = undefined;
      await thread.terminate();
      throw new SourceError(`${request.document.url} cannot be read.`, { cause: error });
    } finally {
      done.abort();
      thread.off('message', resolve).off('error', reject).off('exit', reject);
      thread.unref();
    }
  }

  return {
    feed: async (document) => (await ask({ what: 'feed', document })) as Feed | undefined,
    page: async (document) => (await ask({ what: 'page', document })) as Article,
    async [Symbol.asyncDispose]() {
      await worker?.terminate();
    },
  };
}
