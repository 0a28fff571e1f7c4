/** Keeps us below a limit that an upstream sets: so many calls in any window, and so long between two of them. */
import type { Clock } from '../base/clock.ts';

export interface PaceLimits {
  readonly calls: number;
  readonly windowMs: number;
  /** The least time between two calls. */
  readonly apartMs?: number;
}

export interface Pace {
  /** Resolves when a call may be made, and counts it; turns are given in the order they were asked for. */
  turn(signal?: AbortSignal): Promise<void>;
  /** No call before so many milliseconds have passed: the upstream said when to come back. */
  hold(milliseconds: number): void;
  /** Milliseconds until the upstream's own word lets us call again. */
  readonly held: number;
}

export function createPace({ calls, windowMs, apartMs = 0 }: PaceLimits, clock: Clock): Pace {
  /** When the last calls were made, oldest first; no more of them than a window may have. */
  let made: number[] = [];
  let heldUntil = 0;
  let queue = Promise.resolve();

  const freeAt = (): number => {
    const oldest = made.length < calls ? undefined : made[0];
    const last = made.at(-1);
    return Math.max(heldUntil, oldest === undefined ? 0 : oldest + windowMs, last === undefined ? 0 : last + apartMs);
  };

  async function wait(signal: AbortSignal | undefined): Promise<void> {
    for (let left = freeAt() - clock.elapsed(); left > 0; left = freeAt() - clock.elapsed()) {
      // A timer may fire a fraction early; whole milliseconds up keep the limit all the same.
      await clock.sleep(Math.ceil(left), signal);
      if (signal?.aborted) return;
    }
    made = [...made, clock.elapsed()].slice(-calls);
  }

  return {
    turn(signal) {
      const mine = queue.then(() => wait(signal));
      queue = mine;
      return mine;
    },
    hold(milliseconds) {
      heldUntil = Math.max(heldUntil, clock.elapsed() + milliseconds);
    },
    get held() {
      return Math.max(0, heldUntil - clock.elapsed());
    },
  };
}
