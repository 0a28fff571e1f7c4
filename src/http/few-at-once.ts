/**
 * The requests of one connection. A client may send the next without waiting for an answer, and Node hands over at once all
 * that it has read: a thousand of them fit into one read, and their answers wait until the client takes the first. So a few
 * are worked on at once, and the others wait as they came.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export const MAX_AT_ONCE = 16;
/** Twice as many as a connection is answered: a client that sends more reads none of them, and they take memory. */
export const MAX_WAITING = 2_000;

interface Line {
  open: number;
  readonly waiting: [IncomingMessage, ServerResponse][];
}

export function fewAtOnce(listener: RequestListener): RequestListener {
  const lines = new WeakMap<Socket, Line>();

  function begin(line: Line, request: IncomingMessage, response: ServerResponse): void {
    line.open++;
    response.once('close', () => {
      line.open--;
      callNext(line);
    });
    listener(request, response);
  }

  function callNext(line: Line): void {
    while (line.open < MAX_AT_ONCE) {
      const next = line.waiting.shift();
      if (next === undefined) return;
      // Nobody reads the answer any more.
      if (next[0].socket.destroyed) line.waiting.length = 0;
      else begin(line, ...next);
    }
  }

  return (request, response) => {
    const line = lines.get(request.socket) ?? { open: 0, waiting: [] };
    lines.set(request.socket, line);
    if (line.open < MAX_AT_ONCE && line.waiting.length === 0) begin(line, request, response);
    else if (line.waiting.push([request, response]) > MAX_WAITING) request.socket.destroy();
  };
}
