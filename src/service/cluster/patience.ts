/** A start waits for its store: a step that failed because the store did not answer is taken again until it does. */
import type { Clock } from '../../base/clock.ts';
import { StoreError, type StoreFailure } from '../../store/error.ts';
import type { Log } from '../telemetry.ts';

const TRY_AGAIN_MS = 500;
/** What passes without anybody's doing. */
const PASSING: ReadonlySet<StoreFailure> = new Set(['away', 'busy']);

interface Deps {
  readonly clock: Clock;
  readonly log: Log;
}

/** The step must be one that can be taken twice. Throws what it threw when the failure is another, or the signal aborts. */
export async function patiently(
  { clock, log }: Deps,
  signal: AbortSignal,
  step: () => Promise<unknown>,
): Promise<void> {
  for (let failures = 0; ; failures++) {
    try {
      await step();
      return;
    } catch (error) {
      if (signal.aborted || !(error instanceof StoreError) || !PASSING.has(error.reason)) throw error;
      if (failures === 0) log.warn({ err: error }, 'the store does not answer; the start tries again until it does');
    }
    await clock.sleep(TRY_AGAIN_MS, signal);
    signal.throwIfAborted();
  }
}
