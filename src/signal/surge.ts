/**
 * Surge and silence: whether what a rule does now is beyond what its own past allows. The extremes of its past days are a
 * sample of the largest excess a day; a bar is what such a largest excess would pass once in a very long time. A rule
 * whose ordinary days are wild has a high bar, a steady rule has a low one. Pure.
 */
import {
  type Baseline,
  type Extreme,
  excess,
  HOURS_OF_WEEK,
  LEAST_DAYS,
  leastUsualAt,
  missingIn,
  mostUsualAt,
  type Ordinary,
  sum,
  usualAt,
  usualOf,
} from './baseline.ts';

/** A bar is passed by chance on one day in this many; a rule has three of them. */
const DAYS_BETWEEN = 1_000;
const REDUCED = reducedOf(DAYS_BETWEEN);
/** The level of a rule wanders from day to day, so that one bad day follows another: what is missing must be rarer. */
const REDUCED_MISSING = reducedOf(20 * DAYS_BETWEEN);
const EULER = 0.577_215_664_9;
/** The spread of the extremes that is assumed at first, and how many days that is worth. */
const PRIOR: Readonly<Record<Extreme, number>> = { ten: 0.25, sixty: 0.2, quiet: 0.25, missing: 0.05 };
const PRIOR_DAYS = 7;
/** A surge is at least this many times the usual, and at least this many matches; silence outlasts this many usual ones. */
const LEAST_EXCESS = Math.log(2.5);
const LEAST_MATCHES = 10;
const LEAST_QUIET = Math.log(1 + 15);
/** At least a third of a day's matches is missing, and this many an hour. */
const LEAST_MISSING = { excess: Math.log(1.5), rate: 1 };
/** A rule that has fewer matches a day is not usually busy: its silence says nothing. */
const BUSY_A_DAY = 24;
/** An episode is over when the excess fell below this share of the bar. */
const CALM = 0.5;

/** The reduced variate of a Gumbel distribution. */
function reducedOf(days: number): number {
  return -Math.log(-Math.log(1 - 1 / days));
}

/** The facts that the looks of one hour need. */
export interface Outlook {
  readonly hour: number;
  /** Matches an hour that are usual in the hour before, in this one, and in the next, in case this is told late. */
  readonly usual: readonly [before: number, now: number, after: number];
  /**
   * The most that is usual at each of them or an hour beside it: what goes beyond that is a surge by any clock. Absent, as
   * `least`, in what an earlier version stored for the running hour.
   */
  readonly most?: readonly [before: number, now: number, after: number];
  /** The least, in this hour and in the next: only what is missing by any clock counts as silence. */
  readonly least?: readonly [now: number, after: number];
  /** It is undefined when too little is known of the past. */
  readonly bars?: { readonly ten: number; readonly sixty: number } | undefined;
  /** The usual matches that must be missing for silence; undefined when the rule is not busy, or too little is known. */
  readonly silence?: number | undefined;
  /** As it was at the start of the hour. */
  readonly quiet?: Baseline['quiet'];
  /** The missing matches of the 24 hours before, for a rule whose silence is looked for. */
  readonly missing?: Missing | undefined;
}

export interface Missing {
  /** Matches an hour that came, and that are usual. */
  readonly rate: number;
  readonly usualRate: number;
  /** How far what is missing goes, as a share of the bar: beyond 1 it is unusual. */
  readonly share: number;
  readonly bar: number;
}

