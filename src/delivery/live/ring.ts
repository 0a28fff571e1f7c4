/**
 * The latest frames of an account, encoded once for all its subscribers. Frames are numbered; a subscriber that is asked
 * for a number which has left the ring reads the store instead.
 */
import type { Platform } from '../../domain/platform.ts';

export interface Frame {
  readonly position: number;
  readonly platform: Platform;
  /** Of a match; a gap concerns every rule. */
  readonly ruleId: string | undefined;
  readonly bytes: Buffer;
}

export interface Ring {
  /** Everything after this position, up to `end`, is in the ring. */
  readonly start: number;
  readonly end: number;
  /** The number that the next frame gets. */
  readonly next: number;
  /** Undefined when it has left, or has not come yet. */
  at(number: number): Frame | undefined;
  /** The number of the first frame after a position that is not before the start. */
  numberAfter(position: number): number;
  push(frames: readonly Frame[], end: number): void;
  /** Forgets all frames; the store is asked again for whatever they held. */
  clear(): void;
}

/** A ring keeps at least so many bytes, and at most twice as many. */
const KEPT_BYTES = 512 * 1024;

export function createRing(position: number): Ring {
  let frames: Frame[] = [];
  let first = 0;
  let bytes = 0;
  let [start, end] = [position, position];

  function trim(): void {
    if (bytes <= 2 * KEPT_BYTES) return;
    let gone = 0;
    while (bytes > KEPT_BYTES && gone < frames.length - 1) bytes -= frames[gone++]!.bytes.length;
    start = frames[gone - 1]!.position;
    frames = frames.slice(gone);
    first += gone;
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
    numberAfter(after) {
      const found = frames.findLastIndex((frame) => frame.position <= after);
      return first + found + 1;
    },
    push(added, to) {
      for (const frame of added) {
        frames.push(frame);
        bytes += frame.bytes.length;
      }
      end = Math.max(end, to);
      trim();
    },
    clear() {
      first += frames.length;
      frames = [];
      bytes = 0;
      start = end;
    },
  };
}
