/** One stream under one lease: what its steps share. */
import type { Clock } from '../../base/clock.ts';
import type { Tracer } from '../../base/tracing.ts';
import type { Live } from '../../delivery/live/live.ts';
import type { Gap } from '../../domain/coverage.ts';
import type { Platform } from '../../domain/platform.ts';
import type { LivePlatform, StreamState } from '../../platforms/platform.ts';
import type { HeldLease, Holder } from '../../store/lease.ts';
import type { Store } from '../../store/store.ts';
import type { FeedReports } from '../coverage/feed-reports.ts';
import type { Ingest } from '../ingest/ingest.ts';
import type { Matching } from '../ingest/matching.ts';
import type { Registrations } from '../registrations/registrations.ts';
import type { Log, Metrics } from '../telemetry.ts';
import { createUpstreamBatch, type UpstreamBatch } from './batch.ts';
import { createOrderedCursor, type OrderedCursor, type Reached } from './ordered-cursor.ts';
import { createVerdicts, type Verdicts } from './verdicts.ts';

export interface ConsumerDeps extends UpstreamDeps {
  readonly held: HeldLease;
  readonly gaps: OpenGaps;
  readonly change: (changed: Partial<UpstreamStatus>) => void;
  /** Ends the stream. */
  readonly signal: AbortSignal;
  readonly end: () => void;
  /** Ends trying to store, too. */
  readonly stopping: AbortSignal;
}

export interface Consumer extends ConsumerDeps {
  readonly verdicts: Verdicts;
  readonly batch: UpstreamBatch;
  readonly order: OrderedCursor;
  /** When the held arrivals were last judged again, on the monotonic clock. */
  lookedAt: number;
}

export function createConsumer(deps: ConsumerDeps): Consumer {
  const { name } = deps.platform;
  return {
    ...deps,
    verdicts: createVerdicts({ ...deps, platform: name, rules: deps.matching.rules[name] }),
    batch: createUpstreamBatch({ ...deps, name, signal: deps.stopping }),
    order: createOrderedCursor(),
    lookedAt: deps.clock.elapsed(),
  };
}

/** An item is done with: the cursor may pass it, and gaps that an earlier run left open may close. */
export function pass({ batch, gaps, order }: Consumer, reached: Reached): void {
  batch.gaps(gaps.whole(reached.through));
  order.pass(reached);
}

/** The parts that the loop of an upstream works with, and the status that it reports. Types only. */

export interface UpstreamStatus {
  readonly state: StreamState;
  readonly reason: string | undefined;
  /** When the last event reached us. */
  readonly lastEventAt: Date | undefined;
  /** Everything up to this time has arrived and is durable. */
  readonly completeThrough: Date | undefined;
}

export interface UpstreamDeps {
  readonly platform: LivePlatform;
  readonly store: Pick<Store, 'cursor' | 'coverage' | 'gaps' | 'takeLease' | 'releaseLease'>;
  readonly ingest: Pick<Ingest, 'commit'>;
  readonly matching: Pick<Matching, 'loaded' | 'rules'>;
  readonly registrations: Pick<Registrations, 'resolve' | 'rulesHeld' | 'reconcile' | 'standsAlone' | 'heldAt'>;
  readonly live: Pick<Live, 'announce'>;
  /** Every node tells callers the state of the stream from here. */
  readonly feeds: Pick<FeedReports, 'report' | 'drop' | 'end'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly holder: Holder;
  readonly tracer?: Tracer | undefined;
  /** Hears when the stream's state changes, and why. */
  onState?(platform: Platform, state: StreamState, reason: string | undefined): void;
  /** Erases what is stored of posts that their platform announced as deleted. */
  eraseDeleted(platform: Platform, postIds: readonly string[]): Promise<unknown>;
  /** Resolves when this node matches by the rules that callers count on; throws while it cannot know. */
  current(): Promise<void>;
}

/** A connector that still fetches what is missing has this long after `live` to report it. */
const REPORT_WITHIN_MS = 60_000;

interface OpenGaps {
  /** A gap that the connector reports: returns all gaps to be stored, and whether this one is new. */
  merge(gap: Gap): { readonly gaps: readonly Gap[]; readonly isNew: boolean };
  live(at: Date): void;
  /** The stream is complete at this time: returns the gaps that close with it. */
  whole(at: Date): readonly Gap[];
}

/**
 * The gaps of one stream. A connector knows those of its own run. A gap that an earlier run left open is closed here: by
 * the gap that the new run reports in its place, or, when none is reported, at the time the stream was live again. It
 * then counts as not recovered.
 */
export function createOpenGaps(left: readonly Gap[]): OpenGaps {
  /** Gaps that an earlier run left open. */
  let earlier = left.filter(({ to }) => to === undefined);
  let liveAt: Date | undefined;
  const known = new Set(left.map(({ from }) => from.getTime()));

  return {
    merge(gap) {
      const isNew = !known.has(gap.from.getTime());
      known.add(gap.from.getTime());
      earlier = earlier.filter(({ from }) => from.getTime() !== gap.from.getTime());
      const { from: begin, to, recovered } = gap;
      if (to === undefined) return { gaps: [gap], isNew };
      const inside = earlier.filter(({ from }) => from > begin && from <= to);
      earlier = earlier.filter((one) => !inside.includes(one));
      return { gaps: [gap, ...inside.map((one) => ({ ...one, to, recovered }))], isNew };
    },
    live(at) {
      liveAt ??= at;
    },
    whole(at) {
      if (earlier.length === 0 || liveAt === undefined) return [];
      if (at.getTime() - liveAt.getTime() < REPORT_WITHIN_MS) return [];
      const end = liveAt;
      const closed = earlier.map((gap) => ({ ...gap, to: end > gap.from ? end : gap.from }));
      earlier = [];
      return closed;
    },
  };
}
