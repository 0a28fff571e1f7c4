/**
 * A second look at ids that were left out. Offsets need not follow each other, so a jump proves nothing: the log is
 * asked once for what should have been there. After an outage it is asked for the last event that we know of as well:
 * while the buffer still has that one, it has everything since.
 */
import type { Pace } from '../pace.ts';
import { PlatformError, type StreamItem } from '../platform.ts';
import type { UpstreamOptions } from '../upstream.ts';
import { openConnection } from './connection.ts';
import type { Received } from './frame-queue.ts';
import { readId, type Step } from './stream-position.ts';

const MOST_PROBES = 6;
const HOUR_MS = 3_600_000;
const MOST_EVENTS = 10_000;
/** Seconds; what there is comes at once. */
const TIMEOUT = 5;

export interface Found {
  /** The upstream answered, and all of it was read. */
  readonly isComplete: boolean;
  /** The buffer still has the last event that we knew. */
  readonly reachesBack: boolean;
}

export type Probe = (
  missing: NonNullable<Step['missing']>,
  how: {
    readonly isAfterOutage: boolean;
    readonly read: (received: Received) => AsyncIterable<StreamItem>;
    readonly signal: AbortSignal;
  },
) => AsyncGenerator<StreamItem, Found>;

export function createProbe(options: UpstreamOptions, connects: Pace): Probe {
  const { clock, count, log } = options;
  let made: number[] = [];

  function isAllowed(): boolean {
    made = made.filter((at) => at > clock.elapsed() - HOUR_MS);
    return made.length < MOST_PROBES;
  }

  return async function* probe({ last, before }, { isAfterOutage, read, signal }) {
    let found = 0;
    let reachesBack = false;
    let isComplete = false;
    if (!isAllowed()) return { isComplete, reachesBack };
    made.push(clock.elapsed());
    const offset = isAfterOutage ? last : last + 1;
    const limit = Math.min(before - offset + 1, MOST_EVENTS);
    for await (const received of eventsFrom(options, connects, { offset, limit }, signal)) {
      const at = received === 'end' ? undefined : readId(received.frame.id ?? '').offset;
      isComplete ||= received === 'end' || (at ?? 0) >= before;
      if (received === 'end' || isComplete) break;
      if (at === last) reachesBack = true;
      else if (at !== undefined && at > last) {
        found++;
        yield* read(received);
      }
    }
    if (found > 0)
      log.warn({ platform: 'firehose', found }, 'events that the stream had left out were found in its buffer');
    else if (isComplete && (reachesBack || !isAfterOutage)) count('gap_benign');
    return { isComplete, reachesBack };
  };
}

async function* eventsFrom(
  options: UpstreamOptions,
  connects: Pace,
  asked: { offset: number; limit: number },
  signal: AbortSignal,
): AsyncGenerator<Received | 'end'> {
  await connects.turn(signal);
  if (signal.aborted) return;
  try {
    const resume = { kind: 'offset', ...asked } as const;
    const connection = await openConnection(options, { resume, timeout: TIMEOUT }, signal);
    if ('status' in connection) {
      options.log.warn(
        { platform: 'firehose', status: connection.status },
        'ids that were left out could not be asked for',
      );
      return;
    }
    options.count('connect');
    try {
      for (;;) {
        const next = await connection.next();
        if (next === 'comment' || next === 'quiet') continue;
        if (typeof next === 'string' || next.frame.event === 'error') return;
        if (next.frame.event === 'end') yield 'end';
        else if (next.frame.event === 'update') yield next;
      }
    } finally {
      connection.close();
    }
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    options.log.warn({ platform: 'firehose', err: error }, 'ids that were left out could not be asked for');
  }
}
