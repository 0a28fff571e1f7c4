/**
 * What only one of several processes on a store may do, such as reading an upstream's stream: upstreams count
 * connections. A lease is taken for a short while and renewed; whoever was frozen, and comes back when another has taken
 * over, is told so by the store itself, whatever its clock says.
 */
import type { Clock } from '../base/clock.ts';
import { StoreError } from '../store/error.ts';
import type { Lease, Store } from '../store/store.ts';

/** Long enough for a slow disk, short enough for another process to take over soon. */
const LEASE_MS = 15_000;
const RENEW_AFTER_MS = 5_000;
const ASK_EVERY_MS = 5_000;

/** How a process tells its leases from another's. */
export interface Holder {
  readonly id: string;
  /** Whether the process behind another holder's id has certainly ended: its lease need not run out first. */
  isGone(id: string): boolean;
}

interface Deps {
  readonly store: Pick<Store, 'takeLease' | 'releaseLease'>;
  readonly clock: Clock;
  readonly holder: Holder;
}

export interface HeldLease {
  readonly lease: Lease;
  /** Asks the store again when the last time is too long ago, by a clock that does not jump. Throws `fenced` when it is another's. */
  confirm(): Promise<void>;
  /** Renews it until the signal aborts; resolves early when it is lost. */
  keep(signal: AbortSignal): Promise<void>;
  release(): Promise<void>;
}

/** The lease, or who holds it. */
export async function takeLease({ store, clock, holder }: Deps, name: string): Promise<HeldLease | string> {
  const wish = () => ({ name, holder: holder.id, now: clock.now(), milliseconds: LEASE_MS });
  let confirmed = clock.elapsed();
  let answer = await store.takeLease(wish());
  if ('heldBy' in answer && holder.isGone(answer.heldBy)) {
    confirmed = clock.elapsed();
    answer = await store.takeLease({ ...wish(), gone: answer.heldBy });
  }
  if ('heldBy' in answer) return answer.heldBy;
  const lease = answer;

  /** False when it is another's by now. */
  async function renew(): Promise<boolean> {
    const asked = clock.elapsed();
    const now = await store.takeLease(wish());
    if ('heldBy' in now || now.fence !== lease.fence) return false;
    confirmed = asked;
    return true;
  }

  return {
    lease,
    async confirm() {
      if (clock.elapsed() - confirmed < LEASE_MS) return;
      if (!(await renew())) throw new StoreError('fenced', 'Another process reads this stream by now.');
    },
    async keep(signal) {
      while (!signal.aborted) {
        await clock.sleep(RENEW_AFTER_MS, signal);
        // A store that fails now is asked again: nothing is written under a lease that it has not confirmed.
        if (!signal.aborted && !(await renew().catch(() => true))) return;
      }
    },
    release: () => store.releaseLease(lease),
  };
}

/** Asks until the lease is free. Undefined when the signal aborts. */
export async function awaitLease(
  deps: Deps,
  name: string,
  { onHeld, signal }: { onHeld: () => void; signal: AbortSignal },
): Promise<HeldLease | undefined> {
  while (!signal.aborted) {
    const taken = await takeLease(deps, name).catch(() => undefined);
    if (typeof taken === 'object') return taken;
    if (taken !== undefined) onHeld();
    await deps.clock.sleep(ASK_EVERY_MS, signal);
  }
  return undefined;
}
