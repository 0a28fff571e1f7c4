/** Says what the last change of a rule did, as far as its matches tell an hour later. Pure. */
import type { Span } from '../chart/chart.tsx';
import type { Counts } from '../data/queries.ts';
import { counted, figure } from '../ui/moment.ts';
import { changeWords, countedBetween } from '../words/change.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** The time before a change by which it is judged. */
export const BEFORE = 24 * HOUR;
/** Fewer matches than would be chance. */
const ENOUGH = 5;

export interface SinceChange {
  readonly at: number;
  readonly now: number;
  /** The rule, or its version before, is there since. */
  readonly from: number;
  /** Matches a minute. */
  readonly counts: Counts['counts'];
  readonly missing: readonly Span[];
}

export function sinceChange({ at, now, from, counts, missing }: SinceChange): string {
  // Matches are counted by the minute: of the first minutes they would be those of both texts.
  if (now - at < HOUR) return `Its effect is shown in ${lasting(at + HOUR - now)}.`;
  const start = Math.max(from, at - BEFORE);
  const within = (begin: number, end: number) => countedBetween(counts, begin, end);
  const [before, after] = [within(start, at), within(at, now)];
  const came = `${counted(after, 'match', 'matches')} came in the ${lasting(now - at)} since`;
  if (missing.some((gap) => gap.from < now && gap.to > start))
    return `${came}. What the change did is not known: events are missing from a part of the time.`;
  if (at - start < HOUR) return `${came}. What the change did is not known: the text before ran for less than an hour.`;
  // Most is said by day: a change in the evening is compared with an evening, where there is one.
  const isDaysLater = start === at - BEFORE && now - at <= BEFORE;
  const expected = isDaysLater ? within(start, now - BEFORE) : (before * (now - at)) / (at - start);
  const usual = isDaysLater
    ? `in the same time a day before there were ${figure(expected)}`
    : `at the rate before there would have been ${figure(Math.round(expected))}`;
  if (Math.max(after, expected) < ENOUGH) return `${came}; ${usual}. That is too little to tell what it changed.`;
  if (expected === 0) return `${came}; ${usual}.`;
  return `${came}; ${usual}: ${changeWords(expected, after) ?? 'as many as before'}.`;
}

const lasting = (milliseconds: number): string => {
  const minutes = Math.max(1, Math.round(milliseconds / MINUTE));
  return minutes < 120 ? counted(minutes, 'minute') : counted(Math.round(minutes / 60), 'hour');
};
