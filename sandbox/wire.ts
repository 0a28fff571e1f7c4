/**
 * A stream as bytes on a socket. Chunks are framed by hand, so that a connection can be cut anywhere: inside a record, a
 * character, a line end, a chunk's header or a gzip block. Each record is one chunk.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { resetSocket } from './listener.ts';
import { createPacker } from './packer.ts';

/** `silence` leaves the socket open and sends nothing more. */
export type Ending = 'reset' | 'fin' | 'end' | 'silence';

/** The end of the stream within the body: `header` is in the next chunk's header, `packed` in its packed bytes. */
export interface Stop {
  readonly after: number | 'header' | 'packed';
  readonly how: Ending;
  /** Called when the stream ends as planned. */
  readonly done: () => void;
}

export interface Wire {
  /** Aborts when either side closed the connection. */
  readonly signal: AbortSignal;
  readonly packed: boolean;
  readonly silent: boolean;
  /** Returns whether the whole record was sent. */
  send(record: string | Buffer): boolean;
  stop(stop: Stop): void;
  close(how: Ending): void;
  /** From now on bytes go out one at a time. */
  drip(): void;
  /** Sends nothing until the promise resolves. */
  hold(until: Promise<void>): void;
  /** How many bytes the reader has not taken yet. */
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
  const packer = gzip && /\bgzip\b/i.test(request.headers['accept-encoding'] ?? '') ? createPacker() : undefined;
  const packed = packer !== undefined;
  let planned: Stop | undefined;
  let silent = false;
  const out = createOutlet(socket);
  socket.setNoDelay(true);
  socket.on('error', () => {});
  socket.once('close', () => closing.abort());
  // A reader that leaves sends FIN; nothing else here closes our side then.
  socket.once('end', () => socket.destroy());

  const lines = { ...headers, 'Transfer-Encoding': 'chunked', ...(packed && { 'Content-Encoding': 'gzip' }) };
  out.write(headOf(lines));
  if (packer !== undefined) out.write(chunk(packer.head));

  const finish = (how: Ending): void => {
    if (how === 'silence') {
      silent = true;
      return;
    }
    out.finish(() => {
      if (how === 'reset') resetSocket(socket);
      else socket.end(how === 'end' ? lastChunks() : '');
    });
    closing.abort();
  };

  const lastChunks = (): Buffer =>
    Buffer.concat([...(packer === undefined ? [] : [chunk(packer.tail())]), Buffer.from('0\r\n\r\n')]);

  /** The part of this record that is sent if the stream is planned to stop within it; undefined if it is not. */
  const partOf = (body: Buffer, whole: Buffer): Buffer | undefined => {
    if (planned === undefined) return undefined;
    const { after } = planned;
    if (after === 'header') return whole.subarray(0, 1);
    if (after === 'packed') return packed ? half(whole) : undefined;
    if (after >= body.length) {
      planned = { ...planned, after: after - body.length };
      return undefined;
    }
    // The matching part of compressed bytes is unknown, so we send half of them.
    return packed ? half(whole) : whole.subarray(0, whole.indexOf('\n') + 1 + after);
  };

  const end = ({ how, done }: Stop): void => {
    planned = undefined;
    // Called before the abort: the planner takes an abort without it for a plan that failed.
    done();
    finish(how);
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
      const whole = chunk(packer === undefined ? body : packer.pack(body));
      const part = partOf(body, whole);
      out.write(part ?? whole);
      if (planned !== undefined && (part !== undefined || planned.after === 0)) end(planned);
      return part === undefined;
    },
    stop(stop) {
      if (stop.after === 0) end(stop);
      else planned = stop;
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

const chunk = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);

const half = (bytes: Buffer): Buffer => bytes.subarray(0, Math.floor(bytes.length / 2));

interface Outlet {
  write(bytes: Buffer): void;
  finish(then: () => void): void;
  drip(): void;
  hold(until: Promise<void>): void;
  readonly waiting: number;
}

/** Writes bytes to the socket: at once, or through a queue if they are to be slow. */
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
