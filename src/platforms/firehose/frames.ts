/**
 * The event-stream format of server-sent events, by the HTML standard's algorithm, wherever the bytes are cut. A frame
 * that never got its blank line is never seen. One that is too long is not kept but told of, with its id, so that the
 * stream can go on after it: that is why this is not left to a library, which gives up at its limit.
 */

/** The most bytes that one event may have. */
const MOST_BYTES = 4 * 1024 * 1024;
/** What is kept of one that has more. */
const KEPT_CHARACTERS = 4_096;

const LF = 0x0a;
const CR = 0x0d;
const COLON = 0x3a;

export interface Frame {
  readonly event: string;
  /** Only its beginning, when it is too long. */
  readonly data: string;
  /** The id that came with it; undefined when it had none of its own. */
  readonly id: string | undefined;
  readonly tooLong: boolean;
}

export interface FrameReader {
  /** The frames that are whole now. */
  push(bytes: Uint8Array): Frame[];
  /** Comments so far. They carry nothing, but somebody sent them. */
  readonly comments: number;
  /** The wait before reconnecting that the upstream asked for, in milliseconds. */
  readonly retry: number | undefined;
}

export function createFrameReader(mostBytes = MOST_BYTES): FrameReader {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const lines = createLineReader(mostBytes);
  let frames: Frame[] = [];
  let data: string[] = [];
  let size = 0;
  let tooLong = false;
  let event = '';
  let id: string | undefined;
  let comments = 0;
  let retry: number | undefined;
  let isFirst = true;

  function readLine(bytes: Uint8Array, isCut: boolean): void {
    const line = isFirst ? withoutMark(bytes) : bytes;
    isFirst = false;
    if (line.length === 0) dispatch();
    else if (line[0] === COLON) comments++;
    else readField(decoder.decode(line), line.length, isCut);
  }

  function readField(line: string, bytes: number, isCut: boolean): void {
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (name === 'data') addData(value, bytes, isCut);
    // A line that was cut holds only its beginning: half an id is none.
    else if (isCut) return;
    else if (name === 'event') event = value;
    else if (name === 'id' && !value.includes('\0')) id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) retry = Number(value);
  }

  function addData(value: string, bytes: number, isCut: boolean): void {
    if (tooLong) return;
    size += bytes;
    data.push(value);
    tooLong = isCut || size > mostBytes;
    if (tooLong) data = [data.join('\n').slice(0, KEPT_CHARACTERS)];
  }

  function dispatch(): void {
    if (data.length > 0) frames.push({ event: event || 'message', data: data.join('\n'), id, tooLong });
    data = [];
    size = 0;
    tooLong = false;
    event = '';
    id = undefined;
  }

  return {
    push(bytes) {
      frames = [];
      lines(bytes, readLine);
      return frames;
    },
    get comments() {
      return comments;
    },
    get retry() {
      return retry;
    },
  };
}

function withoutMark(line: Uint8Array): Uint8Array {
  return line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf ? line.subarray(3) : line;
}

type OnLine = (line: Uint8Array, isCut: boolean) => void;

/**
 * Lines end with CR, LF or both; a pair may be cut in two. The start of a line that is not whole yet is copied, so that
 * a stream of single bytes holds on to no more memory than its own, and of a line without end only the start is kept.
 */
function createLineReader(mostBytes: number): (bytes: Uint8Array, onLine: OnLine) => void {
  let kept = new Uint8Array(1024);
  let length = 0;
  let isCut = false;
  let afterReturn = false;

  function keep(bytes: Uint8Array): void {
    const room = mostBytes - length;
    if (bytes.length > room) isCut = true;
    const part = bytes.length > room ? bytes.subarray(0, room) : bytes;
    if (length + part.length > kept.length) {
      const larger = new Uint8Array(Math.max(kept.length * 2, length + part.length));
      larger.set(kept.subarray(0, length));
      kept = larger;
    }
    kept.set(part, length);
    length += part.length;
  }

  function finish(end: Uint8Array, onLine: OnLine): void {
    if (length === 0 && end.length <= mostBytes) {
      onLine(end, false);
      return;
    }
    keep(end);
    onLine(kept.subarray(0, length), isCut);
    length = 0;
    isCut = false;
    // One long event is no reason to keep its room for ever.
    if (kept.length > 64 * 1024) kept = new Uint8Array(1024);
  }

  return (bytes, onLine) => {
    if (bytes.length === 0) return;
    let start = afterReturn && bytes[0] === LF ? 1 : 0;
    afterReturn = bytes[bytes.length - 1] === CR;
    let feed = bytes.indexOf(LF, start);
    let carriage = bytes.indexOf(CR, start);
    while (feed !== -1 || carriage !== -1) {
      const end = feed === -1 || (carriage !== -1 && carriage < feed) ? carriage : feed;
      finish(bytes.subarray(start, end), onLine);
      start = bytes[end] === CR && bytes[end + 1] === LF ? end + 2 : end + 1;
      // Only what was used up is looked for again, so that no byte is passed more than twice.
      if (feed !== -1 && feed < start) feed = bytes.indexOf(LF, start);
      if (carriage !== -1 && carriage < start) carriage = bytes.indexOf(CR, start);
    }
    if (start < bytes.length) keep(bytes.subarray(start));
  };
}
