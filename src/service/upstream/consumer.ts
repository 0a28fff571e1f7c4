/** One stream under one lease: what its steps share. */
import type { HeldLease } from '../../store/lease.ts';
import { createUpstreamBatch, type UpstreamBatch } from './batch.ts';
import type { OpenGaps } from './gaps.ts';
import { createOrderedCursor, type OrderedCursor, type Reached } from './ordered-cursor.ts';
import type { UpstreamDeps, UpstreamStatus } from './upstream-deps.ts';
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
