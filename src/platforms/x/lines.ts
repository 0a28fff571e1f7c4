/**
 * Lines out of bytes, however they were cut on the way. Only a whole line comes out: what stands behind the last line
 * break waits for the rest, and is dropped with the connection. An empty line is the heartbeat.
 */
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** A longer line is no record of X's; it is not read to its end. */
export const MAX_RECORD = 1024 * 1024;
const SAMPLE = 4_096;

export type Line =
  | { readonly bytes: Buffer }
  /** The beginning of a line that never seemed to end. Nothing comes after it. */
  | { readonly overlong: Buffer };

export interface Records {
  feed(chunk: Buffer): readonly Line[];
  /** Bytes of a line that has not ended. */
  readonly pending: number;
}

export function createRecords(limit = MAX_RECORD): Records {
  let tail: Buffer = Buffer.alloc(0);
  let size = 0;
  let spoiled = false;

  /** Room is doubled, so that a line that comes byte by byte costs no more than one that comes at once. */
  function keep(piece: Buffer): void {
    if (size + piece.length > tail.length) {
      const larger = Buffer.allocUnsafe(Math.max(tail.length * 2, size + piece.length));
      tail.copy(larger, 0, 0, size);
      tail = larger;
    }
    piece.copy(tail, size);
    size += piece.length;
  }

  function lineOf(piece: Buffer): Line {
    if (size + piece.length > limit) {
      spoiled = true;
      return { overlong: Buffer.concat([tail.subarray(0, size), piece]).subarray(0, Math.min(SAMPLE, limit)) };
    }
    if (size === 0) return { bytes: withoutReturn(piece) };
    keep(piece);
    const bytes = withoutReturn(Buffer.from(tail.subarray(0, size)));
    size = 0;
    return { bytes };
  }

  return {
    feed(chunk) {
      const lines: Line[] = [];
      for (let start = 0; start < chunk.length && !spoiled; ) {
        const end = chunk.indexOf(LINE_FEED, start);
        const piece = chunk.subarray(start, end < 0 ? chunk.length : end);
        if (end >= 0 || size + piece.length > limit) lines.push(lineOf(piece));
        else keep(piece);
        start += piece.length + 1;
      }
      return lines;
    },
    get pending() {
      return size;
    },
  };
}

const withoutReturn = (line: Buffer): Buffer => (line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line);
