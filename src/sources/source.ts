/**
 * A source yields events and knows nothing of rules. Every source keeps this contract, whether it holds a connection
 * open, asks on a schedule or reads a file: it is opened, goes on from a cursor, yields pages, and stops on a signal.
 * It throws when it breaks; `run.ts` opens it again after a while, from the cursor of what was stored.
 */
import type { Clock } from '../base/clock.ts';
import type { Reader } from './fetch/document-reader.ts';
import type { Http } from './fetch/fetch-url.ts';
import type { Page } from './page.ts';

export interface Source {
  /** Tells it from all others; its cursors go by this name. */
  readonly name: string;
  readonly kind: string;
  /** What happens from the stored cursor on. Ends when there is nothing more to come, or the signal aborts. */
  read(desk: Desk): AsyncIterable<Arrival>;
}

/** Pages, and where to go on once they are stored; either may be missing. */
export interface Arrival {
  readonly pages: readonly Page[];
  readonly cursor?: SourceCursor;
}

export interface SourceCursor {
  /** For a source that follows many things, each with a place of its own: which of them. */
  readonly key?: string;
  readonly value: string;
}

/** What a source is given to work with. */
export interface Desk {
  readonly clock: Clock;
  readonly http: Http;
  /** Reads feeds and pages, out of the way of everything else. */
  readonly reader: Reader;
  readonly signal: AbortSignal;
  /** The value that was stored last, under this key or under none. */
  cursor(key?: string): Promise<string | undefined>;
  /** A connection stands, or an answer came, even when it brought no page. */
  live(): void;
  /** Something went wrong that the source copes with by itself: it is shown, and nothing else happens. */
  trouble(message: string): void;
}

/** A source broke off. The message is for the operator. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  /** Seconds that the other side asked us to stay away. */
  readonly retryAfter: number | undefined;

  constructor(message: string, options: { retryAfter?: number | undefined; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.retryAfter = options.retryAfter;
  }
}
