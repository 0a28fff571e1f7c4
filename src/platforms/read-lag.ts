/**
 * How far the reader of a connection may be behind its socket. Bytes wait in the socket while the event loop is busy,
 * while the process is frozen, and while reading is paused; they are lost when the connection breaks. A beat each second
 * bounds the wait: what was in the socket at the beat before the last one has been read since.
 */
import type { Clock } from '../base/clock.ts';

const BEAT_MS = 1_000;

export interface ReadLagOptions {
  /** Ends the beat. */
  readonly signal: AbortSignal;
  /** False while reading is paused: no beat counts then. */
  readonly isReading?: () => boolean;
}

/** Returns a function that says how many milliseconds ago, at most, bytes arrived that are read only now. */
export function measureReadLag(clock: Clock, { signal, isReading = () => true }: ReadLagOptions): () => number {
  let last = clock.elapsed();
  let beforeLast = last;

  async function beat(): Promise<void> {
    while (!signal.aborted) {
      await clock.sleep(BEAT_MS, signal);
      if (!isReading()) continue;
      beforeLast = last;
      last = clock.elapsed();
    }
  }

  void beat();
  return () => clock.elapsed() - beforeLast;
}
