/** The effect of a new version of a rule: its matches a day before and after it. Pure. */
import type { Span } from '../chart/chart.tsx';
import type { Change, Counts, Platform } from '../data/queries.ts';
import { textsOf } from './versions.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Longer ago says less about the change. */
const LONGEST = 7 * DAY;
/** Nothing is said about a day after a shorter time. */
export const ENOUGH_HOURS = 6;

interface Side {
  /** Whole hours that were counted. */
  readonly hours: number;
  /** Null if they are too few to say. */
  readonly perDay: number | null;
}

export interface Effect {
  readonly before: Side;
  readonly after: Side;
}

export interface Counted {
  /** Matches an hour, of the rule on this platform. */
  readonly counts: Counts['counts'];
  /** Times in which matches may be missing: they say nothing. */
  readonly missing: readonly Span[];
  /** Nothing is known from before and after these. */
  readonly from: number;
  readonly to: number;
}

/** Up to the version before and the version after, and no further than a week. */
export function effectOf(at: number, versions: readonly number[], { counts, missing, from, to }: Counted): Effect {
  const previous = Math.max(from, at - LONGEST, ...versions.filter((other) => other < at));
  const next = Math.min(to, at + LONGEST, ...versions.filter((other) => other > at));
  const within = (start: number, end: number): Side => {
    const hours = counts.filter((one) => {
      const begin = Date.parse(one.at);
      return begin >= start && begin + HOUR <= end && !missing.some((gap) => gap.from < begin + HOUR && gap.to > begin);
    });
    const total = hours.reduce((sum, { count }) => sum + count, 0);
    return { hours: hours.length, perDay: hours.length < ENOUGH_HOURS ? null : (total * 24) / hours.length };
  };
  return { before: within(previous, at), after: within(at, next) };
}

/** When the text on a platform changed, or came or went. */
export const versionsOn = (platform: Platform, changes: readonly Change[]): number[] =>
  changes
    .filter(
      ({ before, after }) => textsOf(before)?.[platform] !== undefined || textsOf(after)?.[platform] !== undefined,
    )
    .map(({ at }) => Date.parse(at));
