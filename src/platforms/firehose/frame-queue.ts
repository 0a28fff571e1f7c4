/** Frames that were read and not yet taken: a few, so that what we cannot take stays upstream. */
import type { Frame } from './frames.ts';

const MOST_FRAMES = 1_000;
const MOST_CHARACTERS = 8 * 1024 * 1024;

export interface Received {
  readonly frame: Frame;
  readonly at: Date;
}

export interface Queue {
  put(received: Received): void;
  take(): Received | undefined;
  /** How many were ever taken. */
  readonly taken: number;
  readonly isFull: boolean;
  readonly isLow: boolean;
}

export function createQueue(): Queue {
  let waiting: Received[] = [];
  let first = 0;
  let taken = 0;
  let characters = 0;
  const fits = (share: number): boolean =>
    waiting.length - first < MOST_FRAMES * share && characters < MOST_CHARACTERS * share;
  return {
    put(received) {
      waiting.push(received);
      characters += received.frame.data.length;
    },
    take() {
      const received = waiting[first];
      if (received === undefined) return undefined;
      first++;
      taken++;
      characters -= received.frame.data.length;
      // Dropped in slices: to take the first of a long list moves all others.
      if (first === waiting.length || first === MOST_FRAMES) {
        waiting = waiting.slice(first);
        first = 0;
      }
      return received;
    },
    get taken() {
      return taken;
    },
    get isFull() {
      return !fits(1);
    },
    get isLow() {
      return fits(0.5);
    },
  };
}
