/** The frames of a WebSocket whose reader is slower than the server. */
import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import type { FetchContext } from '../../src/sources/fetch/rounds.ts';
import { socketFrames } from '../../src/sources/fetch/web-socket.ts';
import { fakeClock } from '../stages/fake-clock.ts';

class Socket extends EventEmitter {
  isPaused = false;
  pause = () => {
    this.isPaused = true;
  };
  resume = () => {
    this.isPaused = false;
  };
  terminate = () => {};
}

it.each([
  ['many', 2_001, 10],
  ['long', 33, 1024 * 1024],
])('nothing more is read when frames are too %s, until they are taken', async (_, count, size) => {
  const socket = new Socket();
  const http = { socket: () => socket } as unknown as FetchContext['http'];
  const { signal } = new AbortController();
  const context: FetchContext = { clock: fakeClock(), http, signal, live: () => {}, trouble: () => {} };
  const frames = socketFrames(context, 'wss://a.example', { stallMs: 60_000 })[Symbol.asyncIterator]();
  const first = frames.next();
  const frame = Buffer.alloc(size, 'a');
  for (let sent = 1; sent < count; sent++) socket.emit('message', frame, false);
  expect(socket.isPaused).toBe(false);
  socket.emit('message', frame, false);
  expect(socket.isPaused).toBe(true);
  await first;
  for (let taken = 1; taken < count; taken++) await frames.next();
  const next = frames.next();
  await new Promise((resolve) => setImmediate(resolve));
  expect(socket.isPaused).toBe(false);
  socket.emit('message', frame, false);
  expect((await next).done).toBe(false);
  await frames.return?.();
});
