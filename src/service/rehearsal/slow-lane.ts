/**
 * Pauses of work that has time. After each slice everything else runs. What then took long had work to do, and gets as much
 * time again.
 */
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../base/clock.ts';

/** Words between two pauses: a few milliseconds of work. An event costs this much beside its words. */
const SLICE = 6_000;
const EVENT_COST = 50;
const LONG_MS = 2;
const LONGEST_MS = 50;

export function createSlowLane(clock: Clock, signal?: AbortSignal): (words: number) => Promise<void> | undefined {
  let done = 0;
  const pause = async (): Promise<void> => {
    const before = clock.elapsed();
    await setImmediate();
    const others = clock.elapsed() - before;
    if (others > LONG_MS) await clock.sleep(Math.min(others, LONGEST_MS), signal);
  };
  return (words) => {
    done += words + EVENT_COST;
    if (done < SLICE) return undefined;
    done = 0;
    return pause();
  };
}
