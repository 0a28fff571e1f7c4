/**
 * The next transaction of an upstream's stream: it grows by items, and is stored with the cursor that covers them. What it
 * holds is kept until it is durable.
 */
import type { Clock } from '../../base/clock.ts';
import type { Live } from '../../delivery/live/live.ts';
import type { Gap } from '../../domain/gap.ts';
import type { Platform } from '../../domain/platform.ts';
import { StoreError } from '../../store/error.ts';
import type { Broken, Commit, CommitEvent } from '../../store/store.ts';
import type { Ingest } from '../ingest/ingest.ts';
import type { HeldLease } from '../lease.ts';
import type { Metrics } from '../telemetry.ts';
import type { Reached } from './ordered-cursor.ts';

/** What a transaction may hold: it stays short. */
const MOST_ROWS = 1_000;
const MOST_ITEMS = 200;
/** Milliseconds before a commit is tried again; the last is repeated. */
const RETRY_AFTER: readonly number[] = [100, 250, 500, 1_000];
/** What is kept of a record that cannot be read. */
const SAMPLE = 4 * 1024;

export interface UpstreamBatch {
  /** Another item is taken in. */
  begin(): void;
  /** The parts of an event. Those that do not fit are stored in a transaction of their own; the cursor comes after the last. */
  add(events: readonly CommitEvent[]): Promise<void>;
  gaps(gaps: readonly Gap[]): void;
  broken(reason: string, sample: string): void;
  readonly isFull: boolean;
  /** Stores it, and where the stream resumes. Answers when that is durable; throws `fenced` when it is another's to store. */
  flush(reached?: Reached): Promise<void>;
}

interface Deps {
  readonly name: Platform;
  readonly held: HeldLease;
  readonly ingest: Pick<Ingest, 'commit'>;
  readonly live: Pick<Live, 'announce'>;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** Ends trying. */
  readonly signal: AbortSignal;
}

export function createUpstreamBatch({ name, held, ingest, live, clock, metrics, signal }: Deps): UpstreamBatch {
  let [events, gaps, broken]: [CommitEvent[], Gap[], Broken[]] = [[], [], []];
  let [items, rows] = [0, 0];

  async function flush(reached?: Reached): Promise<void> {
    const taken = { events, gaps, broken };
    [events, gaps, broken] = [[], [], []];
    [items, rows] = [0, 0];
    if (reached === undefined && taken.events.length + taken.gaps.length + taken.broken.length === 0) return;
    const { repeats } = await persist({
      platform: name,
      at: clock.now(),
      events: taken.events,
      ...(reached && { cursor: { name, value: reached.cursor } }),
      upstream: {
        lease: held.lease,
        gaps: taken.gaps,
        broken: taken.broken,
        ...(reached && { completeThrough: reached.at }),
      },
    });
    for (let repeat = 0; repeat < repeats; repeat++) metrics.stream(name, 'dup');
    for (const gap of taken.gaps) live.announce(gap);
  }

  /** Until it is durable, or somebody else has the lease, or we stop. */
  async function persist(commit: Commit): ReturnType<Ingest['commit']> {
    for (let tries = 0; ; tries++) {
      try {
        await held.confirm();
        return await ingest.commit(commit);
      } catch (error) {
        if (isFenced(error) || signal.aborted) throw error;
        await clock.sleep(RETRY_AFTER[Math.min(tries, RETRY_AFTER.length - 1)]!, signal);
      }
    }
  }

  return {
    begin() {
      items++;
    },
    async add(parts) {
      for (const part of parts) {
        events.push(part);
        rows += 1 + part.matches.length;
        if (parts.length > 1 && rows >= MOST_ROWS) await flush();
      }
    },
    gaps: (changed) => void gaps.push(...changed),
    broken(reason, sample) {
      metrics.rejected(name);
      broken.push({ reason, sample: sample.slice(0, SAMPLE) });
    },
    get isFull() {
      return items >= MOST_ITEMS || rows >= MOST_ROWS;
    },
    flush,
  };
}

export const isFenced = (error: unknown): boolean => error instanceof StoreError && error.reason === 'fenced';
