/**
 * A platform takes registrations and yields arrivals. Local and upstream ones keep this contract alike, and one suite
 * (`test/conformance/platform.ts`) holds them to it. What a platform cannot do it says with a `PlatformError`.
 */
import type { Event } from '../domain/event.ts';
import type { Platform } from '../domain/platform.ts';
import type { RuleFlags } from '../domain/rule.ts';

export interface LivePlatform {
  readonly name: Platform;
  /** A local platform is matched by our own engine over all events that reach it; an upstream shows only what rules caught. */
  readonly shape: 'local' | 'upstream';
  /** Asks whether the value would be taken, and changes nothing; throws `refused` when not. */
  validate(value: string, flags: RuleFlags): Promise<void>;
  /** Makes the platform hold this value, and answers its id there. Equal values are held once, under one id. */
  register(value: string, flags: RuleFlags): Promise<string>;
  /** The value is no longer held. An id that is not held is no error: the end is the same. */
  unregister(platformRuleId: string): Promise<void>;
  /** Events from the cursor on, until the signal aborts. A local platform has none of its own: sources push to it. */
  stream(from: string | undefined, signal: AbortSignal): AsyncIterable<Arrival>;
}

/** An event, where the stream resumes after it, and which registrations the upstream says it satisfied. */
export interface Arrival {
  readonly event: Event;
  readonly cursor: string;
  readonly verdicts: readonly string[];
}

export type PlatformFault = 'refused' | 'limit' | 'unreachable' | 'timeout';

export class PlatformError extends Error {
  override readonly name = 'PlatformError';
  readonly fault: PlatformFault;
  readonly retryAfter: number | undefined;

  constructor(fault: PlatformFault, message: string, options: { retryAfter?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.fault = fault;
    this.retryAfter = options.retryAfter;
  }
}
