/**
 * Reads one connection from its first frame to its end. Firehose sends its log in order: once the replay is over, bytes
 * that come at some moment show that everything before them has come. The replay is over when an event comes that was
 * matched after we connected, or when nothing comes for a second. If that is wrong, nothing is skipped all the same: the
 * position still has the last id that we saw.
 */
import type { StreamItem } from '../platform.ts';
import { cleaned } from '../upstream-call.ts';
import { type ArrivalContext, Arrivals } from './arrivals.ts';
import type { StreamConnection } from './connection.ts';
import type { Received } from './frame-queue.ts';
import type { Disconnect } from './reconnect-policy.ts';
import { errorIn } from './wire.ts';

/** Comments alone move the cursor at most this often. */
const MARK_MS = 5_000;

export async function* readFirehoseConnection(
  context: ArrivalContext,
  connection: StreamConnection,
): AsyncGenerator<StreamItem, Disconnect> {
  const { options, session } = context;
  const { clock } = options;
  const arrivals = new Arrivals(context, connection);
  let isConnected = false;
  let markedAt = clock.elapsed();
  for (;;) {
    const next = await connection.next(isConnected && !arrivals.isLive ? arrivals.quietMs : undefined);
    if (next === 'quiet') {
      yield* arrivals.becomeLive(connection.lastBytes.readThrough);
    } else if (next === 'comment') {
      if (!arrivals.isLive || clock.elapsed() < markedAt + MARK_MS) continue;
      markedAt = clock.elapsed();
      session.reach(connection.lastBytes.readThrough.getTime());
      yield session.mark();
    } else if (typeof next === 'string') {
      return { kind: next };
    } else {
      if (next.frame.event === 'connected' || next.frame.event === 'update') {
        isConnected = true;
        yield* session.tell('live');
      }
      const disconnect = yield* readFrame(context, arrivals, next);
      if (disconnect !== undefined) return disconnect;
    }
  }
}

async function* readFrame(
  { options: { count, token } }: ArrivalContext,
  arrivals: Arrivals,
  received: Received,
): AsyncGenerator<StreamItem, Disconnect | undefined> {
  const { event, data } = received.frame;
  switch (event) {
    case 'connected':
      return undefined;
    case 'update':
      return (yield* arrivals.read(received)) === 'aged' ? { kind: 'aged' } : undefined;
    case 'end':
      // During a replay it only says that the timeout has passed.
      if (arrivals.isLive) yield* arrivals.becomeLive(received.readThrough);
      return { kind: 'ended' };
    case 'error':
      return { kind: 'error', message: cleaned(errorIn(data), token()) };
    default:
      count('unknown_message');
      return undefined;
  }
}
