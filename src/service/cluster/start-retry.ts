/** A start waits for its store: a step that failed because the store did not answer is retried until it does. */
import type { Clock } from '../../base/clock.ts';
import { StoreError, type StoreFailure } from '../../store/error.ts';
import type { Log } from '../telemetry.ts';

const RETRY_MS = 500;
/** Failures that go away by themselves. */
const TRANSIENT: ReadonlySet<StoreFailure> = new Set(['away', 'busy']);

export interface StartRetry {
  /** Runs a step that may be run twice. Throws what it threw when the failure is another, or the signal aborts. */
  retry(step: () => Promise<unknown>, signal: AbortSignal): Promise<void>;
  /** The reason why a step waits; a store that is only busy can be reached. */
  readonly trouble: 'store_away' | undefined;
}

export function createStartRetry({ clock, log }: { readonly clock: Clock; readonly log: Log }): StartRetry {
  let waitsFor: StoreFailure | undefined;
  return {
    async retry(step, signal) {
      for (;;) {
        try {
          await step();
          waitsFor = undefined;
          return;
        } catch (error) {
          if (signal.aborted || !(error instanceof StoreError) || !TRANSIENT.has(error.reason)) throw error;
          if (waitsFor === undefined)
            log.warn({ err: error }, 'the store does not answer; the start tries again until it does');
          waitsFor = error.reason;
        }
        await clock.sleep(RETRY_MS, signal);
        signal.throwIfAborted();
      }
    },
    get trouble() {
      return waitsFor === 'away' ? 'store_away' : undefined;
    },
  };
}
