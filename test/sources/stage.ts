/** A source on a stage: run as the server runs it, over a store in memory that can be made to fail, and started again. */
import { systemClock } from '../../src/base/clock.ts';
import { PLATFORMS } from '../../src/domain/platform.ts';
import type { Page } from '../../src/sources/contract/page.ts';
import type { Post } from '../../src/sources/contract/post.ts';
import type { Source, SourceGap } from '../../src/sources/contract/source.ts';
import { createSourceHttp, type SourceHttp } from '../../src/sources/fetch/fetch-url.ts';
import type { DocumentReader } from '../../src/sources/reading/document-reader.ts';
import { readers } from '../../src/sources/reading/readers.ts';
import { type RunningSource, runSource, type Sink } from '../../src/sources/run.ts';

export interface Stage extends AsyncDisposable {
  /** The pages that were stored, in order. */
  readonly pages: Page[];
  /** The stored posts in X's shape, where the source has them. */
  readonly posts: Post[];
  /** The ids that were announced to be deleted, in order. */
  readonly erased: string[];
  /** The gaps that the source told of, in order. */
  readonly gaps: SourceGap[];
  readonly cursors: Map<string, string>;
  readonly troubles: string[];
  /** How many of the next commits fail, and how many have failed. */
  readonly fault: { commits: number; fired: number };
  readonly status: RunningSource['status'];
  /** Resolves when something holds; asked after everything that happens. */
  until(holds: () => boolean): Promise<void>;
  /** Ends the source; `start` runs it again, from what was stored. */
  stop(): Promise<void>;
  start(): void;
}

export const http = createSourceHttp({
  clock: systemClock,
  userAgent: 'sluice-tests',
  isPublic: () => false,
  timeoutMs: 20_000,
});

/** In the same thread: what a thread of its own adds is tested apart. */
export const reader: DocumentReader = {
  feed: async (document) => readers.feed(document),
  page: async (document) => readers.page(document),
  facts: async (document) => readers.facts(document),
  sitemaps: async (document) => readers.sitemaps(document),
};

export function stage(source: Source, startsAt?: string, client: SourceHttp = http): Stage {
  const pages: Page[] = [];
  const posts: Post[] = [];
  const erased: string[] = [];
  const gaps: SourceGap[] = [];
  const cursors = new Map<string, string>(startsAt === undefined ? [] : [[`source:${source.name}`, startsAt]]);
  const troubles: string[] = [];
  const fault = { commits: 0, fired: 0 };
  let waiting: { holds: () => boolean; resolve: () => void }[] = [];
  let stopping = new AbortController();
  let running: RunningSource;

  function happened(): void {
    const due = waiting.filter(({ holds }) => holds());
    waiting = waiting.filter((one) => !due.includes(one));
    for (const { resolve } of due) resolve();
  }

  const sink: Sink = {
    cursor: async (name) => cursors.get(name),
    async erase(postIds) {
      erased.push(...postIds);
      setImmediate(happened);
    },
    async noteGaps(noted) {
      gaps.push(...noted);
      setImmediate(happened);
    },
    async add(added, cursor, addedPosts) {
      if (fault.commits > 0) {
        fault.commits--;
        fault.fired++;
        throw new Error('the store is full');
      }
      pages.push(...added);
      posts.push(...addedPosts);
      if (cursor !== undefined) cursors.set(cursor.name, cursor.value);
      setImmediate(happened);
      return [];
    },
  };

  function start(): void {
    stopping = new AbortController();
    running = runSource(source, sink, {
      clock: systemClock,
      http: client,
      reader,
      signal: stopping.signal,
      platforms: PLATFORMS,
      pauses: [5],
      onTrouble: (message) => {
        troubles.push(message);
        setImmediate(happened);
      },
    });
  }

  async function stop(): Promise<void> {
    stopping.abort();
    await running.done;
  }

  start();
  return {
    pages,
    posts,
    erased,
    gaps,
    cursors,
    troubles,
    fault,
    get status() {
      return running.status;
    },
    until: (holds) =>
      new Promise((resolve) => {
        waiting.push({ holds, resolve });
        happened();
      }),
    start,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** How `expect.poll` asks: often, and with patience for a busy machine. */
export const PATIENCE = { timeout: 120_000, interval: 10 };

/** The passages of a page, each with its sign. */
export const passages = (page: Page): string[] => {
  const { chunks = [] } = (page['diff'] ?? {}) as { chunks?: { typ: string; text: string }[] };
  return chunks.map(({ typ, text }) => `${typ === 'ins' ? '+' : '-'}${text}`);
};
