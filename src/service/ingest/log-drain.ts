/**
 * Stores what waits in the log; what the store refuses by itself is put aside, so that what comes after it goes on. Matchers share its shards by leases, which spare them work twice and are no guard: who reads a shard
 * goes along it from its oldest pack, so that two readers store the same packs in the same order, each once.
 */
import type { Clock } from '../../base/clock.ts';
import { type EventLog, LOG_SHARDS, type LoggedPack } from '../../broker/broker.ts';
import type { Platform } from '../../domain/platform.ts';
import { PUSH_SOURCE } from '../../domain/source.ts';
import type { Holder } from '../../store/lease.ts';
import { createShards } from '../../store/shards.ts';
import type { Store } from '../../store/store.ts';
import { ServiceError } from '../errors.ts';
import type { Log } from '../telemetry.ts';
import type { Ingest } from './ingest.ts';
import { packsOf } from './ingest-by-broker.ts';
import { isRefused } from './store-trouble.ts';

export interface LogDrain {
  /** Runs until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

interface Deps {
  readonly events: EventLog;
  readonly here: Pick<Ingest, 'push' | 'onCommit'>;
  readonly store: Pick<Store, 'isShared' | 'takeLease' | 'releaseLease' | 'nodes' | 'noteGaps'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly holder: Holder;
  /** Events that were pushed from a time on are stored. */
  readonly onStored: (platform: Platform, accountId: string | undefined, since: Date) => Promise<void>;
  /** Lines of an account were stored: how many were events, and the CPU that they took. */
  readonly onUsed: (accountId: string, used: { readonly events: number; readonly cpu_ms: number }) => void;
  /** How many events were put aside since a match was stored. */
  readonly aside: { sinceStored: number };
  /** Packs that are stored, while they are in memory. */
  readonly done: WeakSet<LoggedPack>;
}

export function createLogDrain(given: Omit<Deps, 'aside' | 'done'>): LogDrain {
  const { events, here } = given;
  const deps = { ...given, aside: { sinceStored: 0 }, done: new WeakSet<LoggedPack>() };
  const shards = createShards({ ...deps, work: 'log', count: LOG_SHARDS, role: 'matcher', pauseMs: 0 });
  return {
    async run(signal) {
      const reading = new Map<number, Promise<void>>();
      const stopHearing = here.onCommit(({ matches }) => {
        if (matches > 0) deps.aside.sinceStored = 0;
      });
      async function read(shard: number): Promise<void> {
        const ending = AbortSignal.any([signal, shards.signalOf(shard)]);
        await events.read(shard, (packs) => storePacks(deps, packs, ending), ending);
        reading.delete(shard);
        // It was lost and may be ours again by now.
        if (!signal.aborted) readHeld();
      }
      const readHeld = () => {
        for (const shard of shards.held()) if (!reading.has(shard)) reading.set(shard, read(shard));
      };
      await shards.run(signal, readHeld);
      await Promise.all(reading.values());
      stopHearing();
    },
  };
}

/**
 * Accounts go side by side; what is of one account goes one after another. While one of them cannot be stored the same packs
 * come again: what the others have stored counts once.
 */
