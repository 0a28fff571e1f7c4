/** The parts that the loop of an upstream works with, and the status that it reports. Types only. */
import type { Clock } from '../../base/clock.ts';
import type { Tracer } from '../../base/tracing.ts';
import type { Live } from '../../delivery/live/live.ts';
import type { Platform } from '../../domain/platform.ts';
import type { LivePlatform, StreamState } from '../../platforms/platform.ts';
import type { Holder } from '../../store/lease.ts';
import type { Store } from '../../store/store.ts';
import type { FeedReports } from '../coverage/feed-reports.ts';
import type { Ingest } from '../ingest/ingest.ts';
import type { Matching } from '../ingest/matching.ts';
import type { Registrations } from '../registrations/registrations.ts';
import type { Log, Metrics } from '../telemetry.ts';

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
