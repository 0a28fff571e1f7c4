/**
 * The next transaction of an upstream's stream. It grows by items and is stored with the cursor that covers them. Its
 * contents are kept until they are durable.
 */
import type { Clock } from '../../base/clock.ts';
import { inSpan, type TraceContext, type Tracer } from '../../base/tracing.ts';
import type { Live } from '../../delivery/live/live.ts';
import type { Gap } from '../../domain/coverage.ts';
import type { Platform } from '../../domain/platform.ts';
import { StoreError } from '../../store/error.ts';
import type { HeldLease } from '../../store/lease.ts';
import type { Broken, Commit, CommitEvent, Lease } from '../../store/store.ts';
import type { Ingest } from '../ingest/ingest.ts';
import { processSpan } from '../ingest/ingest-spans.ts';
import type { Metrics } from '../telemetry.ts';
import type { Reached } from './ordered-cursor.ts';

/** A transaction of this size is stored before more is added, so that it stays short. */
const MAX_ROWS = 1_000;
const MAX_ITEMS = 200;
/** Milliseconds before a commit is tried again. The last one is repeated. */
const RETRY_AFTER_MS: readonly number[] = [100, 250, 500, 1_000];
/** Characters that are kept of a record that cannot be read. */
const SAMPLE_LENGTH = 4 * 1024;

export interface UpstreamBatch {
  /** Another item is taken in. */
  begin(): void;
  /** The parts of an event. What does not fit is stored in a transaction of its own; the cursor comes with the last. */
  add(events: readonly CommitEvent[]): Promise<void>;
  gaps(gaps: readonly Gap[]): void;
  broken(reason: string, sample: string): void;
  readonly isFull: boolean;
  /** Stores the batch, and where the stream resumes. Resolves when that is durable; throws `fenced` when the lease is another's. */
  flush(reached?: Reached): Promise<void>;
}

interface Deps {
  readonly name: Platform;
  readonly held: Pick<HeldLease, 'lease' | 'confirm'>;
  readonly ingest: Pick<Ingest, 'commit'>;
  readonly live: Pick<Live, 'announce'>;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** Ends trying. */
  readonly signal: AbortSignal;
  readonly tracer?: Tracer | undefined;
}

interface Contents {
  readonly events: CommitEvent[];
  readonly gaps: Gap[];
  readonly broken: Broken[];
  items: number;
  rows: number;
}

const noContents = (): Contents => ({ events: [], gaps: [], broken: [], items: 0, rows: 0 });

export function createUpstreamBatch(deps: Deps): UpstreamBatch {
  const { name, live, metrics } = deps;
  let contents = noContents();

  async function flush(reached?: Reached): Promise<void> {
    const taken = contents;
    contents = noContents();
    if (reached === undefined && taken.events.length + taken.gaps.length + taken.broken.length === 0) return;
    const { repeats } = await persistTraced(deps, commitOf(name, deps.held.lease, deps.clock.now(), taken, reached));
    for (let repeat = 0; repeat < repeats; repeat++) metrics.stream(name, 'dup');
    for (const gap of taken.gaps) live.announce(gap);
  }

  return {
    begin() {
      contents.items++;
    },
    async add(parts) {
      for (const part of parts) {
        contents.events.push(part);
        contents.rows += 1 + part.matches.length;
        if (parts.length > 1 && contents.rows >= MAX_ROWS) await flush();
      }
    },
    gaps: (changed) => void contents.gaps.push(...changed),
    broken(reason, sample) {
      metrics.rejected(name);
      contents.broken.push({ reason, sample: sample.slice(0, SAMPLE_LENGTH) });
    },
    get isFull() {
      return contents.items >= MAX_ITEMS || contents.rows >= MAX_ROWS;
    },
    flush,
  };
}

const commitOf = (
  name: Platform,
  lease: Lease,
  at: Date,
  { events, gaps, broken }: Contents,
  reached: Reached | undefined,
): Commit => ({
  platform: name,
  at,
  events,
  ...(reached && { cursor: { name, value: reached.cursor } }),
  upstream: { lease, gaps, broken, ...(reached && { completeThrough: reached.through }) },
});

/** Arrivals begin a trace; a cursor that moves alone does not. */
const persistTraced = (deps: Deps, commit: Commit): ReturnType<Ingest['commit']> =>
  deps.tracer === undefined || commit.events.length === 0
    ? persist(deps, commit)
    : inSpan(
        processSpan(deps.tracer, { platform: deps.name, source: deps.name }, []),
        (trace) => persist(deps, commit, [trace]),
        ({ added }) => ({ 'messaging.batch.message_count': commit.events.length, 'sluice.matches': added }),
      );

/** Tries until the commit is durable, another process has the lease, or we stop. */
async function persist(
  { held, ingest, clock, signal }: Deps,
  commit: Commit,
  traces?: readonly TraceContext[],
): ReturnType<Ingest['commit']> {
  for (let tries = 0; ; tries++) {
    try {
      await held.confirm();
      return await ingest.commit(commit, traces);
    } catch (error) {
      if (isFenced(error) || signal.aborted) throw error;
      await clock.sleep(RETRY_AFTER_MS[Math.min(tries, RETRY_AFTER_MS.length - 1)]!, signal);
    }
  }
}

export const isFenced = (error: unknown): boolean => error instanceof StoreError && error.reason === 'fenced';
