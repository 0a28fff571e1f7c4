/**
 * The broker carries packs of events from the process that received them to a process that matches them, and the answers
 * back. It holds no truth: a pack stays in the broker until its matches are in the store, and its sender publishes it
 * again when no answer comes. A pack that is matched twice does no harm, because equal matches are stored once.
 *
 * Beside that it may keep a log, for senders who wait for no answer. What the log took is nowhere else until it is stored, so
 * the log takes nothing unless it is seen to be durable.
 */
import type { TraceContext } from '../base/tracing.ts';
import type { Platform } from '../domain/platform.ts';

/** Some whole lines of one push. */
export interface Pack {
  readonly platform: Platform;
  /** The account whose rules see the events; undefined for all accounts. */
  readonly accountId: string | undefined;
  /** The source of the events. A node of an earlier version does not name it. */
  readonly source?: string | undefined;
  /** NDJSON in UTF-8. */
  readonly lines: Uint8Array;
  /** All of each event is kept: a source of our own made it. An earlier version does not say. */
  readonly isWhole?: boolean | undefined;
  /** The span that sent it, in the headers of the message; undefined where traces are off. */
  readonly trace?: TraceContext | undefined;
}

/** The result for a pack, sent once all its accepted events are durable. */
export interface PackAnswer {
  readonly accepted: number;
  readonly matches: number;
  /** Lines count from 1, within the pack. */
  readonly rejected: readonly { readonly line: number; readonly problem: string }[];
  readonly moreRejected: number;
  /** CPU that the matcher's thread spent on the lines; a matcher of the last release does not say. */
  readonly cpuMs?: number;
}

/** Matches a pack and stores the matches. */
export type MatchPack = (pack: Pack) => Promise<PackAnswer>;

export interface Broker extends AsyncDisposable {
  /** The most bytes of a pack of several lines; a single line may be larger. */
  readonly packBytes: number;
  /** Resolves when the pack's matches are durable. Throws a `BrokerError` when no matcher has answered in 45 s. */
  ask(pack: Pack): Promise<PackAnswer>;
  /**
   * Takes packs until the signal aborts, several at a time. A pack goes to another matcher when `match` throws or this
   * process ends.
   */
  serve(match: MatchPack, signal: AbortSignal): Promise<void>;
  /** Says something to every process, this one among them. Nobody hears it later: it may be lost. */
  tell(notice: string): void;
  /** Hears what processes say from now on. The answer ends it. */
  hear(onNotice: (notice: string) => void): () => void;
  /** The packs that wait in the broker, of all senders. */
  backlog(): Promise<BrokerBacklog>;
  /** It is undefined when the operator has given the log no room. */
  readonly log?: EventLog | undefined;
  /** Why no pack goes through now; undefined when packs go through. */
  readonly trouble: string | undefined;
}

export interface BrokerBacklog {
  /** Packs that no matcher has taken yet. */
  readonly waiting: number;
  /** Packs that a matcher works on. */
  readonly taken: number;
  /** Packs of these that were given out more than once. */
  readonly again: number;
}

/** Packs that are kept until they are stored. Those of an account are in one shard, in the order in which they were added. */
export interface EventLog {
  /** Why the log may lose what it took; undefined when it is seen to be durable. Throws when the broker does not answer. */
  problem(): Promise<string | undefined>;
  /** Resolves when the log has the pack durably. Throws a `BrokerError` when it does not take it. */
  append(pack: Pack): Promise<void>;
  /**
   * Hands over the packs of a shard, from the oldest on, several at a time, until the signal aborts. They leave the log when `store`
   * resolves; when it throws, they come again. Two readers of a shard do no harm: both go along the same packs.
   */
  read(shard: number, store: (packs: readonly LoggedPack[]) => Promise<void>, signal: AbortSignal): Promise<void>;
  /** Keeps a pack that the store refuses where no reader comes by, with the reason. Resolves when it is there durably. */
  setAside(pack: Pack, reason: string): Promise<void>;
  /** The packs that wait to be stored. */
  backlog(): Promise<LogBacklog>;
}

export const LOG_SHARDS = 8;

export interface LoggedPack extends Pack {
  /** When the log took it. */
  readonly at: Date;
}

export interface LogBacklog {
  readonly packs: number;
  readonly bytes: number;
  /** The most bytes that it takes. */
  readonly room: number;
  /** When the oldest pack came; undefined when none waits. */
  readonly since: Date | undefined;
  /** Packs that the store refused and that were put aside. */
  readonly aside: number;
}

export class BrokerError extends Error {
  override readonly name = 'BrokerError';
  /**
   * `too-large`: the pack can never go through. `unavailable`: it may go through later. `full`: the log has no room for it now.
   * `not-durable`: the log could lose it. `away`: there is no broker to connect to.
   */
  readonly reason: 'too-large' | 'unavailable' | 'full' | 'not-durable' | 'away';

  constructor(reason: BrokerError['reason'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
