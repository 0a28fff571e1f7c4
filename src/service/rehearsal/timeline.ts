/** Counts over time in a bounded number of intervals: when there are too many, each two of them become one. */

export interface Timeline {
  /** Milliseconds of an interval. */
  step: number;
  /** By the start of the interval, those with a count alone. */
  counts: Map<number, number>;
}

const FIRST_STEP = 60_000;
const MOST = 240;

export const newTimeline = (): Timeline => ({ step: FIRST_STEP, counts: new Map() });

export function countAt(timeline: Timeline, at: number): void {
  add(timeline, at, 1);
  while (timeline.counts.size > MOST) {
    const before = timeline.counts;
    timeline.step *= 2;
    timeline.counts = new Map();
    for (const [start, count] of before) add(timeline, start, count);
  }
}

function add({ step, counts }: Timeline, at: number, count: number): void {
  const start = Math.floor(at / step) * step;
  counts.set(start, (counts.get(start) ?? 0) + count);
}

/** Oldest first. */
export const intervalsOf = ({ counts }: Timeline): (readonly [start: number, count: number])[] =>
  [...counts].toSorted(([one], [other]) => one - other);
