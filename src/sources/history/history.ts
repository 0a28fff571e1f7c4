/** History that a rule can be rehearsed on: events of the past, in parts, from any position that a part gave. */
import type { Payload } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import type { PostGlance } from '../contract/post.ts';

export interface HistoryEvent {
  readonly platform: Platform;
  readonly payload: Payload;
  /** When it arrived, in milliseconds; undefined where only its own time is known. */
  readonly at?: number | undefined;
  /** The source that would have brought it. */
  readonly source?: string | undefined;
  /** Absent where the payload is at hand, and where an analyzer may refuse it. */
  readonly glance?: PostGlance | undefined;
}

export interface HistoryPart {
  readonly events: readonly HistoryEvent[];
  /** Records that are no events. */
  readonly unreadable: number;
  /** Reading goes on after this part when it is opened there; undefined where it can only begin anew. */
  readonly position: string | undefined;
  /** From 0 to 1; undefined when the size is not known. */
  readonly progress: number | undefined;
}

export interface HistoryOptions {
  /** Events of other platforms are not made. */
  readonly platforms: readonly Platform[];
  readonly position: string | undefined;
  readonly signal: AbortSignal;
}

/** A span of time, in milliseconds. */
export interface HistorySpan {
  readonly from: number;
  readonly to: number;
}

/** An archive of a source. */
export interface HistoryArchive {
  read(span: HistorySpan, options: HistoryOptions): AsyncIterable<HistoryPart>;
}

/** The history is not as the caller believes. The message is for the caller. */
export class HistoryError extends Error {
  override readonly name = 'HistoryError';
}
