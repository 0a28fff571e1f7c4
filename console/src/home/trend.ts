/** Says how many more or fewer matched than in the time before: only where both times are known as a whole. Pure. */
import type { Counts, Platform, Status } from '../data/queries.ts';
import { endOf } from '../status/health.ts';
import { changeWords, countedBetween } from '../words/change.ts';

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
  /** One rule alone. It has been as it is since a time. */
  readonly rule?: { readonly platforms: readonly Platform[]; readonly since: number };
}

export function trendOf({ status, now, hours, counts, rule }: Compared): string | undefined {
  const end = Math.floor(now / HOUR) * HOUR;
  const start = end - 2 * hours * HOUR;
  if (rule !== undefined && rule.since > start) return undefined;
  if (!isKnown(status, { start, end, now, platforms: rule?.platforms })) return undefined;
  const middle = end - hours * HOUR;
  const before = countedBetween(counts, start, middle);
  if (before < ENOUGH) return undefined;
  const change = changeWords(before, countedBetween(counts, middle, end));
  const time = hours === 24 ? '24 hours' : `${hours / 24} days`;
  if (change === undefined) return `As many in the last ${time} as in the ${time} before.`;
  return `${change} in the last ${time} than in the ${time} before.`;
}

interface Known {
  readonly start: number;
  readonly end: number;
  readonly now: number;
  /** All that have rules, where none are given. */
  readonly platforms: readonly Platform[] | undefined;
}

/** Whether Sluice listened to the platforms all of this time, and no match of it is removed by its age. */
function isKnown(status: Status, { start, end, now, platforms }: Known): boolean {
  if (start < now - status.retention_days * 24 * HOUR) return false;
  return Object.entries(status.platforms)
    .filter(([name, { rules }]) => platforms?.includes(name as Platform) ?? rules > 0)
    .every(
      ([
        ,
        {
          coverage: { complete_from, complete_through },
          gaps,
        },
      ]) =>
        Date.parse(complete_from ?? '') <= start &&
        Date.parse(complete_through ?? '') >= end - GRACE &&
        gaps.length < MOST_GAPS &&
        gaps.every((gap) => gap.recovered || endOf(gap, now) <= start || Date.parse(gap.from) >= end),
    );
}
