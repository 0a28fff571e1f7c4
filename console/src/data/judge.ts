/**
 * New matches under a filter that only the server can apply: how it reads texts, authors, domains and languages out of a
 * payload is its own. What the stream brings is the sign to ask for the list again, at most once in two seconds.
 */
import type { Match } from '../../../packages/client/src/index.ts';
import type { FeedFilter } from './feed-filter.ts';

export const isJudgedThere = ({ text, author, domain, language }: FeedFilter): boolean =>
  [text, author, domain, language].some((value) => value !== undefined);

export interface JudgeDeps {
  /** The matches of the filter that were stored at or after this time, newest first. */
  ask(since: string): Promise<readonly Match[]>;
  /** The matches that are shown already, or about to be. */
  known(): readonly Match[];
  /** Newest first. */
  add(matches: readonly Match[]): void;
  onFailure(error: unknown): void;
}

export interface Judge {
  consider(match: Match): void;
  stop(): void;
}

const EVERY = 2_000;

export function createJudge({ ask, known, add, onFailure }: JudgeDeps): Judge {
  /** When the oldest match that was not judged yet was stored. */
  let oldest: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStopped = false;
  const plan = () => {
    timer ??= setTimeout(() => {
      const since = oldest!;
      oldest = undefined;
      void run(since);
    }, EVERY);
  };

  async function run(since: string): Promise<void> {
    try {
      const matches = await ask(since);
      const seen = new Set(known().map(({ id }) => id));
      if (!isStopped) add(matches.filter(({ id }) => !seen.has(id)));
    } catch (error) {
      // The next arrival asks for these, too.
      oldest = earlier(oldest, since);
      timer = undefined;
      return onFailure(error);
    }
    timer = undefined;
    if (oldest !== undefined && !isStopped) plan();
  }

  return {
    consider({ created_at }) {
      oldest = earlier(oldest, created_at);
      plan();
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

/** Times of the API are texts of one length, so the earlier one is the smaller text. */
const earlier = (one: string | undefined, other: string): string => (one === undefined || other < one ? other : one);
