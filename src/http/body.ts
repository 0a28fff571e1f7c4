/** Bodies: read whole, within a size, and looked at before they are parsed. */
import { hasLoneSurrogate, parseJson } from '../base/json.ts';
import { unreadable } from './errors.ts';

export const BODY_LIMIT = 256 * 1024;
export const EVENTS_LIMIT = 8 * 1024 * 1024;

/** An event in a Validate Rule request may be large; a request with more keys than this is not a request. */
const JSON_LIMITS = { depth: 32, keys: 10_000 };

const utf8 = new TextDecoder('utf-8', { fatal: true });
/** Stands for a line that is not UTF-8: whoever reads the lines refuses it, and it alone. */
const BROKEN_LINE = '\ufffd';

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
  const text = decoded(bytes);
  if (text === undefined) throw unreadable('The body is not valid UTF-8.');
  return text;
}

/** The body of an event push, in lines. */
export function readLines(bytes: Buffer): string {
  return (
    decoded(bytes) ??
    splitLines(bytes)
      .map((line) => decoded(line) ?? BROKEN_LINE)
      .join('\n')
  );
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

function splitLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return [...lines, bytes.subarray(start)];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
