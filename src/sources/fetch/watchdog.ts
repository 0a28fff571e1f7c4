/** Reports once when a connection has been silent for too long. */
import type { Clock } from '../../base/clock.ts';

export interface Watchdog {
  /** The connection has shown that it is alive. */
  feed(): void;
  stop(): void;
  /** The silence was reported. */
  readonly hasBarked: boolean;
}

export function startWatchdog(clock: Clock, silenceMs: number, onSilence: () => void): Watchdog {
  const stopped = new AbortController();
  let fedAt = clock.elapsed();
  let hasBarked = false;
  const watch = async () => {
    for (let left = silenceMs; left > 0 && !stopped.signal.aborted; left = fedAt + silenceMs - clock.elapsed()) {
      await clock.sleep(left, stopped.signal);
    }
    if (stopped.signal.aborted) return;
    hasBarked = true;
    onSilence();
  };
  void watch();
  return {
    feed() {
      fedAt = clock.elapsed();
    },
    stop: () => stopped.abort(),
    get hasBarked() {
      return hasBarked;
    },
  };
}
