/**
 * Stores what waits in the log. Matchers share its shards by leases, which spare them work twice and are no guard: who reads a shard
 * goes along it from its oldest pack, so that two readers store the same packs in the same order, each once.
 */
import type { Clock } from '../../base/clock.ts';
import { type EventLog, LOG_SHARDS, type LoggedPack } from '../../broker/broker.ts';
import type { Platform } from '../../domain/platform.ts';
import { PUSH_SOURCE } from '../../domain/source.ts';
import type { Holder } from '../../store/lease.ts';
import { createShards } from '../../store/shards.ts';
import type { Store } from '../../store/store.ts';
import type { Log } from '../telemetry.ts';
import type { Ingest } from './ingest.ts';

export interface LogDrain {
  /** Runs until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

interface Deps {
  readonly events: EventLog;
  readonly here: Pick<Ingest, 'push'>;
  readonly store: Pick<Store, 'isShared' | 'takeLease' | 'releaseLease' | 'nodes' | 'noteGaps'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly holder: Holder;
  /** Events that were pushed from a time on are stored. */
  readonly onStored: (platform: Platform, accountId: string | undefined, since: Date) => Promise<void>;
}

export function createLogDrain(deps: Deps): LogDrain {
  const { events } = deps;
  const shards = createShards({ ...deps, work: 'log', count: LOG_SHARDS, role: 'matcher', pauseMs: 0 });
  return {
    async run(signal) {
      const reading = new Map<number, Promise<void>>();
      async function read(shard: number): Promise<void> {
        const ending = AbortSignal.any([signal, shards.signalOf(shard)]);
        await events.read(shard, (packs) => storePacks(deps, packs), ending);
        reading.delete(shard);
        // It was lost and may be ours again by now.
        if (!signal.aborted) readHeld();
      }
      const readHeld = () => {
        for (const shard of shards.held()) if (!reading.has(shard)) reading.set(shard, read(shard));
      };
      await shards.run(signal, readHeld);
      await Promise.all(reading.values());
    },
  };
}

/** Accounts go side by side; what is of one account goes one after another. */
async function storePacks(deps: Deps, packs: readonly LoggedPack[]): Promise<void> {
  const ofAccounts = Map.groupBy(packs, ({ accountId }) => accountId);
  await Promise.all(
    Array.from(ofAccounts.values(), async (own) => {
      for (const run of runsOf(own)) await storeRun(deps, run);
    }),
  );
}

type Run = [LoggedPack, ...LoggedPack[]];

/** Packs that follow each other and are alike are stored as one push. */
function runsOf(packs: readonly LoggedPack[]): Run[] {
  const runs: Run[] = [];
  for (const pack of packs) {
    const last = runs.at(-1);
    if (last !== undefined && last[0].platform === pack.platform && last[0].source === pack.source) last.push(pack);
    else runs.push([pack]);
  }
  return runs;
}

async function storeRun({ here, store, log, onStored }: Deps, run: Run): Promise<void> {
  const [{ platform, accountId, source = PUSH_SOURCE, at, trace }] = run;
  const lines = Buffer.concat(run.flatMap((pack) => [pack.lines, Buffer.from('\n')]));
  const { accepted, rejected, moreRejected } = await here.push(platform, lines, accountId, source, trace);
  if (accepted > 0) await onStored(platform, accountId, at);
  if (rejected.length === 0) return;
  // Nobody waits for an answer any more: what is missing is told as what a source brought and could not be read is.
  log.warn(
    { platform, accountId, refused: rejected.length + moreRejected, problem: rejected[0]!.problem },
    'logged lines are no events',
  );
  const to = new Date(run.at(-1)!.at.getTime() + 1);
  const gap = { platform, from: at, to, source, cause: `source_unread:${source}`, recovered: false };
  await store.noteGaps([{ ...gap, ...(accountId !== undefined && { accountId }) }]);
}
