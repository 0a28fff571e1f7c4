/**
 * Erases the posts that an upstream announces as deleted. The process that has the lease reads; the cursor of a part moves
 * after its posts are erased, so that a crash repeats work and skips none.
 */
import type { Clock } from '../../base/clock.ts';
import { createWakeUp } from '../../base/wake-up.ts';
import type { Platform } from '../../domain/platform.ts';
import type { DeletionFeed, Deletions } from '../../platforms/platform.ts';
import { awaitLease, type HeldLease, type Holder } from '../../store/lease.ts';
import type { Store } from '../../store/store.ts';
import type { Ingest } from '../ingest/ingest.ts';
import type { Log } from '../telemetry.ts';

const RESTART_AFTER_MS = 5_000;
/**
 * A post that was deleted right after it was published may be on its way to the store: it is looked for once more after
 * this time. The upstream replays a little more.
 */
const LATE_MS = 180_000;
/** A cursor is stored at most this often: what it repeats after a crash is erased already. */
const CURSOR_EVERY_MS = 5_000;
/** Posts that one transaction looks for. */
const SLICE = 500;

export interface DeletionDeps {
  readonly platform: Platform;
  readonly feed: DeletionFeed;
  readonly store: Pick<Store, 'cursor' | 'takeLease' | 'releaseLease'>;
  readonly ingest: Pick<Ingest, 'commit'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly holder: Holder;
  /** Erases what is stored of these posts, for all accounts. */
  erase(platform: Platform, postIds: readonly string[]): Promise<unknown>;
}

/** Runs until the signal aborts. */
export async function eraseDeletedPosts(deps: DeletionDeps, signal: AbortSignal): Promise<void> {
  const { platform, clock, log } = deps;
  while (!signal.aborted) {
    const held = await awaitLease(deps, `${platform} deletions`, { onHeld: () => {}, signal });
    if (held === undefined) return;
    try {
      await readParts(deps, held, signal);
    } catch (error) {
      log.error({ platform, err: error }, 'deleted posts could not be erased; trying again in 5 seconds');
      await clock.sleep(RESTART_AFTER_MS, signal);
    } finally {
      await held.release().catch(() => {});
    }
  }
}

/** For as long as the lease is ours. */
async function readParts(deps: DeletionDeps, held: HeldLease, signal: AbortSignal): Promise<void> {
  const ending = new AbortController();
  const both = AbortSignal.any([signal, ending.signal]);
  const keeping = held.keep(both).then(() => ending.abort());
  try {
    await together(
      deps.feed.parts.map((part) => readPart(deps, part, both)),
      () => ending.abort(),
    );
  } finally {
    await keeping;
  }
}

/** One that fails ends the others. */
async function together(parts: readonly Promise<void>[], end: () => void): Promise<void> {
  const ended = await Promise.allSettled(parts.map((part) => part.finally(end)));
  const failed = ended.find((part) => part.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

async function readPart(deps: DeletionDeps, part: string, outer: AbortSignal): Promise<void> {
  const ending = new AbortController();
  const signal = AbortSignal.any([outer, ending.signal]);
  const { platform, feed, store, clock } = deps;
  const name = `${platform} deletions ${part}`;
  const stored = await store.cursor(name);
  const waiting: { readonly deletions: Deletions; readonly due: number }[] = [];
  const wakeUp = createWakeUp(clock);

  async function read(): Promise<void> {
    for await (const deletions of feed.read(part, stored === undefined ? undefined : new Date(stored), signal)) {
      await eraseSlices(deps, deletions);
      waiting.push({ deletions, due: clock.elapsed() + LATE_MS });
      if (waiting.length === 1) wakeUp.wake();
    }
  }
  async function lookAgain(): Promise<void> {
    let storedAt = Number.NEGATIVE_INFINITY;
    while (!signal.aborted) {
      const [first] = waiting;
      const wait = first === undefined ? Number.POSITIVE_INFINITY : first.due - clock.elapsed();
      if (first === undefined || wait > 0) {
        await wakeUp.sleep(wait, signal);
        continue;
      }
      await eraseSlices(deps, first.deletions);
      waiting.shift();
      if (clock.elapsed() - storedAt < CURSOR_EVERY_MS && waiting.length > 0) continue;
      storedAt = clock.elapsed();
      await storeCursor(deps, name, first.deletions.through);
    }
  }
  await together([read(), lookAgain()], () => ending.abort());
}

async function storeCursor({ platform, ingest, clock }: DeletionDeps, name: string, through: Date): Promise<void> {
  await ingest.commit({ platform, at: clock.now(), events: [], cursor: { name, value: through.toISOString() } });
}

async function eraseSlices({ platform, erase }: DeletionDeps, { postIds }: Deletions): Promise<void> {
  for (let from = 0; from < postIds.length; from += SLICE) await erase(platform, postIds.slice(from, from + SLICE));
}
