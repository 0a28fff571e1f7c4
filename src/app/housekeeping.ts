/** Housekeeping: old and deleted matches are removed from the disk, a slice at a time. */
import type { Clock } from '../base/clock.ts';
import type { Log } from '../service/telemetry.ts';
import type { Store } from '../store/store.ts';

/** The pause between two slices, and the pause when there was nothing to remove. */
const BUSY_MS = 20;
const IDLE_MS = 5_000;
/**
 * A clock that leaps ahead by more than this is not believed at once: all that is kept would be too old for it. Nothing is
 * removed for as long, so that there is time to set it right.
 */
const LEAP_MS = 60 * 60 * 1_000;

/** Runs until the signal aborts. A store that fails is tried again: `/readyz` says what is wrong with it. */
export async function keepHouse(
  store: Store,
  { clock, log, signal }: { clock: Clock; log: Log; signal: AbortSignal },
): Promise<void> {
  const isDoubtful = doubtOf(clock, log);
  while (!signal.aborted) {
    let more = false;
    try {
      more = !isDoubtful() && (await store.removeSlice(clock.now())).more;
    } catch (error) {
      log.warn({ err: error }, 'old matches could not be removed');
    }
    await clock.sleep(more ? BUSY_MS : IDLE_MS, signal);
  }
}

/** Whether the clock has leapt ahead within the last hour, and was not set back since. */
function doubtOf(clock: Clock, log: Log): () => boolean {
  /** The time of day when this clock, which is never set, was at zero. */
  const zeroNow = (): number => clock.now().getTime() - clock.elapsed();
  let zero = zeroNow();
  let leaptAt: number | undefined;
  return () => {
    const leap = zeroNow() - zero;
    if (leap > LEAP_MS && leaptAt === undefined) {
      leaptAt = clock.elapsed();
      log.warn({ hours: Math.round(leap / LEAP_MS) }, 'the clock has leapt ahead: nothing is removed for an hour');
    }
    if (leap > LEAP_MS && clock.elapsed() - leaptAt! < LEAP_MS) return true;
    zero = zeroNow();
    leaptAt = undefined;
    return false;
  };
}
