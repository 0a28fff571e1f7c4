/** Bodies: read whole, within a size, and looked at before they are parsed. */
import { isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import { hasLoneSurrogate, parseJson } from '../base/json.ts';
import { unreadable } from './errors.ts';

export const BODY_LIMIT = 256 * 1024;
export const EVENTS_LIMIT = 8 * 1024 * 1024;

/** An event in a Validate Rule request may be large; a request with more than this is not a request. */
const JSON_LIMITS = { depth: 32, keys: 10_000, entries: 5_000 };

/** Bytes of a body that takes some milliseconds to parse. */
const LONG_BODY = 32 * 1024;

const utf8 = new TextDecoder('utf-8');
/** A push of 8 MiB holds fewer events than this, even of the shortest kind. */
export const MAX_LINES = 300_000;
/** Lines that are checked between two turns of the event loop: about a millisecond of work. Counting them takes less. */
const LINES_AT_ONCE = 2_048;
const COUNTED_AT_ONCE = 32_768;
const LINE_FEED = 0x0a;
const QUESTION_MARK = 0x3f;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** The object in a JSON body. */
export async function readJsonBody(bytes: Uint8Array): Promise<Record<string, unknown>> {
  const value = await readJson(bytes);
  if (!isObject(value)) throw unreadable('The body must be a JSON object.');
  return value;
}

/** Whatever a JSON body holds. A long one is decoded, parsed and answered in a turn of the event loop each. */
export async function readJson(bytes: Uint8Array): Promise<unknown> {
  if (bytes.length === 0) throw unreadable('The body is empty; a JSON object is expected.');
  const isLong = bytes.length > LONG_BODY;
  const text = readText(bytes);
  if (isLong) await setImmediate();
  const parsed = parseJson(text, JSON_LIMITS);
  if (!parsed.ok) throw unreadable(`The body is not acceptable. ${parsed.problem}`);
  // Only an escape can bring half a surrogate pair into UTF-8 text.
  if (/\\u[dD]/.test(text) && hasLoneSurrogate(parsed.value))
    throw unreadable('The body has a string with half a surrogate pair.');
  if (isLong) await setImmediate();
  return parsed.value;
}

function readText(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw unreadable('The body is not valid UTF-8.');
  return utf8.decode(bytes);
}

/**
 * The body of an event push, in UTF-8: a line that was not becomes question marks, so that it is refused like any other line
 * that is not JSON, and no other line is.
 */
export async function readLines(bytes: Buffer): Promise<Buffer> {
  if (await hasMoreLines(bytes, MAX_LINES)) throw unreadable(`The body has more than ${MAX_LINES} lines.`, 413);
  if (!isUtf8(bytes)) await blankBrokenLines(bytes);
  const isMarked = bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  return isMarked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
}

async function hasMoreLines(bytes: Buffer, limit: number): Promise<boolean> {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) {
    if (++count > limit) return true;
    if (count % COUNTED_AT_ONCE === 0) await setImmediate();
  }
  return false;
}

async function blankBrokenLines(bytes: Buffer): Promise<void> {
  let checked = 0;
  for (let start = 0; start < bytes.length; ) {
    const lineFeed = bytes.indexOf(LINE_FEED, start);
    const end = lineFeed === -1 ? bytes.length : lineFeed;
    if (!isUtf8(bytes.subarray(start, end))) bytes.fill(QUESTION_MARK, start, end);
    start = end + 1;
    if (++checked % LINES_AT_ONCE === 0) await setImmediate();
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
