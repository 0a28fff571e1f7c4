/**
 * One connection, from its first frame to its end, as items. What we take as proof that nothing is missing: the log is
 * sent in order, so bytes that came at some moment were preceded by everything of before, once the replay is over. It is
 * over when an event comes that was matched after we connected, or when nothing comes for a second: the buffer is at hand
 * upstream. Were that wrong, the place still has the last id that we saw, and nothing after it is skipped.
 */
import type { StreamItem } from '../platform.ts';
import { cleaned } from '../upstream-call.ts';
import { type Arrivals, createArrivals, type Reading } from './arrivals.ts';
import type { Connection } from './connection.ts';
import type { Received } from './frame-queue.ts';
import type { Ending } from './reconnect-policy.ts';
import { errorIn } from './wire.ts';

/** Comments alone move the cursor no more often than this. */
const MARK_MS = 5_000;

export async function* readConnection(reading: Reading, connection: Connection): AsyncGenerator<StreamItem, Ending> {
  const { options, session } = reading;
  const { clock } = options;
  const arrivals = createArrivals(reading, connection);
  let isConnected = false;
  let markedAt = clock.elapsed();
  for (;;) {
    const next = await connection.next(isConnected && !arrivals.isLive ? arrivals.quietMs : undefined);
    if (next === 'quiet') {
      yield* arrivals.becomeLive(connection.lastBytes.at);
    } else if (next === 'comment') {
      if (!arrivals.isLive || clock.elapsed() < markedAt + MARK_MS) continue;
      markedAt = clock.elapsed();
      session.reach(connection.lastBytes.at.getTime());
      yield session.mark();
    } else if (typeof next === 'string') {
      return { kind: next };
    } else {
      if (next.frame.event === 'connected' || next.frame.event === 'update') {
        isConnected = true;
        yield* session.tell('live');
      }
      const ending = yield* readFrame(reading, arrivals, next);
      if (ending !== undefined) return ending;
    }
  }
}

async function* readFrame(
  { options: { count, token } }: Reading,
  arrivals: Arrivals,
  received: Received,
): AsyncGenerator<StreamItem, Ending | undefined> {
  const { event, data } = received.frame;
  switch (event) {
    case 'connected':
      return undefined;
    case 'update':
      return (yield* arrivals.read(received)) === 'aged' ? { kind: 'aged' } : undefined;
    case 'end':
      // In the middle of a replay it only says that the time was up.
      if (arrivals.isLive) yield* arrivals.becomeLive(received.at);
      return { kind: 'ended' };
    case 'error':
      return { kind: 'error', message: cleaned(errorIn(data), token()) };
    default:
      count('unknown_message');
      return undefined;
  }
}