async function storePacks(deps: Deps, packs: readonly LoggedPack[], signal: AbortSignal): Promise<void> {
  const left = packs.filter((pack) => !deps.done.has(pack));
  const outcomes = await Promise.allSettled(
    Array.from(Map.groupBy(left, ({ accountId }) => accountId).values(), async (own) => {
      for (const run of runsOf(own)) {
        await storeRun(deps, run, signal);
        for (const pack of run) deps.done.add(pack);
      }
    }),
  );
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
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

/**
 * The outcome of some lines: how many were events, the CPU that they took, and how many are missing, with what is wrong with
 * the first of these.
 */
interface Outcome {
  readonly accepted: number;
  readonly cpuMs: number;
  readonly missing: number;
  readonly problem: string | undefined;
}

async function storeRun(deps: Deps, run: Run, signal: AbortSignal): Promise<void> {
  const [{ platform, accountId, at }] = run;
  const lines = Buffer.concat(run.flatMap((pack) => [pack.lines, Buffer.from('\n')]));
  const outcome = await pushPatiently(deps, run[0], lines, signal);
  if (outcome.accepted > 0) await deps.onStored(platform, accountId, at);
  if (outcome.missing > 0) await noteMissing(deps, run, outcome);
  // Last: a step before it that fails has the run come again.
  if (accountId !== undefined) deps.onUsed(accountId, { events: outcome.accepted, cpu_ms: outcome.cpuMs });
}

async function noteMissing({ store, log }: Deps, run: Run, { missing, problem }: Outcome): Promise<void> {
  const [{ platform, accountId, source = PUSH_SOURCE, at }] = run;
  // Nobody waits for an answer any more: what is missing is told as what a source brought and could not be read is.
  log.warn({ platform, accountId, missing, problem }, 'logged lines are no events, or the store refuses them');
  const to = new Date(run.at(-1)!.at.getTime() + 1);
  const gap = { platform, from: at, to, source, cause: `source_unread:${source}`, recovered: false };
  await store.noteGaps([{ ...gap, ...(accountId !== undefined && { accountId }) }]);
}

/** Milliseconds after which lines of which the store refuses some are tried again. After the last, those at fault are put aside. */
const AGAIN_AFTER: readonly number[] = [250, 1_000, 4_000];

async function pushPatiently(deps: Deps, of: LoggedPack, lines: Buffer, signal: AbortSignal): Promise<Outcome> {
  for (const milliseconds of AGAIN_AFTER) {
    try {
      return await push(deps, of, lines);
    } catch (error) {
      if (!isOfRefused(error)) throw error;
      await deps.clock.sleep(milliseconds, signal);
      signal.throwIfAborted();
    }
  }
  return pushApart(deps, of, lines);
}

async function push({ here }: Deps, of: LoggedPack, lines: Buffer): Promise<Outcome> {
  const { platform, accountId, source = PUSH_SOURCE, trace } = of;
  const pushed = await here.push(platform, lines, accountId, source, trace);
  const { accepted, rejected, moreRejected, cpuMs = 0 } = pushed;
  return { accepted, cpuMs, missing: rejected.length + moreRejected, problem: rejected[0]?.problem };
}

/** All but what the store refuses was stored in its order before, and adds nothing now: this finds the lines at fault. */
async function pushApart(deps: Deps, of: LoggedPack, lines: Buffer): Promise<Outcome> {
  try {
    return await push(deps, of, lines);
  } catch (error) {
    if (!isOfRefused(error)) throw error;
    const parts = [...packsOf(lines, Math.ceil(lines.length / 2))];
    if (parts.length === 1) return putAside(deps, { ...of, lines }, error);
    let whole: Outcome = { accepted: 0, cpuMs: 0, missing: 0, problem: undefined };
    for (const part of parts) {
      const { accepted, cpuMs, missing, problem } = await pushApart(deps, of, part);
      whole = {
        accepted: whole.accepted + accepted,
        cpuMs: whole.cpuMs + cpuMs,
        missing: whole.missing + missing,
        problem: whole.problem ?? problem,
      };
    }
    return whole;
  }
}

/** So many are put aside while no match is stored. Beyond that the fault is hardly that of the events, and they wait in the log. */
const MOST_ASIDE = 8;

async function putAside({ events, log, aside }: Deps, pack: LoggedPack, error: Refused): Promise<Outcome> {
  if (++aside.sinceStored > MOST_ASIDE) throw error;
  const { platform, accountId } = pack;
  const { cause } = error.cause;
  const problem = `The store refuses it: ${cause instanceof Error ? cause.message : error.cause.message}`;
  await events.setAside(pack, problem);
  log.error({ platform, accountId, err: error }, 'the store refuses a logged event; it was put aside in the broker');
  return { accepted: 0, cpuMs: 0, missing: 1, problem };
}

type Refused = Error & { readonly cause: Error };

/** Whether the store refused something of what was pushed, and it alone. */
const isOfRefused = (error: unknown): error is Refused => error instanceof ServiceError && isRefused(error.cause);
