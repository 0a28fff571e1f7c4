/** Housekeeping: old and deleted matches are removed from the disk, a slice at a time. */
import type { Clock } from '../base/clock.ts';
import type { Log } from '../service/telemetry.ts';
import type { Store } from '../store/store.ts';

/** The pause between two slices, and the pause when there was nothing to remove. */
const BUSY_MS = 20;
const IDLE_MS = 5_000;

/** Runs until the signal aborts. A store that fails is tried again: `/readyz` says what is wrong with it. */
export async function keepHouse(
  store: Store,
  { clock, log, signal }: { clock: Clock; log: Log; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    let more = false;
    try {
      more = (await store.removeSlice(clock.now())).more;
    } catch (error) {
      log.warn({ err: error }, 'old matches could not be removed');
    }
    await clock.sleep(more ? BUSY_MS : IDLE_MS, signal);
  }
}
