/** One stream under one lease: what its steps share. */
import type { Clock } from '../../base/clock.ts';
import type { Tracer } from '../../base/tracing.ts';
import type { Live } from '../../delivery/live/live.ts';
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
import type { OpenGaps } from './gaps.ts';
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
