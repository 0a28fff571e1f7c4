import { endOfString, isDeeperThan } from '../../base/json.ts';

/**
 * Splits bytes into lines, wherever the bytes were cut on the way. Only whole lines come out: the rest waits for its line
 * break, and is dropped with the connection. An empty line is X's heartbeat.
 */
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** No record of X is longer than this. A longer line is not read to its end. */
export const MAX_RECORD = 1024 * 1024;
const SAMPLE = 4_096;

export type StreamLine =
  | { readonly bytes: Buffer }
  /** The beginning of a line that is too long. No line comes after it. */
  | { readonly overlong: Buffer };

export class LineSplitter {
  readonly #limit: number;
  /** The beginning of a line that has not ended, in a buffer with room for more. */
  #kept: Buffer = Buffer.alloc(0);
  #size = 0;
  #isSpoiled = false;

  constructor(limit = MAX_RECORD) {
    this.#limit = limit;
  }

  feed(chunk: Buffer): readonly StreamLine[] {
    const lines: StreamLine[] = [];
    for (let start = 0; start < chunk.length && !this.#isSpoiled; ) {
      const end = chunk.indexOf(LINE_FEED, start);
      const piece = chunk.subarray(start, end < 0 ? chunk.length : end);
      if (end >= 0 || this.#size + piece.length > this.#limit) lines.push(this.#finish(piece));
      else this.#keep(piece);
      start += piece.length + 1;
    }
    return lines;
  }

  /** How many bytes wait for their line break. */
  get pending(): number {
    return this.#size;
  }

  #finish(piece: Buffer): StreamLine {
    if (this.#size + piece.length > this.#limit) {
      this.#isSpoiled = true;
      const beginning = Buffer.concat([this.#kept.subarray(0, this.#size), piece]);
      return { overlong: beginning.subarray(0, Math.min(SAMPLE, this.#limit)) };
    }
    if (this.#size === 0) return { bytes: withoutReturn(piece) };
    this.#keep(piece);
    const bytes = withoutReturn(Buffer.from(this.#kept.subarray(0, this.#size)));
    this.#size = 0;
    return { bytes };
  }

  /** The room is doubled when it is full, so that a line that comes byte by byte costs no more than one that comes at once. */
  #keep(piece: Buffer): void {
    const size = this.#size + piece.length;
    if (size > this.#kept.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#kept.length * 2, size));
      this.#kept.copy(larger, 0, 0, this.#size);
      this.#kept = larger;
    }
    piece.copy(this.#kept, this.#size);
    this.#size = size;
  }
}

const withoutReturn = (line: Buffer): Buffer => (line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line);

const MAX_DEPTH = 64;

const QUOTE = 0x22;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;

/** Shorter integers are exact as numbers. */
const EXACT_DIGITS = 15;

type RecordJson = { readonly value: unknown } | { readonly broken: string };

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses the JSON of a record. It scans the text first: a megabyte of brackets would take the parser half a second, and
 * an integer beyond 2^53 would lose its last digits, which matter in an id. Such integers become strings.
 */
export function parseRecord(bytes: Uint8Array): RecordJson {
  try {
    return parseExact(utf8.decode(bytes));
  } catch {
    return { broken: 'it is not valid UTF-8' };
  }
}

/** Like `parseRecord`, for text. */
export function parseExact(text: string): RecordJson {
  if (isDeeperThan(text, MAX_DEPTH)) return { broken: `it is nested deeper than ${MAX_DEPTH} levels` };
  try {
    return { value: JSON.parse(withExactIntegers(text)) };
  } catch {
    return { broken: 'it is not valid JSON' };
  }
}

/** The text with long integers in quotes. Strings are stepped over. */
function withExactIntegers(text: string): string {
  const parts: string[] = [];
  let taken = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      at = endOfString(text, at);
    } else if (unit >= DIGIT_0 && unit <= DIGIT_9) {
      const end = endOfNumber(text, at);
      if (end - at > EXACT_DIGITS && /^\d+$/.test(text.slice(at, end)) && text[at - 1] !== '-') {
        parts.push(text.slice(taken, at), '"', text.slice(at, end), '"');
        taken = end;
      }
      at = end - 1;
    }
  }
  return taken === 0 ? text : parts.join('') + text.slice(taken);
}

/** The end of the characters that a number may consist of. */
function endOfNumber(text: string, from: number): number {
  let end = from + 1;
  while (end < text.length && '0123456789.eE+-'.includes(text[end]!)) end++;
  return end;
}
