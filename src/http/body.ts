/** Bodies: read whole, within a size, and looked at before they are parsed. */
import { isUtf8 } from 'node:buffer';
import { partOfWork } from '../base/cooperate.ts';
import { hasLoneSurrogate, parseJson } from '../base/json.ts';
import { unreadable } from './errors.ts';

export const BODY_LIMIT = 256 * 1024;
export const EVENTS_LIMIT = 8 * 1024 * 1024;

/** An event in a Validate Rule request may be large; a request with more than this is not a request. */
const JSON_LIMITS = { depth: 32, keys: 10_000, entries: 5_000 };

const utf8 = new TextDecoder('utf-8');
/** A push of 8 MiB holds fewer events than this, even of the shortest kind. */
export const MAX_LINES = 300_000;
const LINES_AT_ONCE = 10_000;
const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** The object in a JSON body. */
export function readJsonBody(bytes: Uint8Array): Record<string, unknown> {
  const value = readJson(bytes);
  if (!isObject(value)) throw unreadable('The body must be a JSON object.');
  return value;
}

/** Whatever a JSON body holds. */
export function readJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0) throw unreadable('The body is empty; a JSON object is expected.');
  const text = readText(bytes);
  const parsed = parseJson(text, JSON_LIMITS);
  if (!parsed.ok) throw unreadable(`The body is not acceptable. ${parsed.problem}`);
  // Only an escape can bring half a surrogate pair into UTF-8 text.
  if (/\\u[dD]/.test(text) && hasLoneSurrogate(parsed.value))
    throw unreadable('The body has a string with half a surrogate pair.');
  return parsed.value;
}

function readText(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw unreadable('The body is not valid UTF-8.');
  return utf8.decode(bytes);
}

/** The body of an event push. */
export async function readLines(bytes: Buffer): Promise<Buffer> {
  if (await hasMoreLines(bytes, MAX_LINES)) throw unreadable(`The body has more than ${MAX_LINES} lines.`, 413);
  const isMarked = bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  return isMarked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
}

/** Finds some ends of lines in each turn of the event loop: all of them may take 50 ms. */
async function hasMoreLines(bytes: Uint8Array, limit: number): Promise<boolean> {
  if (bytes.length <= limit) return false;
  let [ends, at] = [0, -1];
  do {
    const stop = ends + LINES_AT_ONCE;
    await partOfWork(async () => {
      do at = bytes.indexOf(LINE_FEED, at + 1);
      while (at >= 0 && ++ends < stop);
    });
  } while (at >= 0 && ends <= limit);
  return ends > limit;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
