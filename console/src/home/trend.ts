/** Says how many more or fewer matched than in the time before: only where both times are known as a whole. Pure. */
import type { Counts, Status } from '../data/queries.ts';
import { endOf } from '../status/health.ts';

const HOUR = 3_600_000;
/** A feed that is only asked now and then is behind by this much. */
const GRACE = 10 * 60_000;
/** Fewer matches than would be chance. */
const ENOUGH = 5;
/** The server lists no more gaps: there may be others before them. */
const MOST_GAPS = 100;

export interface Compared {
  readonly status: Status;
  readonly now: number;
  /** How many whole hours are compared with as many before them. */
  readonly hours: number;
  /** Matches an hour. */
  readonly counts: Counts['counts'];
}

export function trendOf({ status, now, hours, counts }: Compared): string | undefined {
  const end = Math.floor(now / HOUR) * HOUR;
  const start = end - 2 * hours * HOUR;
  if (!isKnown(status, { start, end, now })) return undefined;
  const within = (from: number, to: number) =>
    counts.reduce((sum, { at, count }) => sum + (Date.parse(at) >= from && Date.parse(at) < to ? count : 0), 0);
  const [before, after] = [within(start, end - hours * HOUR), within(end - hours * HOUR, end)];
  if (before < ENOUGH) return undefined;
  const share = Math.round((after / before - 1) * 100);
  const time = hours === 24 ? '24 hours' : `${hours / 24} days`;
  if (share === 0) return `As many in the last ${time} as in the ${time} before.`;
  return `${Math.abs(share)} % ${share < 0 ? 'fewer' : 'more'} in the last ${time} than in the ${time} before.`;
}

/** Whether Sluice listened to every platform that has rules, all of this time, and no match of it is removed by its age. */
function isKnown(status: Status, { start, end, now }: { start: number; end: number; now: number }): boolean {
  if (start < now - status.retention_days * 24 * HOUR) return false;
  return Object.values(status.platforms)
    .filter(({ rules }) => rules > 0)
    .every(
      ({ coverage: { complete_from, complete_through }, gaps }) =>
        Date.parse(complete_from ?? '') <= start &&
        Date.parse(complete_through ?? '') >= end - GRACE &&
        gaps.length < MOST_GAPS &&
        gaps.every((gap) => gap.recovered || endOf(gap, now) <= start || Date.parse(gap.from) >= end),
    );
}
