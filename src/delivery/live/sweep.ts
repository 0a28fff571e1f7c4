/**
 * The regular care of live subscribers: heartbeats, an end for readers that stalled and for keys that another process
 * revoked, and a second look for matches that another process stored.
 */

import { visitInTurns } from '../../base/cooperate.ts';
import type { Channel, Channels } from './channel.ts';
import { coverageFrame, type EndReason, heartbeatFrame } from './frames.ts';
import type { LiveDeps } from './match-log.ts';
import type { Subscriber } from './subscriber.ts';

const SWEEP_MS = 500;
const HEARTBEAT_MS = 15_000;
const COVERAGE_MS = 15_000;
/** With the 5 seconds that it then has to read why, a stalled reader is gone after 30. */
const STALLED_MS = 25_000;
/** Bytes that may wait to be read, of all subscribers together. */
const MOST_QUEUED = 256 * 1024 * 1024;

export interface SweepDeps
  extends Pick<LiveDeps, 'clock' | 'placeCursor' | 'works' | 'sessionWorks' | 'matches' | 'coverage' | 'log'> {
  readonly channels: Channels;
  end(channel: Channel, subscriber: Subscriber, reason: EndReason): void;
  wake(channel: Channel): Promise<void>;
}

/** Runs while there are subscribers. */
export function createSweep(deps: SweepDeps): { start(): void } {
  let isRunning = false;
  async function run(): Promise<void> {
    isRunning = true;
    while (!deps.channels.isEmpty) {
      await deps.clock.sleep(SWEEP_MS);
      try {
        await sweep(deps);
      } catch (error) {
        deps.log.warn({ err: error }, 'Live subscribers cannot be checked. Retrying in half a second.');
      }
    }
    isRunning = false;
  }
  return {
    start() {
      if (!isRunning) void run();
    },
  };
}

async function sweep(deps: SweepDeps): Promise<void> {
  const latest = await deps.matches.latest();
  const coverageOf = sharedCoverage(deps);
  for (const channel of deps.channels.all()) {
    if (channel.ring === undefined || channel.ring.end < latest) void deps.wake(channel);
    await checkKeys(deps, channel);
    await checkReaders(deps, channel, coverageOf);
  }
  const readers = deps.channels.everySubscriber();
  for (const { channel, subscriber } of slowest(readers)) deps.end(channel, subscriber, 'too_slow');
}

async function checkKeys({ works, sessionWorks, end }: SweepDeps, channel: Channel): Promise<void> {
  const keyIds = new Set([...channel.subscribers].map(({ keyId }) => keyId));
  for (const keyId of keyIds) {
    if (await works(channel.accountId, keyId)) continue;
    for (const one of channel.subscribers) if (one.keyId === keyId) end(channel, one, 'key_revoked');
  }
  const sessions = new Set([...channel.subscribers].flatMap(({ session }) => session ?? []));
  for (const session of sessions) {
    if (await sessionWorks(session)) continue;
    for (const one of channel.subscribers) if (one.session === session) end(channel, one, 'session_ended');
  }
}

async function checkReaders(
  { clock, placeCursor, end }: SweepDeps,
  channel: Channel,
  coverageOf: (channel: Channel, one: Subscriber) => Promise<string | undefined>,
): Promise<void> {
  await visitInTurns(clock, channel.subscribers, async (one) => {
    const { isStalled, wantsHeartbeat, wantsCoverage } = readerState(one, clock.elapsed());
    if (isStalled) end(channel, one, 'too_slow');
    else if (wantsHeartbeat || wantsCoverage) {
      const coverage = await coverageOf(channel, one);
      if (wantsHeartbeat)
        one.beat(heartbeatFrame(placeCursor(channel.accountId, heartbeatPosition(channel, one)), coverage));
      else if (coverage !== undefined) one.beat(coverageFrame(coverage));
      // Also where it could not be read. It is no earlier than the frame: on a quiet stream the heartbeat comes first, with its id.
      one.coverageAt = clock.elapsed();
    }
    // A subscriber whose reading failed tries again here.
    one.resume();
  });
}

/** Asked once in a sweep for all streams of an account that want the same matches. A heartbeat goes out without it, too. */
function sharedCoverage({ coverage, log }: SweepDeps) {
  const asked = new Map<string, Promise<string | undefined>>();
  return async ({ accountId }: Channel, { filter }: Subscriber): Promise<string | undefined> => {
    if (coverage === undefined) return undefined;
    const key = JSON.stringify([accountId, filter]);
    const known =
      asked.get(key) ??
      coverage(accountId, filter).catch((error: unknown) => {
        log.warn({ err: error }, 'The coverage of a live stream cannot be read.');
        return undefined;
      });
    asked.set(key, known);
    return known;
  };
}

interface WriterState {
  readonly blockedSince: number | undefined;
  readonly wroteAt: number;
}

interface ReaderState {
  readonly writer: WriterState;
  /** When coverage was last told. */
  readonly coverageAt: number;
}

/** A busy stream needs no heartbeat, and is told its coverage all the same. */
export const readerState = (
  { writer: { blockedSince, wroteAt }, coverageAt }: ReaderState,
  now: number,
): { isStalled: boolean; wantsHeartbeat: boolean; wantsCoverage: boolean } => ({
  isStalled: blockedSince !== undefined && now - blockedSince >= STALLED_MS,
  wantsHeartbeat: now - wroteAt >= HEARTBEAT_MS,
  wantsCoverage: blockedSince === undefined && now - coverageAt >= COVERAGE_MS,
});

const heartbeatPosition = ({ ring }: Channel, one: Subscriber): number =>
  one.isInStep && ring !== undefined ? ring.end : one.position;

/** Chooses the readers with the longest queues, as many as must go so that the others' queues fit into the limit. */
export function slowest<
  T extends {
    readonly subscriber: { readonly writer: Pick<WriterState, 'blockedSince'> & { readonly queued: number } };
  },
>(readers: readonly T[], limit = MOST_QUEUED): T[] {
  const queuedBy = ({ subscriber }: T): number => subscriber.writer.queued;
  const blocked = readers.filter(({ subscriber }) => subscriber.writer.blockedSince !== undefined);
  let queued = blocked.reduce((sum, one) => sum + queuedBy(one), 0);
  const longestFirst = queued <= limit ? [] : blocked.toSorted((left, right) => queuedBy(right) - queuedBy(left));
  return longestFirst.filter((one) => {
    if (queued <= limit) return false;
    queued -= queuedBy(one);
    return true;
  });
}
