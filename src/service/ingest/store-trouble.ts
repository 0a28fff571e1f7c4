/** Whether the store can be written. After a failure it is tried again until it works, and nothing is taken meanwhile. */
import type { Clock } from '../../base/clock.ts';
import type { Store } from '../../store/store.ts';
import type { Log } from '../telemetry.ts';

/** Milliseconds before the store is tried again after a failure; the last one is repeated. */
const RETRY_AFTER: readonly number[] = [100, 250, 500, 1_000];

export interface StoreTrouble {
  /** Why nothing can be stored at the moment; undefined when all is well. */
  readonly reason: string | undefined;
  /** The store failed: it is checked from now on until it works. */
  report(error: unknown): void;
}

export function createStoreTrouble(
  store: Pick<Store, 'check'>,
  clock: Clock,
  log: Log,
  signal: AbortSignal,
): StoreTrouble {
  let reason: string | undefined;
  const works = (): Promise<boolean> =>
    store.check().then(
      () => true,
      () => false,
    );
  async function recover(): Promise<void> {
    for (let tries = 0; reason !== undefined && !signal.aborted; tries++) {
      await clock.sleep(RETRY_AFTER[Math.min(tries, RETRY_AFTER.length - 1)]!, signal);
      if (await works()) reason = undefined;
    }
    if (reason === undefined) log.info({}, 'the store can be written again');
  }
  return {
    get reason() {
      return reason;
    },
    report(error) {
      if (reason !== undefined) return;
      reason = 'the store cannot be written';
      log.error({ err: error }, 'the store failed; no event is taken until it can be written again');
      void recover();
    },
  };
}