export function outlookOf(baseline: Baseline): Outlook {
  const { next: hour, days, quiet } = baseline;
  const isKnown = days.ten.length >= LEAST_DAYS;
  const bars = isKnown ? { ten: barOf(days, 'ten'), sixty: barOf(days, 'sixty') } : undefined;
  const silence = isKnown && isBusy(baseline) ? Math.exp(Math.max(LEAST_QUIET, barOf(days, 'quiet'))) - 1 : undefined;
  const usual = [usualAt(baseline, hour - 1), usualAt(baseline, hour), usualAt(baseline, hour + 1)] as const;
  const most = [
    mostUsualAt(baseline, hour + HOURS_OF_WEEK - 1),
    mostUsualAt(baseline, hour),
    mostUsualAt(baseline, hour + 1),
  ] as const;
  const least = [leastUsualAt(baseline, hour), leastUsualAt(baseline, hour + 1)] as const;
  const missing = silence === undefined ? undefined : missingOf(baseline);
  return { hour, usual, most, least, bars, silence, quiet, missing };
}

function missingOf({ recent, days }: Baseline): Missing | undefined {
  const found = days.missing.length < LEAST_DAYS ? undefined : missingIn(recent);
  if (found === undefined) return undefined;
  const { rate, usualRate, isKnown } = found;
  const isEnough = isKnown && usualRate - rate >= LEAST_MISSING.rate;
  const bar = Math.max(LEAST_MISSING.excess, barOf(days, 'missing', REDUCED_MISSING));
  const share = found.excess / bar;
  // When too few are usual, no new alert begins, and an open one goes on.
  return { rate, usualRate, bar, share: isEnough ? share : Math.min(1, share) };
}

const isBusy = ({ means, weeks }: Baseline): boolean => {
  const heard = weeks.filter((count) => count > 0).length;
  return heard > 0 && (sum(means.filter((_, cell) => weeks[cell]! > 0)) / heard) * 24 >= BUSY_A_DAY;
};

/** The excess that the largest of a day passes once in `DAYS_BETWEEN` days: a Gumbel distribution fitted to the past ones. */
function barOf(days: Baseline['days'], name: Extreme, reduced = REDUCED): number {
  const sorted = days[name].toSorted((one, other) => one - other);
  const { length } = sorted;
  const mean = sum(sorted) / length;
  const weighted = sum(sorted.map((value, rank) => (value * rank) / (length - 1))) / length;
  const spread = (2 * weighted - mean) / Math.LN2;
  const scale = (spread * length + PRIOR[name] * PRIOR_DAYS) / (length + PRIOR_DAYS);
  return mean + scale * (reduced - EULER);
}

const NO_BOUND = Number.POSITIVE_INFINITY;

export const ordinaryIn = ({ usual, most = usual, bars, silence, missing }: Outlook): Ordinary => ({
  matches: bars === undefined ? NO_BOUND : (most[1] + 1) * Math.exp(Math.max(LEAST_EXCESS, bars.sixty)),
  ten: bars?.ten ?? NO_BOUND,
  sixty: bars?.sixty ?? NO_BOUND,
  quiet: silence === undefined ? NO_BOUND : excess(silence, 0),
  missing: missing === undefined ? NO_BOUND : missing.bar,
});

/** The matches of the last 10 and 60 minutes, when `minute` is the running one. */
export interface Windows {
  readonly minute: number;
  readonly ten: number;
  readonly sixty: number;
}

export interface SurgeLook {
  readonly isSurge: boolean;
  /** Whether an episode that began earlier is over by now. */
  readonly isCalm: boolean;
  /** The first minute of the window that stands out more. */
  readonly from: number;
  /** Matches an hour, of the window that stands out more. */
  readonly rate: number;
  readonly usualRate: number;
}

/** Returns undefined when too little is known. */
export function lookForSurge(
  { hour, usual, most = usual, bars }: Outlook,
  { minute, ten, sixty }: Windows,
): SurgeLook | undefined {
  const passed = minute - hour * 60 + 1;
  if (bars === undefined || passed > 120) return undefined;
  const windows = [
    { size: 10 as const, matches: ten, bar: Math.max(LEAST_EXCESS, bars.ten) },
    { size: 60 as const, matches: sixty, bar: Math.max(LEAST_EXCESS, bars.sixty) },
  ].map(({ size, matches, bar }) => {
    const expected = usualOf(most, passed, size);
    const share = excess(matches, expected) / bar;
    const isOver = share > 1 && matches >= LEAST_MATCHES;
    return { size, share, isOver, rate: perHour(matches, size), usual: perHour(expected, size) };
  });
  const highest = windows.toSorted((one, other) => other.share - one.share)[0]!;
  return {
    isSurge: windows.some(({ isOver }) => isOver),
    isCalm: windows.every(({ share }) => share < CALM),
    from: minute - highest.size + 1,
    rate: highest.rate,
    usualRate: highest.usual,
  };
}

