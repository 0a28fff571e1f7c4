/** What a pushed line holds: at most one event, or a sentence that says what is wrong with it. */
import { createHash } from 'node:crypto';
import { idIn, recordIn } from '../../base/json-fields.ts';
import type { Payload } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';

/** Longer ones would hold up everything else while they are read. */
const MAX_LINE = 1024 * 1024;
const MAX_DEPTH = 64;
const MAX_POST_ID = 1_024;
/** A post can be edited five times. */
const MAX_EDITS = 16;

/** A payload and, where the line is just that, its text; or what is wrong. */
export type Read = { readonly payload: Payload; readonly json: string | undefined } | { readonly rejected: string };

export function readLine(platform: Platform, line: string): Read {
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
function payloadOf(platform: Platform, value: unknown, line: string): Read {
  const payload = recordIn(value);
  if (payload === undefined) return { rejected: 'it is not an object' };
  if (platform === 'firehose' || Object.keys(payload).every((key) => key === 'data' || key === 'includes')) {
    return { payload, json: line.trim() };
  }
  const { data, includes } = payload;
  return { payload: includes === undefined ? { data } : { data, includes }, json: undefined };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Asked before parsing: a megabyte of brackets takes the parser half a second. Brackets inside strings do not count. */
function isDeeperThan(json: string, limit: number): boolean {
  if (!opensMoreThan(json, limit)) return false;
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const unit = json.charCodeAt(at);
    if (unit === QUOTE) {
      at = endOfString(json, at + 1);
    } else if (unit === 0x7b || unit === 0x5b) {
      if (++depth > limit) return true;
    } else if (unit === 0x7d || unit === 0x5d) {
      depth--;
    }
  }
  return false;
}

/** Few brackets are never deep, and are counted much sooner than it is told which of them stand in strings. */
function opensMoreThan(json: string, limit: number): boolean {
  let left = limit;
  for (const bracket of ['{', '[']) {
    for (let at = json.indexOf(bracket); at >= 0; at = json.indexOf(bracket, at + 1)) if (left-- === 0) return true;
  }
  return false;
}

function endOfString(json: string, from: number): number {
  let end = json.indexOf('"', from);
  while (end > 0 && isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end < 0 ? json.length : end;
}

function isEscaped(json: string, at: number): boolean {
  let first = at;
  while (json.charCodeAt(first - 1) === BACKSLASH) first--;
  return (at - first) % 2 === 1;
}

/**
 * What makes the event the same when it comes again. A page without an id is told by its address, its time and what
 * changed, since the same page may well match again with another change.
 */
export function postIdOf(platform: Platform, payload: Payload, viewId: string): string | { rejected: string } {
  const id = platform === 'x' || idIn(payload['id']) !== undefined ? viewId : digestOf(payload);
  return id.length <= MAX_POST_ID ? id : { rejected: `its id is longer than ${MAX_POST_ID} characters` };
}

/** The ids of earlier versions of a post that was edited, oldest first. */
export function earlierVersions(platform: Platform, payload: Payload, postId: string): readonly string[] | undefined {
  if (platform !== 'x') return undefined;
  const post = recordIn(payload['data']);
  const history = post?.['edit_history_tweet_ids'] ?? post?.['edit_history_post_ids'];
  if (!Array.isArray(history) || history.length < 2) return undefined;
  return history.filter((id) => typeof id === 'string' && id !== postId).slice(-MAX_EDITS) as string[];
}

function digestOf({ url, publish_time, diff, added, removed }: Payload): string {
  const changed = [recordIn(diff)?.['chunks'] ?? null, added ?? null, removed ?? null];
  return createHash('sha256')
    .update(JSON.stringify([url, publish_time ?? null, changed]))
    .digest('hex')
    .slice(0, 32);
}
