/**
 * Work that only one of several processes on a store may do, such as reading an upstream's stream: upstreams limit
 * connections. A lease is taken for 7.5 seconds and renewed. The store refuses the writes of a process that was frozen
 * while another took its lease, even if its own clock says that the lease is still valid.
 */
import type { Clock } from '../base/clock.ts';
import { StoreError } from './error.ts';
import type { Lease, Store } from './store.ts';

/** Long enough for a slow disk. With the pause of those that ask, another process takes over within ten seconds. */
const LEASE_MS = 7_500;
const RENEW_AFTER_MS = 2_500;
const ASK_EVERY_MS = 2_000;
/** Nobody waits for longer until another has made something for all, and makes it then as well. */
const WAIT_FOR_ANOTHER_MS = 5 * 60_000;

/** A process that takes leases. */
export interface Holder {
  readonly id: string;
  /** Whether the process behind another holder's id has certainly ended: its lease is then taken at once. */
  isGone(id: string): boolean;
}

interface Deps {
  readonly store: Pick<Store, 'takeLease' | 'releaseLease'>;
  readonly clock: Clock;
  readonly holder: Holder;
}

export interface HeldLease {
  readonly lease: Lease;
  /** Whether no other process can have it yet, by the monotonic clock. */
  isValid(): boolean;
  /** Renews the lease when it may have run out, by the monotonic clock. Throws `fenced` when another process has it. */
  confirm(): Promise<void>;
  /** Renews the lease until the signal aborts. Resolves early when the lease is lost. */
  keep(signal: AbortSignal): Promise<void>;
  release(): Promise<void>;
}

/** The lease, or the id of the process that holds it. */
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

  /** False when the lease was lost, even if it is ours again: its fence tells what another may have written between. */
  async function renew(): Promise<boolean> {
    const asked = clock.elapsed();
    const now = await store.takeLease(wish());
    if ('heldBy' in now || now.fence !== lease.fence) return false;
    confirmed = asked;
    return true;
  }

  const isValid = () => clock.elapsed() - confirmed < LEASE_MS;

  return {
    lease,
    isValid,
    async confirm() {
      if (isValid()) return;
      if (!(await renew())) throw new StoreError('fenced', 'Another process has taken this lease.');
    },
    async keep(signal) {
      while (!signal.aborted) {
        await clock.sleep(RENEW_AFTER_MS, signal);
        // After a failure of the store we ask again. Nothing is written under a lease that it has not confirmed.
        if (!signal.aborted && !(await renew().catch(() => true))) return;
      }
    },
    release: () => store.releaseLease(lease),
  };
}

/** Asks every 2 seconds until the lease is free. Undefined when the signal aborts. */
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

/** Does the work of which one process may do it at a time. The signal that it gets aborts when the lease is lost. */
export async function underLease(
  deps: Deps & { readonly store: Pick<Store, 'isShared'> },
  name: string,
  signal: AbortSignal,
  work: (held: HeldLease, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const held = await awaitLease(deps, name, { onHeld: () => {}, signal });
  if (held === undefined) return;
  const [done, lost] = [new AbortController(), new AbortController()];
  // A process that has its store to itself renews when it looks; none waits for its lease.
  const keeping = deps.store.isShared
    ? held.keep(AbortSignal.any([signal, done.signal])).then(() => lost.abort())
    : undefined;
  await work(held, AbortSignal.any([signal, lost.signal]));
  done.abort();
  await keeping;
  await held.release().catch(() => {});
}

interface Making<T> {
  /** That which another has made since the last look. */
  look(): Promise<T | undefined>;
  make(signal: AbortSignal): Promise<T | undefined>;
  readonly signal: AbortSignal;
}

/**
 * Gets something that one process makes for all: while another makes it, this one looks every 2 seconds whether it is there. One
 * that dies or freezes meanwhile loses its lease, and the next one makes it.
 */
export async function madeByOne<T>(deps: Deps, name: string, making: Making<T>): Promise<T | undefined> {
  const { clock } = deps;
  const { look, make, signal } = making;
  const until = clock.elapsed() + WAIT_FOR_ANOTHER_MS;
  while (!signal.aborted && clock.elapsed() < until) {
    const taken = await takeLease(deps, name).catch(() => undefined);
    if (typeof taken === 'object') return makeUnder(taken, making);
    await clock.sleep(ASK_EVERY_MS, signal);
    const found = await look();
    if (found !== undefined) return found;
  }
  return signal.aborted ? undefined : make(signal);
}

async function makeUnder<T>(held: HeldLease, { look, make, signal }: Making<T>): Promise<T | undefined> {
  const done = new AbortController();
  const keeping = held.keep(AbortSignal.any([signal, done.signal]));
  try {
    // Another may have made it between the look and the lease.
    return (await look()) ?? (await make(signal));
  } finally {
    done.abort();
    await keeping;
    await held.release().catch(() => {});
  }
}
