/**
 * The loop of one upstream: whoever has the lease reads the stream and stores what it brings with the cursor that covers
 * it. What was read is kept until it is durable: where an upstream replays nothing, a store that fails for a while loses
 * nothing either. Reconnecting is the connector's own business.
 */
import type { Clock } from '../../base/clock.ts';
import type { Live } from '../../delivery/live/live.ts';
import type { LivePlatform, StreamState } from '../../platforms/platform.ts';
import type { Store } from '../../store/store.ts';
import type { Ingest } from '../ingest/ingest.ts';
import type { Matching } from '../ingest/matching.ts';
import { awaitLease, type HeldLease, type Holder } from '../lease.ts';
import type { Registrations } from '../registrations/registrations.ts';
import type { Log, Metrics } from '../telemetry.ts';
import { isFenced } from './batch.ts';
import { readStream } from './consume-stream.ts';
import { createOpenGaps } from './gaps.ts';

/** After a defect of a connector. */
const START_AGAIN_MS = 5_000;
const GAPS_LOOKED_AT = 1_000;

export interface UpstreamStatus {
  readonly state: StreamState;
  readonly reason: string | undefined;
  /** When the last event reached us. */
  readonly lastEventAt: Date | undefined;
  /** Up to when the stream was whole, and that is durable. */
  readonly completeThrough: Date | undefined;
}

export interface Upstream {
  readonly status: UpstreamStatus;
  /** Runs until the signal aborts, and stores what it has. */
  run(signal: AbortSignal): Promise<void>;
}

export interface UpstreamDeps {
  readonly platform: LivePlatform;
  readonly store: Pick<Store, 'cursor' | 'coverage' | 'gaps' | 'takeLease' | 'releaseLease'>;
  readonly ingest: Pick<Ingest, 'commit'>;
  readonly matching: Pick<Matching, 'loaded' | 'matchInSlices' | 'holders' | 'queryOf'>;
  readonly registrations: Pick<Registrations, 'resolve' | 'rulesHeld' | 'reconcile' | 'standsAlone'>;
  readonly live: Pick<Live, 'announce'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly holder: Holder;
}

export function createUpstream(deps: UpstreamDeps): Upstream {
  const { platform, store, matching, clock, log } = deps;
  const { name } = platform;
  let status: UpstreamStatus = {
    state: 'connecting',
    reason: undefined,
    lastEventAt: undefined,
    completeThrough: undefined,
  };
  const change = (changed: Partial<UpstreamStatus>): void => {
    status = { ...status, ...changed };
  };

  async function run(signal: AbortSignal): Promise<void> {
    await Promise.race([matching.loaded, aborted(signal)]);
    while (!signal.aborted) {
      const onHeld = () => change({ state: 'connecting', reason: 'another process reads the stream' });
      const held = await awaitLease(deps, name, { onHeld, signal });
      if (held === undefined) return;
      try {
        await follow(held, signal);
      } catch (error) {
        if (isFenced(error)) log.warn({ platform: name }, 'another process reads the stream by now; this one stops');
        else await complain(error, signal);
      } finally {
        await held.release().catch(() => {});
      }
    }
  }

  async function complain(error: unknown, signal: AbortSignal): Promise<void> {
    log.error({ platform: name, err: error }, 'the stream of an upstream failed; it is started again');
    change({ state: 'degraded', reason: 'the stream failed here; the log says more' });
    await clock.sleep(START_AGAIN_MS, signal);
  }

  async function follow(held: HeldLease, signal: AbortSignal): Promise<void> {
    const ending = new AbortController();
    const both = AbortSignal.any([signal, ending.signal]);
    const keeping = held.keep(both).then(() => ending.abort());
    try {
      change({ completeThrough: await store.coverage(name) });
      const gaps = createOpenGaps(await store.gaps({ platform: name, limit: GAPS_LOOKED_AT }));
      const committed = await store.cursor(name);
      const end = () => ending.abort();
      await readStream({ ...deps, held, gaps, committed, change, signal: both, end, stopping: signal });
    } finally {
      ending.abort();
      await keeping;
    }
  }

  return {
    get status() {
      return status;
    },
    run,
  };
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
