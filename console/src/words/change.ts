/** How one count differs from another. Pure. */
import type { Counts } from '../data/queries.ts';

export const countedBetween = (counts: Counts['counts'], from: number, to: number): number =>
  counts.reduce((sum, { at, count }) => sum + (Date.parse(at) >= from && Date.parse(at) < to ? count : 0), 0);

/** "12 % more"; undefined where they hardly differ. */
export function changeWords(before: number, after: number): string | undefined {
  const percent = Math.round((after / before - 1) * 100);
  return percent === 0 ? undefined : `${Math.abs(percent)} % ${percent < 0 ? 'fewer' : 'more'}`;
}
