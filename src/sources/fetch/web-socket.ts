/** Text frames of a WebSocket as an iterable that waits for its reader. */

import { type Desk, SourceError } from '../source.ts';
import { hostOf } from './redirects.ts';

/**
 * A socket cannot be told to wait. Frames that nobody has read yet are kept up to this many; then the connection is
 * given up, and what is missing comes again with the cursor.
 */
const MAX_WAITING = 20_000;
/** No post is longer; what is would be in the way of everything else. */
const MAX_FRAME = 1024 * 1024;

/** Throws when the connection breaks, ends, or is silent for so long. */
export async function* textFrames(desk: Desk, url: string, stallMs: number): AsyncIterable<string> {
  const { clock, signal } = desk;
  const host = hostOf(url);
  const socket = new WebSocket(url);
  const over = new AbortController();
  const waiting: string[] = [];
  let problem: string | undefined;
  let wake = Promise.withResolvers<void>();
  let heardAt = clock.elapsed();

  const fail = (message: string) => {
    problem ??= message;
    wake.resolve();
  };
  socket.addEventListener('open', () => desk.live());
  socket.addEventListener('message', ({ data }) => {
    heardAt = clock.elapsed();
    if (typeof data === 'string' && data.length <= MAX_FRAME) waiting.push(data);
    if (waiting.length > MAX_WAITING) fail(`${host} sends more than can be stored.`);
    wake.resolve();
  });
  socket.addEventListener('error', () => fail(`${host} cannot be reached, or broke the connection off.`));
  socket.addEventListener('close', ({ code }) => fail(`${host} closed the connection (${code}).`));
  signal.addEventListener('abort', () => fail('stopped'), { once: true, signal: over.signal });
  const listen = async () => {
    for (let left = stallMs; left > 0 && !over.signal.aborted; left = heardAt + stallMs - clock.elapsed()) {
      await clock.sleep(left, over.signal);
    }
    fail(`${host} sent nothing for ${stallMs / 1_000} seconds.`);
  };
  void listen();

  try {
    for (;;) {
      while (waiting.length > 0 && !signal.aborted) yield* waiting.splice(0);
      if (signal.aborted) return;
      if (problem !== undefined) throw new SourceError(problem);
      await wake.promise;
      wake = Promise.withResolvers();
    }
  } finally {
    over.abort();
    socket.close();
  }
}
