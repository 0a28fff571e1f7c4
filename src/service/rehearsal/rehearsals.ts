/**
 * Runs rehearsals, one at a time and one process for all, under a lease. Accounts take turns: the one whose last turn is
 * longest ago is next.
 */
import { createWakeUp } from '../../base/wake-up.ts';
import { StoreError } from '../../store/error.ts';
import { type HeldLease, type Holder, underLease } from '../../store/lease.ts';
import type { Store } from '../../store/store.ts';
import { rehearseTurn, type TurnDeps } from './turn.ts';

const LEASE = 'rehearsals';
/** Another process may have started one, and says nothing. */
const LOOK_EVERY_MS = 5_000;

export interface RehearsalsDeps extends TurnDeps {
  readonly store: Store;
  readonly holder: Holder;
}

export interface Rehearsals {
  /** Until the signal aborts. It never rejects. */
  run(signal: AbortSignal): Promise<void>;
  /** There is a new one. */
  wake(): void;
  /** How many run here. */
  readonly running: number;
  /** One was cancelled: it stops at once if it runs here. */
  cancelled(rehearsalId: string): void;
}

export function createRehearsals(deps: RehearsalsDeps): Rehearsals {
  const { store, clock } = deps;
  const wakeUp = createWakeUp(clock);
  let current: { readonly id: string; readonly cancelling: AbortController } | undefined;

  /** Whether there may be another one. */
  async function next(held: HeldLease, signal: AbortSignal): Promise<boolean> {
    const first = await store.firstRehearsal();
    if (first === undefined) return false;
    const wait = first.dueAt.getTime() - clock.now().getTime();
    if (wait > 0) {
      await wakeUp.sleep(wait, signal);
      return true;
    }
    await held.confirm();
    const cancelling = new AbortController();
    current = { id: first.id, cancelling };
    const either = AbortSignal.any([signal, cancelling.signal]);
    try {
      await rehearseTurn(deps, held, first.id, either);
    } catch (error) {
      if (!cancelling.signal.aborted) throw error;
    } finally {
      current = undefined;
    }
    return true;
  }

  /** Until none is left. */
  const rehearse = (held: HeldLease, signal: AbortSignal) => rehearseAll(deps, () => next(held, signal), signal);

  return {
    async run(signal) {
      while (!signal.aborted) {
        const first = await store.firstRehearsal().catch(() => 'unknown' as const);
        if (first !== undefined && first !== 'unknown') await underLease(deps, LEASE, signal, rehearse);
        const isSure = first !== 'unknown' && !store.isShared;
        await wakeUp.sleep(isSure ? Number.POSITIVE_INFINITY : LOOK_EVERY_MS, signal);
      }
    },
    get running() {
      return current === undefined ? 0 : 1;
    },
    wake: wakeUp.wake,
    cancelled(rehearsalId) {
      if (current?.id === rehearsalId) current.cancelling.abort();
    },
  };
}

async function rehearseAll(
  { clock, log }: RehearsalsDeps,
  next: () => Promise<boolean>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      if (!(await next())) return;
    } catch (error) {
      if (signal.aborted || (error instanceof StoreError && error.reason === 'fenced')) return;
      log.warn({ err: error }, 'Rehearsals cannot go on. Retrying in 5 seconds.');
      await clock.sleep(LOOK_EVERY_MS, signal);
    }
  }
}
