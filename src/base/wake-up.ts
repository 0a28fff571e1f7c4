/**
 * Lets one loop sleep until work arrives. `wake` ends the sleep or, if the loop is busy, skips the next sleep. So work that
 * arrives between a check and a sleep is never missed. Several wakes before a sleep count as one.
 */
import type { Clock } from './clock.ts';

export interface WakeUp {
  wake(): void;
  /** Resolves after `wake`, after the time, or when the signal aborts, whichever comes first. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** The longest time that a timer accepts. */
const LONGEST_MS = 2 ** 31 - 1;

export function createWakeUp(clock: Clock): WakeUp {
  let isAwake = false;
  let sleeper: AbortController | undefined;
  return {
    wake() {
      isAwake = true;
      // An explicit reason, because the default one is an error with a stack, which is slow to make.
      sleeper?.abort('woken');
    },
    async sleep(milliseconds, signal) {
      if (!isAwake && milliseconds > 0 && signal?.aborted !== true) {
        const sleeping = new AbortController();
        const end = () => sleeping.abort('ended');
        sleeper = sleeping;
        // A loop sleeps often, and `AbortSignal.any` costs more than the listener.
        signal?.addEventListener('abort', end);
        if (Number.isFinite(milliseconds)) await clock.sleep(Math.min(milliseconds, LONGEST_MS), sleeping.signal);
        else await aborted(sleeping.signal);
        signal?.removeEventListener('abort', end);
        sleeper = undefined;
      }
      isAwake = false;
    },
  };
}

/** Resolves when the signal aborts. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
