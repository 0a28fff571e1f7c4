/**
 * Asks the log for ids that the stream left out. Offsets need not be consecutive, so a jump proves nothing. After an
 * outage the log is asked for the last event that we know as well: if the buffer still has it, it has everything since.
 */
import type { Pace } from '../pace.ts';
import { PlatformError, type StreamItem, type UpstreamOptions } from '../platform.ts';
import { openConnection, type Refusal } from './connection.ts';
import type { Received } from './frame-queue.ts';
import { consequenceOf } from './reconnect-policy.ts';
import { parseEventId, type Step } from './stream-position.ts';

const MOST_PROBES = 6;
const HOUR_MS = 3_600_000;
const MOST_EVENTS = 10_000;
/** Seconds. The log sends what it has at once. */
const TIMEOUT = 5;
const CANNOT_ASK = 'Firehose could not be asked for ids that the stream left out';

export interface ProbeResult {
  /** Firehose answered, and all of the answer was read. */
  readonly isComplete: boolean;
  /** The buffer still has the last event that we know. */
  readonly reachesBack: boolean;
}

export type Probe = (
  missing: NonNullable<Step['missing']>,
  how: {
    readonly isAfterOutage: boolean;
    readonly read: (received: Received) => AsyncIterable<StreamItem>;
    readonly signal: AbortSignal;
  },
) => AsyncGenerator<StreamItem, ProbeResult>;

export function createProbe(options: UpstreamOptions, connects: Pace): Probe {
  const { clock, count, log } = options;
  let made: number[] = [];

  function isAllowed(): boolean {
    // The stream goes on meanwhile: it does not wait until Firehose may be asked again.
    if (connects.held > 0) return false;
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
      const at = received === 'end' ? undefined : parseEventId(received.frame.id ?? '').offset;
      isComplete ||= received === 'end' || (at ?? 0) >= before;
      if (received === 'end' || isComplete) break;
      if (at === last) reachesBack = true;
      else if (at !== undefined && at > last) {
        found++;
        yield* read(received);
      }
    }
    if (found > 0) log.warn({ platform: 'firehose', found }, 'the buffer had events that the stream left out');
    else if (isComplete && (reachesBack || !isAfterOutage)) count('gap_benign');
    return { isComplete, reachesBack };
  };
}

/** Firehose counts probes and the stream together: what it says to one holds for both. */
function hold({ random }: UpstreamOptions, connects: Pace, refusal: Refusal): void {
  if (refusal.status !== 429 && refusal.retryAfter === undefined) return;
  const next = consequenceOf({ kind: 'refused', ...refusal }, { failures: 1, random, retry: undefined });
  connects.hold(next?.waitMs ?? 0);
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
      options.log.warn({ platform: 'firehose', status: connection.status }, CANNOT_ASK);
      hold(options, connects, connection);
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
    options.log.warn({ platform: 'firehose', err: error }, CANNOT_ASK);
  }
}
