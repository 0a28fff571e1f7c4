/**
 * A platform takes registrations and yields arrivals. Local and upstream ones keep this contract alike, and one suite
 * (`test/conformance/platform.ts`) holds them to it. What a platform cannot do it says with a `PlatformError`.
 */
import type { Gap } from '../domain/gap.ts';
import type { Payload } from '../domain/match.ts';
import type { Platform } from '../domain/platform.ts';
import type { RuleFlags } from '../domain/rule.ts';

export interface LivePlatform {
  readonly name: Platform;
  /** A local platform is matched by our own engine over all events that reach it; an upstream shows only what rules caught. */
  readonly shape: 'local' | 'upstream';
  /** Asks whether the value would be taken, and changes nothing; throws `refused` when not. */
  validate(value: string, flags: RuleFlags): Promise<void>;
  /**
   * Makes the platform hold these values, in as few calls as it can, and answers for each in its place. A value that
   * is held already is adopted: equal values are held once, under one id. Throws when nothing could be asked at all.
   */
  register(wanted: readonly Wanted[]): Promise<readonly Registered[]>;
  /** The values are no longer held. An id that is not held is no error: the end is the same. */
  unregister(platformRuleIds: readonly string[]): Promise<void>;
  /** Everything that is registered there, by whomever. A local platform keeps no list. */
  held(): Promise<readonly Held[]>;
  capacity(): Promise<Capacity>;
  /** What happens from the committed cursor on, until the signal aborts; it reconnects by itself. Local ones have nothing of their own: sources push to them. */
  stream(control: StreamControl): AsyncIterable<StreamItem>;
}

/** A value to be registered; the tag is how we know our own again. */
export interface Wanted {
  readonly value: string;
  readonly flags: RuleFlags;
  readonly tag: string;
}

export type Registered =
  /** `adopted` says whether it was held before, by us or by a stranger; left out where that is not known. */
  { readonly id: string; readonly adopted?: boolean } | { readonly error: PlatformError };

export interface Held {
  readonly id: string;
  readonly value: string;
  readonly flags: RuleFlags;
  readonly tag: string | undefined;
}

export interface Capacity {
  /** How many registrations the platform takes; undefined when it sets no limit. */
  readonly rules: number | undefined;
  readonly used: number;
  /** The longest value it takes, as the platform's language counts. */
  readonly length: number;
}

export interface StreamControl {
  readonly signal: AbortSignal;
  /** The cursor of the last arrival or mark that is durable; a connection resumes from it and from nothing later. */
  committed(): string | undefined;
  /** Resolves when there is at least one registration: a stream without rules is refused upstream. */
  rulesHeld(): Promise<void>;
}

export type StreamItem =
  | Arrival
  /** Nothing came, and nothing is missing: the stream was whole up to `at`. */
  | { readonly kind: 'mark'; readonly cursor: string; readonly at: Date }
  | { readonly kind: 'state'; readonly state: StreamState; readonly reason?: string }
  /** A gap opens without an end, and closes under the same `from`. */
  | { readonly kind: 'gap'; readonly gap: Omit<Gap, 'platform'> }
  /** A record that cannot be read: it is kept aside, and the cursor moves on, so that it is never met again. */
  | { readonly kind: 'broken'; readonly cursor: string; readonly reason: string; readonly sample: string };

/** An event, where the stream resumes after it, and which registrations the upstream says it satisfied. */
export interface Arrival {
  readonly kind: 'arrival';
  readonly postId: string;
  readonly payload: Payload;
  readonly cursor: string;
  readonly verdicts: readonly string[];
  /** When it reached us. */
  readonly at: Date;
}

export const STREAM_STATES = ['connecting', 'live', 'stalled', 'degraded'] as const;
export type StreamState = (typeof STREAM_STATES)[number];

/** What connectors count; each is a label of one metric. */
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

export class PlatformError extends Error {
  override readonly name = 'PlatformError';
  readonly fault: PlatformFault;
  /** Seconds after which asking again makes sense. */
  readonly retryAfter: number | undefined;

  constructor(fault: PlatformFault, message: string, options: { retryAfter?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.fault = fault;
    this.retryAfter = options.retryAfter;
  }
}
