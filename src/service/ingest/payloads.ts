/** Reads a pushed line: one event, or a sentence that says what is wrong with it. */
import { createHash } from 'node:crypto';
import { idIn, isDeeperThan, recordIn } from '../../base/json.ts';
import type { Payload } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import { type Analyzer, type EventView, isRejection, type Rejection } from '../../engine/events/event-view.ts';
import { idProblem } from '../../engine/events/limits.ts';

/** Characters of a line. Reading a longer one would hold up everything else. */
const MAX_LINE = 1024 * 1024;
const MAX_DEPTH = 64;
/** Earlier versions of a post that are looked at. X lets a post be edited five times. */
const MAX_EDITS = 16;

/** A payload, with its text where the line holds nothing else; or what is wrong. */
export type LineReading =
  | { readonly payload: Payload; readonly json: string | undefined }
  | { readonly rejected: string };

export function readLine(platform: Platform, line: string): LineReading {
  if (line.length > MAX_LINE) return { rejected: 'it is longer than 1 MiB' };
  // Asked before parsing: the parser's exception costs a hundred times as much as this look at the first character.
  if (!line.trimStart().startsWith('{')) return { rejected: 'it is not a JSON object' };
  if (isDeeperThan(line, MAX_DEPTH)) return { rejected: `it is nested deeper than ${MAX_DEPTH} levels` };
  try {
    return payloadOf(platform, JSON.parse(line), line);
  } catch {
    return { rejected: 'it is not valid JSON' };
  }
}

/** The upstream's own object: of a post `data` and `includes` alone, a page as it is. */
function payloadOf(platform: Platform, value: unknown, line: string): LineReading {
  const payload = recordIn(value);
  if (payload === undefined) return { rejected: 'it is not an object' };
  if (platform === 'firehose' || Object.keys(payload).every((key) => key === 'data' || key === 'includes')) {
    return { payload, json: line.trim() };
  }
  const { data, includes } = payload;
  return { payload: includes === undefined ? { data } : { data, includes }, json: undefined };
}

/** The object of a line that a source of our own made. Without one, the line is read like any other, and refused. */
export function wholePayload(line: string): Payload | undefined {
  try {
    return recordIn(JSON.parse(line));
  } catch {
    return undefined;
  }
}

export type ReadEvent = Exclude<LineReading, Rejection>;

export interface AnalysedEvent {
  readonly reading: ReadEvent;
  /** It is valid until the next event is analysed. */
  readonly view: EventView;
}

export type EventReader = ReturnType<typeof eventReader>;

/** Reads an event, and analyses it, when that is first asked for. */
export function eventReader(analyze: Analyzer, platform: Platform, text: string, payload?: Payload) {
  let reading: LineReading | undefined;
  let analysis: AnalysedEvent | Rejection | undefined;
  const read = (): LineReading => {
    reading ??= payload === undefined ? readLine(platform, text) : { payload, json: text };
    return reading;
  };
  return {
    reading: read,
    analysis(): AnalysedEvent | Rejection {
      analysis ??= analysed(analyze, read());
      return analysis;
    },
  };
}

function analysed(analyze: Analyzer, reading: LineReading): AnalysedEvent | Rejection {
  if ('rejected' in reading) return reading;
  const view = analyze(reading.payload);
  return isRejection(view) ? view : { reading, view };
}

/** The core takes no line for an event that the analyzer would refuse: a test compares the two. */
export function accepted<Read extends object>(reading: Read | Rejection): Read {
  if ('rejected' in reading) throw new Error(`the core took a line for an event, but ${reading.rejected}`);
  return reading;
}

/**
 * An event that comes again has the same id. A page without an id is told by its address, its time and what changed,
 * since the same page may well match again with another change.
 */
export const postIdOf = (platform: Platform, payload: Payload, viewId: string): string =>
  platform === 'x' || idIn(payload['id']) !== undefined ? viewId : digestOf(payload);

/** The ids of earlier versions of a post that was edited, oldest first. */
export function earlierVersions(platform: Platform, payload: Payload, postId: string): readonly string[] | undefined {
  if (platform !== 'x') return undefined;
  const post = recordIn(payload['data']);
  const history = post?.['edit_history_tweet_ids'] ?? post?.['edit_history_post_ids'];
  if (!Array.isArray(history) || history.length < 2) return undefined;
  return history.slice(-MAX_EDITS).filter((id) => isEarlierId(id) && id !== postId);
}

/** An id that a stored post can have; no other can be an earlier version. */
const isEarlierId = (id: unknown): id is string => typeof id === 'string' && idProblem(id, 'id') === undefined;

function digestOf({ url, publish_time, diff, added, removed }: Payload): string {
  const changed = [recordIn(diff)?.['chunks'] ?? null, added ?? null, removed ?? null];
  return createHash('sha256')
    .update(JSON.stringify([url, publish_time ?? null, changed]))
    .digest('hex')
    .slice(0, 32);
}
