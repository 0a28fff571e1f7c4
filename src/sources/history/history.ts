/** History that a rule can be rehearsed on: events of the past, in parts, from any position that a part gave. */
import { idIn, recordIn, textIn } from '../../base/json.ts';
import type { Payload } from '../../domain/match.ts';
import { isPlatform, type Platform } from '../../domain/platform.ts';
import type { PostGlance } from '../contract/post.ts';
import { jsonOf } from '../text/read-items.ts';

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

// A record of a file as an event. It is what `POST /events` takes: a post in X's shape or a page in Firehose's; a match as
// Sluice exports it; or, in a table, a post with its fields side by side.

/** Returns undefined when the record is neither. */
export function eventOfRecord(value: unknown): HistoryEvent | undefined {
  const record = recordIn(value);
  if (record === undefined) return undefined;
  const { platform, payload, data, includes, url } = record;
  const held = typeof payload === 'string' ? recordIn(jsonOf(payload)) : recordIn(payload);
  if (held !== undefined && typeof platform === 'string' && isPlatform(platform))
    return { platform, payload: held, source: textIn(record['source']) };
  if (held !== undefined) return eventOfRecord(held);
  const post = typeof data === 'string' ? recordIn(jsonOf(data)) : recordIn(data);
  if (post !== undefined) {
    const added = typeof includes === 'string' ? recordIn(jsonOf(includes)) : recordIn(includes);
    return { platform: 'x', payload: added === undefined ? { data: post } : { data: post, includes: added } };
  }
  if (url === undefined && idIn(record['id']) !== undefined && textIn(record['text']) !== undefined)
    return { platform: 'x', payload: { data: { ...record, id: idIn(record['id']) } } };
  return { platform: 'firehose', payload: record };
}
