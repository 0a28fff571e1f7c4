/** Keeps us below an upstream's limit: at most `calls` in any window, and at least `apartMs` between two of them. */
import type { Clock } from '../base/clock.ts';

interface PaceLimits {
  readonly calls: number;
  readonly windowMs: number;
  /** The least time between two calls. */
  readonly apartMs?: number;
}

export interface Pace {
  /** Resolves when a call may be made, and counts it. Callers get their turns in the order in which they asked. */
  turn(signal?: AbortSignal): Promise<void>;
  /** Allows no call for this many milliseconds, because the upstream said when to come back. */
  hold(milliseconds: number): void;
  /** How many milliseconds `hold` still allows no call. */
  readonly held: number;
}

export function createPace({ calls, windowMs, apartMs = 0 }: PaceLimits, clock: Clock): Pace {
  /** When the last calls were made, oldest first. It holds at most `calls` times. */
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
      // A timer may fire a fraction of a millisecond early, so we round up.
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

/** Back-off ladders: how many milliseconds to wait after the first failure in a row, the second, and so on. */
export type Ladder = (failures: number) => number;

/** `first`, 2 × `first`, 4 × `first` and so on, up to `most`. */
export const doubling =
  (first: number, most: number): Ladder =>
  (failures) =>
    Math.min(first * 2 ** Math.min(failures - 1, 30), most);

/** 0, `step`, 2 × `step`, 3 × `step` and so on, up to `most`. */
export const growing =
  (step: number, most: number): Ladder =>
  (failures) =>
    Math.min(step * (failures - 1), most);

/** Adds up to a fifth, so that clients that failed together do not come back together. */
export const jittered = (milliseconds: number, random: () => number): number => milliseconds * (1 + random() / 5);
