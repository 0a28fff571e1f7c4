/**
 * The loop of one upstream: the process that has the lease reads the stream and stores what it brings with the cursor
 * that covers it. What was read is kept until it is durable, so a store that fails for a while loses nothing even where
 * the upstream replays nothing. The connector reconnects by itself.
 */
import { awaitLease, type HeldLease } from '../../store/lease.ts';
import type { FeedNow } from '../coverage/feed-reports.ts';
import { isFenced } from './batch.ts';
import { consumeStream } from './consume-stream.ts';
import { createOpenGaps, type UpstreamDeps, type UpstreamStatus } from './consumer.ts';

/** The pause after a stream failed by a defect of ours. */
const RESTART_AFTER_MS = 5_000;
/** The newest gaps are read: an older one that is still open stays as it is. */
const GAPS_READ = 1_000;

export interface UpstreamLoop {
  readonly status: UpstreamStatus;
  /** Runs until the signal aborts, and stores what it has. */
  run(signal: AbortSignal): Promise<void>;
}

interface Loop extends UpstreamDeps {
  readonly change: (changed: Partial<UpstreamStatus>) => void;
  readonly status: () => UpstreamStatus;
}

export function createUpstreamLoop(deps: UpstreamDeps): UpstreamLoop {
  let status: UpstreamStatus = {
    state: 'connecting',
    reason: undefined,
    lastEventAt: undefined,
    completeThrough: undefined,
  };
  const change = (changed: Partial<UpstreamStatus>): void => {
    status = { ...status, ...changed };
  };
  return {
    get status() {
      return status;
    },
    async run(signal) {
      await run({ ...deps, change, status: () => status }, signal);
      await deps.feeds.end(streamNow(deps, { state: 'connecting', reason: 'no process reads the stream' }));
    },
  };
}

async function run(loop: Loop, signal: AbortSignal): Promise<void> {
  const { platform, matching, log, change } = loop;
  tellState(loop, loop.status());
  await Promise.race([matching.loaded, aborted(signal)]);
  while (!signal.aborted) {
    const onHeld = () => {
      change({ state: 'connecting', reason: 'another process reads the stream' });
      loop.feeds.drop(platform.name, 'stream', '');
    };
    const held = await awaitLease(loop, platform.name, { onHeld, signal });
    if (held === undefined) return;
    try {
      await follow(loop, held, signal);
    } catch (error) {
      if (isFenced(error))
        log.warn({ platform: platform.name }, 'another process took over the stream; this one stops');
      else await restartLater(loop, error, signal);
    } finally {
      await held.release().catch(() => {});
    }
  }
}

async function restartLater(loop: Loop, error: unknown, signal: AbortSignal) {
  const { platform, clock, log, change } = loop;
  log.error({ platform: platform.name, err: error }, 'the stream of an upstream failed; restarting in 5 seconds');
  change({ state: 'degraded', reason: 'the stream failed and restarts; the log says why' });
  tellState(loop, loop.status());
  await clock.sleep(RESTART_AFTER_MS, signal);
}

/** Reads the stream for as long as the lease is ours. */
async function follow(loop: Loop, held: HeldLease, signal: AbortSignal): Promise<void> {
  const { name } = loop.platform;
  const ending = new AbortController();
  const both = AbortSignal.any([signal, ending.signal]);
  const keeping = held.keep(both).then(() => ending.abort());
  try {
    loop.change({ completeThrough: await loop.store.coverage(name) });
    tellState(loop, loop.status());
    const gaps = createOpenGaps(await loop.store.gaps({ platform: name, limit: GAPS_READ }));
    const committed = await loop.store.cursor(name);
    const change = (changed: Partial<UpstreamStatus>): void => {
      loop.change(changed);
      tellState(loop, loop.status());
    };
    await consumeStream(
      { ...loop, change, held, gaps, signal: both, end: () => ending.abort(), stopping: signal },
      committed,
    );
  } finally {
    ending.abort();
    await keeping;
  }
}

/** The node that holds the lease reports the stream for all nodes. */
const tellState = (loop: Loop, status: UpstreamStatus): void => loop.feeds.report(streamNow(loop, status));

const streamNow = (
  { platform }: UpstreamDeps,
  { state, reason }: Pick<UpstreamStatus, 'state' | 'reason'>,
): FeedNow => ({
  platform: platform.name,
  kind: 'stream',
  name: '',
  state,
  reason,
  through: undefined,
});

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
