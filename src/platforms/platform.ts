/**
 * The contract of a platform: it takes registrations and yields arrivals. Local and upstream platforms both keep it, and
 * one suite (`test/conformance/platform.ts`) tests them. A call that fails throws a `PlatformError`.
 */

import type { Clock } from '../base/clock.ts';
import type { Gap } from '../domain/coverage.ts';
import type { Payload } from '../domain/match.ts';
import type { Platform } from '../domain/platform.ts';
import type { RuleFlags } from '../domain/rule.ts';

export interface LivePlatform {
  readonly name: Platform;
  /** Our engine matches all events of a local platform. An upstream sends only the events that its rules matched. */
  readonly shape: 'local' | 'upstream';
  /** Asks whether the platform accepts the value, and changes nothing. Throws `refused` if it does not. */
  validate(value: string, flags: RuleFlags): Promise<void>;
  /**
   * Registers these values in as few calls as possible. The answers are in the order of the values. A value that the
   * platform holds already is adopted: equal values are held once, under one id. Throws if no call succeeded at all.
   */
  register(wanted: readonly Wanted[]): Promise<readonly Registered[]>;
  /** Removes registrations. An id that the platform does not hold is not an error. */
  unregister(platformRuleIds: readonly string[]): Promise<void>;
  /** All registrations there, also those that other programs made. A local platform keeps no list. */
  held(): Promise<readonly HeldRule[]>;
  capacity(): Promise<Capacity>;
  /** Yields items from the committed cursor on until the signal aborts, and reconnects by itself. A local platform yields nothing: sources push to it. */
  stream(control: StreamControl): AsyncIterable<StreamItem>;
  /** Posts that the platform announces as deleted. Absent where it announces none. */
  readonly deletions?: DeletionFeed;
  /** The endpoint of ours to which the platform delivers; its stream is then what came there. */
  readonly webhook?: WebhookEndpoint;
}

/** Every node answers there. What is stored reaches the stream, whichever node reads it. */
export interface WebhookEndpoint {
  /** The answer that proves the endpoint to be ours; undefined if that is not what is asked. */
  respond(token: unknown): string | undefined;
  /** Resolves when the delivery is durable. What is `unsigned` was not looked at. */
  receive(body: Uint8Array, signature: unknown): Promise<'stored' | 'unsigned'>;
  /** A delivery of the platform broke off. */
  failed(): void;
}

export interface DeletionFeed {
  /** They are read side by side: each brings some of the posts. */
  readonly parts: readonly string[];
  /** From a time on, or from now on, until the signal aborts. It connects again by itself, and may repeat posts. */
  read(part: string, since: Date | undefined, signal: AbortSignal): AsyncIterable<Deletions>;
}

export interface Deletions {
  readonly postIds: readonly string[];
  /** Everything that was deleted before has been read. */
  readonly through: Date;
}

/** A value to register. The tag tells our registrations from those of others. */
export interface Wanted {
  readonly value: string;
  readonly flags: RuleFlags;
  readonly tag: string;
}

export type Registered =
  /** `adopted` says whether the platform held the value before, for us or for another program; left out if unknown. */
  { readonly id: string; readonly adopted?: boolean } | { readonly error: PlatformError };

export interface HeldRule {
  readonly id: string;
  readonly value: string;
  readonly flags: RuleFlags;
  readonly tag: string | undefined;
}

export interface Capacity {
  /** How many registrations the platform allows; undefined if it sets no limit. */
  readonly rules: number | undefined;
  readonly used: number;
  /** The longest value it accepts, as the platform's language counts length. */
  readonly length: number;
}

export interface StreamControl {
  readonly signal: AbortSignal;
  /** The cursor of the last item that is durable. A connection resumes from it, never from a later one. */
  committed(): string | undefined;
  /** Resolves when there is at least one registration: upstreams refuse a stream without rules. */
  rulesHeld(): Promise<void>;
}

export type StreamItem =
  | Arrival
  /** Nothing was sent, and nothing is missing up to `through`. */
  | { readonly kind: 'mark'; readonly cursor: string; readonly through: Date }
  | { readonly kind: 'state'; readonly state: StreamState; readonly reason?: string }
  /** A gap is told once when it opens, without `to`, and again when it closes, with the same `from`. */
  | { readonly kind: 'gap'; readonly gap: Omit<Gap, 'platform'> }
  /** A record that cannot be read. It is kept aside and the cursor moves past it, so that it is not read again. */
  | {
      readonly kind: 'broken';
      readonly cursor: string;
      readonly through: Date;
      readonly since?: Date;
      readonly reason: string;
      readonly sample: string;
    };

/** The cause of the gap that a broken record leaves. */
export type BrokenCause = 'broken';

/** An event, the cursor after it, and the registrations that it satisfies according to the upstream. */
export interface Arrival {
  readonly kind: 'arrival';
  readonly postId: string;
  readonly payload: Payload;
  readonly cursor: string;
  readonly verdicts: readonly string[];
  /** When it reached us. */
  readonly at: Date;
  /** Nothing that was published up to here is missing, except in gaps. It is earlier than `at`: upstreams deliver late. */
  readonly through: Date;
  /** The time since when posts were missing, for a replay that came beside new posts. This may be one of those. */
  readonly since?: Date;
}

export const STREAM_STATES = ['connecting', 'live', 'stalled', 'degraded'] as const;
export type StreamState = (typeof STREAM_STATES)[number];

/** The events that connectors count. Each is a label of one metric. */
export const STREAM_COUNTERS = [
  'connect',
  'disconnect',
  'stall',
  'suspect',
  'refused',
  'dup',
  'orphan',
  'late',
  'broken',
  'gap_benign',
  'spill',
  'unknown_message',
] as const;
export type StreamCounter = (typeof STREAM_COUNTERS)[number];

export type PlatformFault = 'refused' | 'limit' | 'unreachable' | 'timeout';

interface PlatformErrorOptions {
  readonly retryAfter?: number;
  readonly upstreamMessage?: string;
  readonly cause?: unknown;
}

export class PlatformError extends Error {
  override readonly name = 'PlatformError';
  readonly fault: PlatformFault;
  /** Seconds after which a retry makes sense. */
  readonly retryAfter: number | undefined;
  /** The upstream's own words, cleaned; `message` is ours. */
  readonly upstreamMessage: string | undefined;

  constructor(fault: PlatformFault, message: string, options: PlatformErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.fault = fault;
    this.retryAfter = options.retryAfter;
    this.upstreamMessage = options.upstreamMessage;
  }
}

/** The options that every connector to an upstream has. */
export interface UpstreamOptions {
  /** The upstream's address. The token is sent there and nowhere else. */
  readonly baseUrl: string;
  /** Called for each request, because the operator may replace the token while we run. */
  readonly token: () => string;
  readonly clock: Clock;
  /** A number from 0 up to 1, for the jitter of waits. */
  readonly random: () => number;
  readonly log: UpstreamLog;
  readonly count: (counter: StreamCounter) => void;
}

/** A logger like `pino`. Fields never contain tokens or the text of events. */
export interface UpstreamLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
