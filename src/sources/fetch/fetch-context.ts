/** The tools that fetching needs from its source. */
import type { Clock } from '../../base/clock.ts';
import type { SourceHttp } from './fetch-url.ts';

/** A part of a round of addresses, which are then visited one after another. */
export interface RoundPart {
  /** The address to begin with. */
  readonly from: number;
  /** Whether to leave the others to the next part, once one was visited. */
  isOver(): boolean;
  /** Told the address that the next part begins with. */
  goOnAt(address: number): void;
}

export interface FetchContext {
  readonly clock: Clock;
  readonly http: SourceHttp;
  readonly signal: AbortSignal;
  readonly part?: RoundPart | undefined;
  /** A connection stands, or an answer came, even when it brought no page. */
  live(): void;
  /** Reports a problem that the source copes with by itself. Status shows it; nothing else happens. */
  trouble(message: string): void;
}
