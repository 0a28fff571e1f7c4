/** A start waits for its store: a step that failed because the store did not answer is taken again until it does. */
import type { Clock } from '../../base/clock.ts';
import { StoreError, type StoreFailure } from '../../store/error.ts';
import type { Log } from '../telemetry.ts';

const TRY_AGAIN_MS = 500;
/** What passes without anybody's doing. */
const PASSING: ReadonlySet<StoreFailure> = new Set(['away', 'busy']);

export interface Patience {
  /** The step must be one that can be taken twice. Throws what it threw when the failure is another, or the signal aborts. */
  take(step: () => Promise<unknown>, signal: AbortSignal): Promise<void>;
  /** What a step waits for; a store that is only busy can be reached. */
  readonly trouble: 'store_away' | undefined;
}

export function createPatience({ clock, log }: { readonly clock: Clock; readonly log: Log }): Patience {
  let waitsFor: StoreFailure | undefined;
  return {
    async take(step, signal) {
      for (;;) {
        try {
          await step();
          waitsFor = undefined;
          return;
        } catch (error) {
          if (signal.aborted || !(error instanceof StoreError) || !PASSING.has(error.reason)) throw error;
          if (waitsFor === undefined)
            log.warn({ err: error }, 'the store does not answer; the start tries again until it does');
          waitsFor = error.reason;
        }
        await clock.sleep(TRY_AGAIN_MS, signal);
        signal.throwIfAborted();
      }
    },
    get trouble() {
      return waitsFor === 'away' ? 'store_away' : undefined;
    },
  };
}
