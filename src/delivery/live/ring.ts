/**
 * The latest frames of an account, encoded once for all its subscribers. Frames are numbered. A subscriber whose next
 * frame has left the ring reads the store instead.
 */
import type { Filtered } from './match-log.ts';

export interface LiveFrame extends Filtered {
  /** A gap or an alert, which has the place of the match before it. */
  readonly isGap?: true;
  readonly position: number;
  readonly bytes: Buffer;
}

export interface Ring {
  /** The ring holds everything after this position, up to `end`. */
  readonly start: number;
  readonly end: number;
  /** The number that the next frame gets. */
  readonly next: number;
  /** Returns undefined when the frame has left the ring, or has not come yet. */
  at(number: number): LiveFrame | undefined;
  /** The number of the first frame after a position that is not before the start. */
  numberAfter(position: number): number;
  push(frames: readonly LiveFrame[], end: number): void;
  /** Drops all frames; subscribers read them from the store again. */
  clear(): void;
}

/** The ring is trimmed to this many bytes when it holds twice as many. The newest frame always stays. */
const KEPT_BYTES = 512 * 1024;

/** How many of the oldest frames leave so that the rest is small enough, or only the newest is left. */
export function surplusOf(frames: readonly LiveFrame[], bytes: number, keep = KEPT_BYTES): number {
  if (bytes <= 2 * keep) return 0;
  let surplus = 0;
  for (let left = bytes; left > keep && surplus < frames.length - 1; surplus++) left -= frames[surplus]!.bytes.length;
  return surplus;
}

const sizeOf = (frames: readonly LiveFrame[]): number => frames.reduce((sum, { bytes }) => sum + bytes.length, 0);

export function createRing(position: number): Ring {
  let frames: LiveFrame[] = [];
  /** The number of the first frame. */
  let first = 0;
  let bytes = 0;
  let [start, end] = [position, position];

  function drop(count: number): void {
    if (count === 0) return;
    const dropped = frames.slice(0, count);
    start = dropped.at(-1)!.position;
    bytes -= sizeOf(dropped);
    frames = frames.slice(count);
    first += count;
  }

  return {
    get start() {
      return start;
    },
    get end() {
      return end;
    },
    get next() {
      return first + frames.length;
    },
    at: (number) => frames[number - first],
    numberAfter: (after) => first + frames.findLastIndex((frame) => frame.position <= after) + 1,
    push(added, to) {
      frames.push(...added);
      bytes += sizeOf(added);
      end = Math.max(end, to);
      drop(surplusOf(frames, bytes));
    },
    clear() {
      drop(frames.length);
      start = end;
    },
  };
}
