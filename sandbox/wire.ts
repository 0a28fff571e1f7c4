/**
 * A stream as bytes on a socket. Chunks are framed by hand, so that a connection can be cut anywhere: inside a record, a
 * character, a line end, a chunk's header or a packed block. Every record is a chunk of its own, and a gzip member of its
 * own where the reader asked for gzip.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { resetSocket } from './listener.ts';

/** `silence` leaves the socket open and sends nothing any more. */
export type Ending = 'reset' | 'fin' | 'end' | 'silence';

/** Where in the body the stream ends; `header` is inside the next chunk's header, `packed` inside its packed bytes. */
export interface Stop {
  readonly after: number | 'header' | 'packed';
  readonly how: Ending;
  /** The stream ended as planned. */
  readonly done: () => void;
}

export interface Wire {
  /** Aborts when either side closed the connection. */
  readonly signal: AbortSignal;
  readonly packed: boolean;
  readonly silent: boolean;
  /** Says whether all of it went out. */
  send(record: string | Buffer): boolean;
  stop(stop: Stop): void;
  close(how: Ending): void;
  /** From now on bytes go out one at a time. */
  drip(): void;
  /** Keeps everything back until the promise is kept. */
  hold(until: Promise<void>): void;
  /** Bytes that the reader has not taken. */
  readonly waiting: number;
  drained(): Promise<void>;
}

export interface Opening {
  readonly headers: Readonly<Record<string, string>>;
  readonly gzip: boolean;
}

export function openWire(request: IncomingMessage, { headers, gzip }: Opening): Wire {
  const { socket } = request;
  const closing = new AbortController();
  const packed = gzip && /\bgzip\b/i.test(request.headers['accept-encoding'] ?? '');
  let planned: Stop | undefined;
  let silent = false;
  const out = createOutlet(socket);
  socket.setNoDelay(true);
  socket.on('error', () => {});
  socket.once('close', () => closing.abort());
  // A reader that has gone says so with an end that nobody else would answer here.
  socket.once('end', () => socket.destroy());

  const lines = { ...headers, 'Transfer-Encoding': 'chunked', ...(packed && { 'Content-Encoding': 'gzip' }) };
  out.write(headOf(lines));

  const finish = (how: Ending): void => {
    if (how === 'silence') {
      silent = true;
      return;
    }
    out.finish(() => {
      if (how === 'reset') resetSocket(socket);
      else socket.end(how === 'end' ? '0\r\n\r\n' : '');
    });
    closing.abort();
  };

  /** What of this record goes out when the stream is to stop within it; undefined when it goes on. */
  const partOf = (body: Buffer): Buffer | undefined => {
    if (planned === undefined) return undefined;
    const { after } = planned;
    if (after === 'header') return frame(body, packed).subarray(0, 1);
    if (after === 'packed') {
      const framed = frame(body, packed);
      return packed ? framed.subarray(0, Math.floor(framed.length / 2)) : undefined;
    }
    if (after > body.length || (after === body.length && after > 0)) {
      planned = { ...planned, after: after - body.length };
      return undefined;
    }
    return after === 0 ? Buffer.alloc(0) : frame(body, packed, after);
  };

  return {
    signal: closing.signal,
    packed,
    get silent() {
      return silent;
    },
    send(record) {
      if (silent || closing.signal.aborted) return false;
      const body = typeof record === 'string' ? Buffer.from(record) : record;
      const part = partOf(body);
      if (part === undefined) {
        out.write(frame(body, packed));
        return true;
      }
      const { how, done } = planned!;
      planned = undefined;
      if (part.length > 0) out.write(part);
      // Before the end is heard of, since whoever planned it would take an end for a failure of the plan.
      done();
      finish(how);
      return false;
    },
    stop(stop) {
      if (stop.after === 0) {
        stop.done();
        finish(stop.how);
      } else {
        planned = stop;
      }
    },
    close: finish,
    drip: out.drip,
    hold: out.hold,
    get waiting() {
      return out.waiting;
    },
    drained: () => drained(socket, closing.signal),
  };
}

function headOf(headers: Readonly<Record<string, string>>): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`HTTP/1.1 200 OK\r\n${lines.join('')}\r\n`);
}

/** One chunk. Cut after so many bytes of the body, the header still promises all of it. */
function frame(body: Buffer, packed: boolean, cutAfter?: number): Buffer {
  const bytes = packed ? gzipSync(body) : body;
  const header = Buffer.from(`${bytes.length.toString(16)}\r\n`);
  if (cutAfter === undefined) return Buffer.concat([header, bytes, Buffer.from('\r\n')]);
  // Of packed bytes a part that shows as much of the record cannot be told: half of them will do.
  return Buffer.concat([header, bytes.subarray(0, packed ? Math.floor(bytes.length / 2) : cutAfter)]);
}

interface Outlet {
  write(bytes: Buffer): void;
  finish(then: () => void): void;
  drip(): void;
  hold(until: Promise<void>): void;
  readonly waiting: number;
}

/** Bytes on their way to the socket: at once, or through a queue where they are to be slow. */
function createOutlet(socket: Socket): Outlet {
  let queue: Buffer[] | undefined;
  let dripping = false;
  let last: (() => void) | undefined;
  const flush = async (): Promise<void> => {
    for (let bytes = queue?.shift(); bytes !== undefined && !socket.destroyed; bytes = queue?.shift()) {
      for (let at = 0; at < bytes.length && !socket.destroyed; at += dripping ? 1 : bytes.length) {
        socket.write(dripping ? bytes.subarray(at, at + 1) : bytes);
        if (dripping) await new Promise((resolve) => setImmediate(resolve));
      }
    }
    queue = undefined;
    last?.();
  };
  return {
    write(bytes) {
      if (queue !== undefined) queue.push(bytes);
      else if (!dripping) socket.write(bytes);
      else {
        queue = [bytes];
        void flush();
      }
    },
    finish(then) {
      if (queue === undefined) then();
      else last = then;
    },
    drip() {
      dripping = true;
    },
    hold(until) {
      queue ??= [];
      void until.then(flush);
    },
    get waiting() {
      return socket.writableLength + (queue ?? []).reduce((sum, bytes) => sum + bytes.length, 0);
    },
  };
}

function drained(socket: Socket, signal: AbortSignal): Promise<void> {
  if (!socket.writableNeedDrain || signal.aborted || socket.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      socket.off('drain', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    socket.once('drain', done);
    signal.addEventListener('abort', done, { once: true });
  });
}
