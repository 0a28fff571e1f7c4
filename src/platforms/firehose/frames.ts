/**
 * Reads server-sent events by the HTML standard's algorithm, wherever the bytes are cut. A frame without its blank line
 * is dropped. Of a frame that is too long only the beginning is kept, with its id, so that the stream can go on after it.
 * Libraries give up at their limit instead, so this is our own.
 */

/** The most bytes of one event. */
const MOST_BYTES = 4 * 1024 * 1024;
/** How much is kept of an event that has more. */
const KEPT_CHARACTERS = 4_096;

const LF = 0x0a;
const CR = 0x0d;
const COLON = 0x3a;

export interface EventFrame {
  readonly event: string;
  /** Only the beginning if it is too long. */
  readonly data: string;
  /** The id that came with this frame; undefined if it had none. */
  readonly id: string | undefined;
  readonly tooLong: boolean;
}

export class FrameReader {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #mostBytes: number;
  readonly #lines: LineReader;
  #frames: EventFrame[] = [];
  #data: string[] = [];
  #size = 0;
  #tooLong = false;
  #event = '';
  #id: string | undefined;
  #comments = 0;
  #retry: number | undefined;
  #isFirst = true;

  constructor(mostBytes = MOST_BYTES) {
    this.#mostBytes = mostBytes;
    this.#lines = new LineReader(mostBytes);
  }

  /** Returns the frames that are complete now. */
  push(bytes: Uint8Array): EventFrame[] {
    this.#frames = [];
    this.#lines.push(bytes, (line, isCut) => this.#readLine(line, isCut));
    return this.#frames;
  }

  /** How many comments came. They carry no data, but show that the stream is alive. */
  get comments(): number {
    return this.#comments;
  }

  /** The wait before reconnecting that the upstream asked for, in milliseconds. */
  get retry(): number | undefined {
    return this.#retry;
  }

  #readLine(bytes: Uint8Array, isCut: boolean): void {
    const line = this.#isFirst ? withoutMark(bytes) : bytes;
    this.#isFirst = false;
    if (line.length === 0) this.#dispatch();
    else if (line[0] === COLON) this.#comments++;
    else this.#readField(this.#decoder.decode(line), line.length, isCut);
  }

  #readField(line: string, bytes: number, isCut: boolean): void {
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (name === 'data') this.#addData(value, bytes, isCut);
    // A line that was cut holds only its beginning, and half an id is useless.
    else if (isCut) return;
    else if (name === 'event') this.#event = value;
    else if (name === 'id' && !value.includes('\0')) this.#id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) this.#retry = Number(value);
  }

  #addData(value: string, bytes: number, isCut: boolean): void {
    if (this.#tooLong) return;
    this.#size += bytes;
    this.#data.push(value);
    this.#tooLong = isCut || this.#size > this.#mostBytes;
    if (this.#tooLong) this.#data = [this.#data.join('\n').slice(0, KEPT_CHARACTERS)];
  }

  #dispatch(): void {
    if (this.#data.length > 0) {
      const data = this.#data.join('\n');
      this.#frames.push({ event: this.#event || 'message', data, id: this.#id, tooLong: this.#tooLong });
    }
    this.#data = [];
    this.#size = 0;
    this.#tooLong = false;
    this.#event = '';
    this.#id = undefined;
  }
}

function withoutMark(line: Uint8Array): Uint8Array {
  return line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf ? line.subarray(3) : line;
}

type OnLine = (line: Uint8Array, isCut: boolean) => void;

/** The room for a line that has not ended. After a long line it shrinks to this again. */
const FIRST_ROOM = 1024;
const LARGE_ROOM = 64 * 1024;

/**
 * Splits bytes at CR, LF or both; the pair may be cut in two. The start of a line that has not ended is copied, so that a
 * stream of single bytes keeps no larger buffers alive. Of a line without end only the start is kept.
 */
class LineReader {
  readonly #mostBytes: number;
  #kept = new Uint8Array(FIRST_ROOM);
  #length = 0;
  #isCut = false;
  #afterReturn = false;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  push(bytes: Uint8Array, onLine: OnLine): void {
    if (bytes.length === 0) return;
    let start = this.#afterReturn && bytes[0] === LF ? 1 : 0;
    this.#afterReturn = bytes[bytes.length - 1] === CR;
    let feed = bytes.indexOf(LF, start);
    let carriage = bytes.indexOf(CR, start);
    while (feed !== -1 || carriage !== -1) {
      const end = feed === -1 || (carriage !== -1 && carriage < feed) ? carriage : feed;
      this.#finish(bytes.subarray(start, end), onLine);
      start = bytes[end] === CR && bytes[end + 1] === LF ? end + 2 : end + 1;
      // Each search goes on where it stopped, so that no byte is passed more than twice.
      if (feed !== -1 && feed < start) feed = bytes.indexOf(LF, start);
      if (carriage !== -1 && carriage < start) carriage = bytes.indexOf(CR, start);
    }
    if (start < bytes.length) this.#keep(bytes.subarray(start));
  }

  #keep(bytes: Uint8Array): void {
    const room = this.#mostBytes - this.#length;
    if (bytes.length > room) this.#isCut = true;
    const part = bytes.length > room ? bytes.subarray(0, room) : bytes;
    const length = this.#length + part.length;
    if (length > this.#kept.length) {
      const larger = new Uint8Array(Math.max(this.#kept.length * 2, length));
      larger.set(this.#kept.subarray(0, this.#length));
      this.#kept = larger;
    }
    this.#kept.set(part, this.#length);
    this.#length = length;
  }

  #finish(end: Uint8Array, onLine: OnLine): void {
    if (this.#length === 0 && end.length <= this.#mostBytes) {
      onLine(end, false);
      return;
    }
    this.#keep(end);
    onLine(this.#kept.subarray(0, this.#length), this.#isCut);
    this.#length = 0;
    this.#isCut = false;
    if (this.#kept.length > LARGE_ROOM) this.#kept = new Uint8Array(FIRST_ROOM);
  }
}
