/** The tools that fetching needs from its source. */
import type { Clock } from '../../base/clock.ts';
import type { SourceHttp } from './fetch-url.ts';

export interface FetchContext {
  readonly clock: Clock;
  readonly http: SourceHttp;
  readonly signal: AbortSignal;
  /** A connection stands, or an answer came, even when it brought no page. */
  live(): void;
  /** Reports a problem that the source copes with by itself. Status shows it; nothing else happens. */
  trouble(message: string): void;
}
