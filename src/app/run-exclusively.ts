/**
 * Work that only one of several processes on a store may do at a time: the holder of the lease does it, and another takes
 * over when that one is gone. Where a process has the store to itself there is nothing to ask.
 */
import type { Clock } from '../base/clock.ts';
import { awaitLease, type Holder } from '../store/lease.ts';
import type { Store } from '../store/store.ts';

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly holder: Holder;
}

/** Until the signal aborts. `work` ends when its own signal aborts, which it does when the lease is lost. */
export async function runExclusively(
  deps: Deps,
  name: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  if (!deps.store.isShared) return work(signal);
  while (!signal.aborted) {
    const held = await awaitLease(deps, name, { onHeld: () => {}, signal });
    if (held === undefined) return;
    const lost = new AbortController();
    const keeping = held.keep(signal).then(() => lost.abort());
    await work(AbortSignal.any([signal, lost.signal]));
    // Work that ended by itself is done for everybody.
    await keeping;
    await held.release().catch(() => {});
  }
}
