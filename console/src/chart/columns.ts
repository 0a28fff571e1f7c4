/** Columns over time as numbers: where an interval begins and ends, what a drag selects, and how columns stand on each other. Pure. */
import type { Series, Span } from './chart.tsx';

/** The length of an interval. All have the same, except that the days of a clock change are an hour longer or shorter. */
export const stepOf = (times: readonly number[]): number =>
  times.length < 2 ? 3_600_000 : (times.at(-1)! - times[0]!) / (times.length - 1);

/** A column is drawn from the start of its interval to its end, so the scale ends one interval after the last start. */
export const scaleOf = (times: readonly number[]): Span => ({
  from: times[0] ?? 0,
  to: (times.at(-1) ?? 0) + stepOf(times),
});

/** The whole intervals that a drag from one moment to another touches. */
export function selected(times: readonly number[], from: number, to: number): Span {
  const step = stepOf(times);
  const first = times[0] ?? 0;
  const last = times.length - 1;
  const place = (at: number) => Math.max(0, Math.min(last, Math.floor((at - first) / step)));
  return { from: first + place(from) * step, to: first + (place(to) + 1) * step };
}

/**
 * Each series with those below it added, the last of all on top. A canvas paints the tallest first. Whatever adds nothing is not
 * painted: its edge would show around the column over it.
 */
export function stacked(series: readonly Series[]): (number | null)[][] {
  const sums: number[] = [];
  return series.map(({ values }, level) =>
    values.map((value, at) => {
      sums[at] = (sums[at] ?? 0) + (value ?? 0);
      return value === null || (value === 0 && level > 0) ? null : sums[at];
    }),
  );
}

/** The top of a scale: a round number at or above the largest, so that no column ends above the last line. */
export function topOf(most: number): number {
  const least = Math.max(most, 4) / 5;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= least && one >= 1)!;
  return Math.ceil(Math.max(most, 4) / step) * step;
}

/** The places of numbers between unknown ones: a line through one has no length, so it is drawn as a point. */
export const isolated = (values: readonly (number | null | undefined)[]): number[] =>
  values.flatMap((value, at) => (value != null && values[at - 1] == null && values[at + 1] == null ? [at] : []));
