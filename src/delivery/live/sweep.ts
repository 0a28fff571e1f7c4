/**
 * What live subscribers need regularly: signs of life, an end for those who do not read or whose key was revoked by
 * another process, and a second look for matches that another process stored.
 */
import { setImmediate } from 'node:timers/promises';
import { type EndReason, heartbeatFrame } from './frames.ts';
import type { Channel, LiveDeps } from './live.ts';
import type { Subscriber } from './subscriber.ts';

const SWEEP_MS = 500;
const HEARTBEAT_MS = 15_000;
/** With the seconds that it then has to read why, it is gone after thirty. */
const STALLED_MS = 25_000;
/** What may wait to be read, of all subscribers together. */
const MOST_QUEUED = 256 * 1024 * 1024;
/** Subscribers looked at before everything else has its turn. */
const SLICE = 500;

interface SweepDeps extends Pick<LiveDeps, 'clock' | 'cursor' | 'works' | 'matches' | 'log'> {
  readonly channels: ReadonlyMap<string, Channel>;
  end(channel: Channel, subscriber: Subscriber, reason: EndReason): void;
  wake(channel: Channel): Promise<void>;
}

/** Runs while there are subscribers. */
export function createSweep(deps: SweepDeps): { start(): void } {
  const { clock, channels, end, wake, matches, log } = deps;
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    while (channels.size > 0) {
      await clock.sleep(SWEEP_MS);
      try {
        await sweep();
      } catch (error) {
        log.warn({ err: error }, 'subscribers could not be looked after');
      }
    }
    isRunning = false;
  }

  async function sweep(): Promise<void> {
    const latest = await matches.latest();
    for (const channel of channels.values()) {
      if (channel.ring === undefined || channel.ring.end < latest) void wake(channel);
      await checkKeys(channel);
      await checkReaders(channel);
    }
    shedLoad();
  }

  async function checkKeys(channel: Channel): Promise<void> {
    const keyIds = new Set([...channel.subscribers].map(({ keyId }) => keyId));
    for (const keyId of keyIds) {
      if (await deps.works(channel.accountId, keyId)) continue;
      for (const one of channel.subscribers) if (one.keyId === keyId) end(channel, one, 'key_revoked');
    }
  }

  async function checkReaders(channel: Channel): Promise<void> {
    let seen = 0;
    for (const one of channel.subscribers) {
      const now = clock.now().getTime();
      if (one.blockedSince !== undefined && now - one.blockedSince >= STALLED_MS) end(channel, one, 'too_slow');
      else if (now - one.wroteAt >= HEARTBEAT_MS) one.beat(heartbeatOf(channel, one));
      // Where reading failed, it is tried again.
      one.settle();
      if (++seen % SLICE === 0) await setImmediate();
    }
  }

  function heartbeatOf({ accountId, ring }: Channel, one: Subscriber): Buffer {
    const position = one.isInStep && ring !== undefined ? ring.end : one.position;
    return heartbeatFrame(deps.cursor(accountId, position));
  }

  /** The longest queues go first. */
  function shedLoad(): void {
    const blocked = [...channels.values()].flatMap((channel) =>
      [...channel.subscribers].filter((one) => one.blockedSince !== undefined).map((one) => ({ channel, one })),
    );
    let queued = blocked.reduce((sum, { one }) => sum + one.queued, 0);
    if (queued <= MOST_QUEUED) return;
    for (const { channel, one } of blocked.toSorted((left, right) => right.one.queued - left.one.queued)) {
      if (queued <= MOST_QUEUED) return;
      queued -= one.queued;
      end(channel, one, 'too_slow');
    }
  }

  return {
    start() {
      if (!isRunning) void run();
    },
  };
}
