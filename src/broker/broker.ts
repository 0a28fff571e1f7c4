/**
 * The broker carries packs of events from whoever takes them in to whoever matches them, and the answers back. It is a
 * conveyor and holds no truth: a pack is kept until its matches are in the store, and whoever sent it sends it again
 * when no answer comes. That a pack may be matched twice is no harm: a match is what it is, and is stored once.
 */
import type { Platform } from '../domain/platform.ts';

/** Some lines of one push, whole. */
export interface Pack {
  readonly platform: Platform;
  /** Whose rules see the events; everybody's when undefined. */
  readonly accountId: string | undefined;
  /** NDJSON in UTF-8. */
  readonly lines: Uint8Array;
}

/** What became of a pack, once all that was accepted of it is durable. */
export interface Answer {
  readonly accepted: number;
  readonly matches: number;
  /** Lines count from 1, within the pack. */
  readonly rejected: readonly { readonly line: number; readonly problem: string }[];
  readonly moreRejected: number;
}

export interface Broker extends AsyncDisposable {
  /** How large a pack of several lines should be at most; a single line may be larger. */
  readonly packBytes: number;
  /** Resolves when the pack's matches are durable. Throws a `BrokerError` when nobody has said so for too long. */
  ask(pack: Pack): Promise<Answer>;
  /**
   * Takes packs until the signal aborts, several at a time. A pack that cannot be answered for, because `match` throws
   * or because this process ends, goes to another matcher.
   */
  serve(match: (pack: Pack) => Promise<Answer>, signal: AbortSignal): Promise<void>;
  /** Why nothing goes through at the moment; undefined when all is well. */
  readonly trouble: string | undefined;
}

export class BrokerError extends Error {
  override readonly name = 'BrokerError';
  /** `too-large`: it will never go through. `unavailable`: perhaps later. */
  readonly reason: 'too-large' | 'unavailable';

  constructor(reason: BrokerError['reason'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