const perHour = (matches: number, minutes: number): number => (matches * 60) / minutes;

export interface Quiet {
  /** The minute after the last match. */
  readonly since: number;
  /** The minute by which silence is unusual, if it lasts. Beyond the hour it is found again when the hour has passed. */
  readonly until: number;
  /** Matches an hour that are usual in that time. */
  readonly usualRate: number;
}

/**
 * When the quiet since the last match becomes unusual. `last` is the minute of the last match since the hour began. It
 * is undefined when that is not before the end of the next hour, or when it cannot be said.
 */
export function quietOf(
  { hour, usual, least = [usual[1], usual[2]], silence, quiet }: Outlook,
  last: number | undefined,
): Quiet | undefined {
  const begun = last === undefined ? quiet : { since: last + 1, usual: 0 };
  if (silence === undefined || begun === undefined) return undefined;
  let missing = silence - begun.usual;
  let minute = Math.max(begun.since, hour * 60);
  for (const [index, rate] of least.entries()) {
    const end = (hour + index + 1) * 60;
    if (minute >= end) continue;
    const inside = (rate * (end - minute)) / 60;
    if (missing <= 0) return quietUntil(begun.since, minute, silence);
    if (inside >= missing) return quietUntil(begun.since, minute + (missing / rate) * 60, silence);
    missing -= inside;
    minute = end;
  }
  return undefined;
}

const quietUntil = (since: number, end: number, silence: number): Quiet => {
  const until = Math.ceil(end);
  return { since, until, usualRate: (silence * 60) / Math.max(1, until - since) };
};

/** Whether far fewer matches than usual came in a day, and whether that is over by now. */
export const isMissingMuch = ({ missing }: Outlook): boolean => missing !== undefined && missing.share > 1;
export const isMissingLittle = ({ missing }: Outlook): boolean => missing === undefined || missing.share < CALM;

/** A surge that lasts. */
export interface Episode {
  /** The highest rate so far, in matches an hour. */
  readonly rate: number;
  /** Since when it is calm, as a minute; undefined while it is not. */
  readonly calmSince?: number | undefined;
}

/** An episode ends when it has been calm for this many minutes: a second wave within them belongs to it. */
const CALM_MINUTES = 60;

export type SurgeStep =
  | { readonly change: 'none'; readonly episode: Episode | undefined }
  | { readonly change: 'opened' | 'grown'; readonly episode: Episode }
  | { readonly change: 'closed'; readonly episode: undefined; readonly to: number };

/** A rate is told again when it has grown by this much. */
const GROWN = 1.25;

/** The next state of an episode after a look. Without a look, because too little is known, it is as good as calm. */
export function surgeStep(episode: Episode | undefined, look: SurgeLook | undefined, minute: number): SurgeStep {
  if (episode === undefined)
    return look?.isSurge ? { change: 'opened', episode: { rate: look.rate } } : { change: 'none', episode: undefined };
  if (look !== undefined && !look.isCalm) {
    const isGrown = look.rate > episode.rate * GROWN;
    return { change: isGrown ? 'grown' : 'none', episode: { rate: isGrown ? look.rate : episode.rate } };
  }
  const calmSince = episode.calmSince ?? minute;
  if (minute - calmSince >= CALM_MINUTES) return { change: 'closed', episode: undefined, to: calmSince };
  return { change: 'none', episode: { ...episode, calmSince } };
}
