/** The options that every connector to an upstream has. */
import type { Clock } from '../base/clock.ts';
import type { StreamCounter } from './platform.ts';

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
