/**
 * Work that only one of several processes on a store may do at a time: the holder of the lease does it, and another takes
 * over when that one is gone. Where a process has the store to itself there is nothing to ask.
 */
import type { Clock } from '../base/clock.ts';
import type { Log } from '../service/telemetry.ts';
import { awaitLease, type HeldLease, type Holder } from '../store/lease.ts';
import type { Store } from '../store/store.ts';

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly holder: Holder;
  readonly log: Log;
}

/** The pause after work that failed: one call of a store that is away for a moment is enough. */
const AGAIN_MS = 2_000;

/**
 * Until the signal aborts. `work` ends when its own signal aborts, which it does when the lease is lost. Work that fails is begun again,
 * here or by another process: nobody else hears of it.
 */
export async function runExclusively(
  deps: Deps,
  name: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const { store, clock, log } = deps;
  while (!signal.aborted) {
    const held = store.isShared ? await awaitLease(deps, name, { onHeld: () => {}, signal }) : undefined;
    if (store.isShared && held === undefined) return;
    try {
      await workOnce(held, signal, work);
      if (!store.isShared) return;
    } catch (error) {
      log.error({ err: error, work: name }, 'work that one server does at a time has failed; it begins again');
      await clock.sleep(AGAIN_MS, signal);
    }
  }
}

async function workOnce(
  held: HeldLease | undefined,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const over = new AbortController();
  const until = AbortSignal.any([signal, over.signal]);
  const keeping = held?.keep(until).then(() => over.abort());
  try {
    await work(until);
    // Work that ended by itself is done for everybody.
    await keeping;
  } finally {
    // The rest of the work ends too.
    over.abort();
    await keeping;
    await held?.release().catch(() => {});
  }
}
