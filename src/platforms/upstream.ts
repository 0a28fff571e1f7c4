/** What every connector to an upstream is given. */
import type { Clock } from '../base/clock.ts';
import type { StreamCounter } from './platform.ts';

export interface UpstreamOptions {
  /** Where the upstream is; the token is sent there and nowhere else. */
  readonly baseUrl: string;
  /** Asked at each call: a token may be replaced while we run. */
  readonly token: () => string;
  readonly clock: Clock;
  /** From 0 up to 1, for the jitter of waits. */
  readonly random: () => number;
  readonly log: UpstreamLog;
  readonly count: (counter: StreamCounter) => void;
}

/** A logger as `pino` is one. Fields never hold tokens or the text of events. */
export interface UpstreamLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
