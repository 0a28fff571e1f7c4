/**
 * The usual matches of a rule on one platform, by hour of week and learnt hour by hour, and how far the days of its own
 * past went beyond that. All times are UTC: hours and minutes are counted since 1970. People's clocks move by an hour
 * against it. Hours in which Sluice did not listen the whole time are left out.
 */

export const HOURS_OF_WEEK = 168;
const HOURS_OF_DAY = 24;
/** A cell remembers about six weeks. */
const MOST_WEEKS = 6;
/** Days whose extremes are kept. */
const MOST_DAYS = 42;
/** With fewer days of past nothing is said. */
export const LEAST_DAYS = 10;
/** When fewer matches are usual in 24 hours, none counts as missing. */
const LEAST_OF_DAY = 48;
/** A day counts when it was heard for half its hours. */
const HOURS_OF_A_DAY = 12;
/** The usual count at this hour of any day is worth these matches beside the cell's own past, within some weeks. */
const PRIOR_MATCHES = 20;
const LEAST_PRIOR_WEEKS = 0.5;
const MOST_PRIOR_WEEKS = 2;
/** So many weeks say by themselves what an hour of the week has at most. */
const LEAST_WEEKS = 2;
/** The level of the last day moves what is usual: matches that it is worth at least, and how far it goes. */
const LEVEL_MATCHES = 10;
const LEVEL_DECAY = Math.exp(-1 / 24);
const LOWEST_LEVEL = 0.5;
const HIGHEST_LEVEL = 8;

/** Extremes of each day: of 10 minutes, of 60 minutes, of the quiet between two matches, of what was missing in 24 hours. */
export const EXTREMES = ['ten', 'sixty', 'quiet', 'missing'] as const;
export type Extreme = (typeof EXTREMES)[number];

export interface Baseline {
  /** The first hour that is not in it yet. */
  readonly next: number;
  /** For each hour of the week: the mean of its matches, and in how many weeks it was heard. */
  readonly means: readonly number[];
  readonly weeks: readonly number[];
  /** Matches of the last day or so, and what was usual for them. */
  readonly level: readonly [matches: number, usual: number];
  /** The running day: its number, the hours heard, its extremes so far. */
  readonly day: { readonly number: number; readonly hours: number; readonly top: Readonly<Record<Extreme, number>> };
  /** The extremes of earlier days, oldest first. */
  readonly days: Readonly<Record<Extreme, readonly number[]>>;
  /** How many of those are of the first two weeks, in which the hours of the week were hardly known. */
  readonly early?: number;
  /** Since when there was no match, as a minute, and what was usual for that time. Undefined when that is not known. */
  readonly quiet?: { readonly since: number; readonly usual: number } | undefined;
  /** The last hours, up to 24 that were heard one after the other. */
  readonly recent: readonly RecentHour[];
  /** Whether the hour before `next` was heard. */
  readonly heard: boolean;
  /** The level by which quiet is measured. An earlier version stored none. */
  readonly quietLevel?: QuietLevel;
}

/**
 * As `level`, against what the hours of the week have had themselves. Hours without a match wait for the next one with a match: a
 * level that fell with each of them would hide a silence, above all after a week's end, when the last day says little.
 */
interface QuietLevel {
  readonly level: Baseline['level'];
  /** The usual matches of the hours that wait. */
  readonly waiting: number;
}

/** Its matches, and what is usual in the hour before it, in itself and in the hour after it, whatever the level of the last day. */
type RecentHour = readonly [matches: number, before: number, usual: number, after: number];

const NONE = { ten: 0, sixty: 0, quiet: 0, missing: 0 };

export const newBaseline = (next: number): Baseline => ({
  next,
  means: Array.from({ length: HOURS_OF_WEEK }, () => 0),
  weeks: Array.from({ length: HOURS_OF_WEEK }, () => 0),
  level: [0, 0],
  day: { number: Math.floor(next / HOURS_OF_DAY), hours: 0, top: NONE },
  days: { ten: [], sixty: [], quiet: [], missing: [] },
  recent: [],
  heard: false,
});

/** Matches an hour that are usual at this hour, from the same hour of the week, the same hour of any day, and all hours. */
export const usualAt = (baseline: Baseline, hour: number): number =>
  usualAtAnyLevel(baseline, hour) * levelOf(baseline.level);

function usualAtAnyLevel(baseline: Baseline, hour: number): number {
  const { means, weeks } = baseline;
  const cell = hour % HOURS_OF_WEEK;
  const daily = sumOf(means, weeks, hour % HOURS_OF_DAY, HOURS_OF_DAY);
  const ofDay = blended(daily.matches, daily.weeks, meanOf(baseline));
  return blended(weeks[cell]! * means[cell]!, weeks[cell]!, ofDay);
}

/** A baseline never changes: the mean of all its hours is worked out once for the many questions of an hour. */
const MEANS = new WeakMap<Baseline, number>();

function meanOf(baseline: Baseline): number {
  const known = MEANS.get(baseline);
  if (known !== undefined) return known;
  const all = sumOf(baseline.means, baseline.weeks, 0, 1);
  const mean = all.weeks === 0 ? 0 : all.matches / all.weeks;
  MEANS.set(baseline, mean);
  return mean;
}

/**
 * The most that is usual at this hour or at one beside it. People's clocks move by an hour twice a year, each zone in its own
 * week: what comes an hour early or late is no surge.
 */
export const mostUsualAt = (baseline: Baseline, hour: number): number =>
  // Adding a week gives the same hour of the week, and never one before 1970.
  Math.max(usualAt(baseline, hour + HOURS_OF_WEEK - 1), usualAt(baseline, hour), usualAt(baseline, hour + 1));

/** The least, in the same way: what comes an hour late is not missing. */
export const leastUsualAt = (baseline: Baseline, hour: number): number =>
  Math.min(
    surelyUsualAt(baseline, hour + HOURS_OF_WEEK - 1),
    surelyUsualAt(baseline, hour),
    surelyUsualAt(baseline, hour + 1),
  ) * levelOf(quietLevelOf(baseline).level);

const quietLevelOf = ({ quietLevel, level }: Baseline): QuietLevel => quietLevel ?? { level, waiting: 0 };

/**
 * No more than the hour of the week has had itself, and `leeway` matches: of the hours that the other days are busy, a free day
 * has nothing to miss. Whatever the level.
 */
function surelyUsualAt(baseline: Baseline, hour: number, leeway = 1): number {
  const cell = hour % HOURS_OF_WEEK;
  const weeks = baseline.weeks[cell]!;
  const own = weeks < LEAST_WEEKS ? Infinity : baseline.means[cell]! + leeway / weeks;
  return Math.min(usualAtAnyLevel(baseline, hour), own);
}

/** A mean over some weeks, and for a start what was expected without them. */
function blended(matches: number, weeks: number, prior: number): number {
  const worth = Math.min(MOST_PRIOR_WEEKS, Math.max(LEAST_PRIOR_WEEKS, PRIOR_MATCHES / prior));
  return (matches + worth * prior) / (weeks + worth);
}

function sumOf(means: readonly number[], weeks: readonly number[], from: number, step: number) {
  const sum = { matches: 0, weeks: 0 };
  for (let cell = from; cell < HOURS_OF_WEEK; cell += step) {
    sum.matches += means[cell]! * weeks[cell]!;
    sum.weeks += weeks[cell]!;
  }
  return sum;
}

const levelOf = ([matches, usual]: Baseline['level']): number =>
  Math.min(HIGHEST_LEVEL, Math.max(LOWEST_LEVEL, (matches + LEVEL_MATCHES) / (usual + LEVEL_MATCHES)));

/** How far a count goes beyond what is usual for its window: the logarithm of their ratio, tamed for small counts. */
export const excess = (matches: number, usual: number): number => Math.log((matches + 1) / (usual + 1));

interface MissingOfDay {
  readonly rate: number;
  readonly usualRate: number;
  readonly excess: number;
  /** Whether enough are usual to say that some are missing. */
  readonly isKnown: boolean;
}

/**
 * How many matches an hour came in the last 24 hours, how many are usual, and how far that is below it; undefined where fewer hours
 * were heard. The least of what is usual by people's clocks, if they moved by an hour, counts.
 */
export function missingIn(recent: Baseline['recent']): MissingOfDay | undefined {
  const [matches, ...byClock] = [0, 1, 2, 3].map((field) => sum(recent.map((hour) => hour[field]!)));
  const usual = Math.min(...byClock);
  if (recent.length < HOURS_OF_DAY) return undefined;
  const [rate, usualRate] = [matches! / HOURS_OF_DAY, usual / HOURS_OF_DAY];
  return { rate, usualRate, excess: excess(usual, matches!), isKnown: usual >= LEAST_OF_DAY };
}

/** Matches by the minute of one hour, and of the hour before it. */
export interface HourOfMatches {
  readonly minutes: readonly number[];
  readonly before: readonly number[];
  /** Whether Sluice listened the whole hour. */
  readonly heard: boolean;
  readonly ordinary: Ordinary;
}

/** The most that is still ordinary. One hour teaches no more, so that a surge does not become usual by itself. */
export interface Ordinary extends Readonly<Record<Extreme, number>> {
  readonly matches: number;
}

/** The baseline with one more hour in it. */
export function addHour(baseline: Baseline, { minutes, before, heard, ordinary }: HourOfMatches): Baseline {
  const { next: hour } = baseline;
  if (!heard) return endDay({ ...baseline, next: hour + 1, quiet: undefined, recent: [], heard: false });
  const usual = usualAt(baseline, hour);
  const { top, quiet } = extremesOf(baseline, hour, { minutes, before, usual: leastUsualAt(baseline, hour) });
  const matches = Math.min(ordinary.matches, sum(minutes));
  const { day } = baseline;
  const level = levelOf(baseline.level);
  const recent = recentWith(baseline, matches, ordinary);
  const found = missingIn(recent);
  const missing = Math.max(top.missing, found?.isKnown ? found.excess : 0);
  return endDay({
    ...learnt(baseline, hour, matches),
    next: hour + 1,
    level: levelWith(baseline.level, matches, usual / level),
    quietLevel: quietLevelWith(baseline, matches, ordinary),
    day: { ...day, hours: day.hours + 1, top: within({ ...top, missing }, ordinary) },
    quiet,
    recent,
    heard: true,
  });
}

const levelWith = (level: Baseline['level'], matches: number, usual: number): Baseline['level'] => [
  level[0] * LEVEL_DECAY + matches,
  level[1] * LEVEL_DECAY + usual,
];

/** A silence that was told is not learnt. */
function quietLevelWith(baseline: Baseline, matches: number, ordinary: Ordinary): QuietLevel {
  const { level, waiting } = quietLevelOf(baseline);
  const usual = surelyUsualAt(baseline, baseline.next, 0);
  if (matches === 0) return { level, waiting: waiting + usual };
  return { level: levelWith(level, matches, isSilent(baseline, ordinary) ? usual : waiting + usual), waiting: 0 };
}

const isSilent = ({ quiet }: Baseline, ordinary: Ordinary): boolean =>
  (quiet?.usual ?? 0) > Math.exp(ordinary.quiet) - 1;

/** The list begins anew at a silence, whose missing matches are told with it, and at an hour hardly known. */
function recentWith(baseline: Baseline, matches: number, ordinary: Ordinary): readonly RecentHour[] {
  const { next: hour, recent, weeks } = baseline;
  if (isSilent(baseline, ordinary) || weeks[hour % HOURS_OF_WEEK]! < LEAST_WEEKS) return [];
  const usual = (at: number) => surelyUsualAt(baseline, at);
  const added = [matches, usual(hour + HOURS_OF_WEEK - 1), usual(hour), usual(hour + 1)] as const;
  return [...recent, added].slice(-HOURS_OF_DAY);
}

const within = (top: Readonly<Record<Extreme, number>>, most: Ordinary): Record<Extreme, number> => ({
  ten: Math.min(top.ten, most.ten),
  sixty: Math.min(top.sixty, most.sixty),
  quiet: Math.min(top.quiet, most.quiet),
  missing: Math.min(top.missing, most.missing),
});

function learnt(baseline: Baseline, hour: number, matches: number): Baseline {
  const cell = hour % HOURS_OF_WEEK;
  const weeks = Math.min(MOST_WEEKS, baseline.weeks[cell]! + 1);
  const mean = baseline.means[cell]! + (matches - baseline.means[cell]!) / weeks;
  return { ...baseline, means: baseline.means.with(cell, mean), weeks: baseline.weeks.with(cell, weeks) };
}

interface Counted {
  readonly minutes: readonly number[];
  readonly before: readonly number[];
  /** The least, by which quiet is measured. */
  readonly usual: number;
}

/** Goes through the hour minute by minute as the looks did: windows that end with a match, and quiet that a match ends. */
function extremesOf(baseline: Baseline, hour: number, { minutes, before, usual }: Counted) {
  const rates = [mostUsualAt(baseline, hour + HOURS_OF_WEEK - 1), mostUsualAt(baseline, hour)];
  const both = [...before, ...minutes];
  const top = { ...baseline.day.top };
  let quiet = baseline.quiet ?? { since: hour * 60, usual: 0 };
  let [ten, sixty] = [sum(both.slice(50, 60)), sum(before)];
  for (let minute = 0; minute < 60; minute++) {
    const matches = minutes[minute]!;
    ten += matches - both[50 + minute]!;
    sixty += matches - both[minute]!;
    if (matches === 0) {
      quiet = { since: quiet.since, usual: quiet.usual + usual / 60 };
      continue;
    }
    // The first match after a time that was not heard ends no quiet.
    if (baseline.quiet !== undefined || quiet.since > hour * 60)
      top.quiet = Math.max(top.quiet, excess(quiet.usual, 0));
    quiet = { since: hour * 60 + minute + 1, usual: 0 };
    if (!baseline.heard) continue;
    top.ten = Math.max(top.ten, excess(ten, usualOf(rates, minute + 1, 10)));
    top.sixty = Math.max(top.sixty, excess(sixty, usualOf(rates, minute + 1, 60)));
  }
  const isKnown = baseline.quiet !== undefined || quiet.since > hour * 60;
  return { top, quiet: isKnown ? quiet : { since: hour * 60, usual } };
}

/**
 * The usual matches of the last `window` minutes when `minute` minutes have passed. `usual` are matches an hour: of the
 * hour before, of the hour in which the minutes are counted, and of the hours after it.
 */
export function usualOf(usual: readonly number[], minute: number, window: 10 | 60): number {
  let matches = 0;
  for (const [index, rate] of usual.entries()) {
    const [from, to] = [(index - 1) * 60, index * 60];
    matches += (rate * Math.max(0, Math.min(minute, to) - Math.max(minute - window, from))) / 60;
  }
  return matches;
}

/** At midnight the extremes of the day join those of the days before. */
function endDay(baseline: Baseline): Baseline {
  const number = Math.floor(baseline.next / HOURS_OF_DAY);
  const { day, days } = baseline;
  if (number === day.number) return baseline;
  const started = { ...baseline, day: { number, hours: 0, top: NONE } };
  if (day.hours < HOURS_OF_A_DAY) return started;
  const early = (baseline.early ?? 0) + (isEarly(baseline, day.number) ? 1 : 0);
  // Extremes from before the week was known say nothing once there are enough other days.
  const isSettled = days.ten.length + 1 - early >= LEAST_DAYS;
  const from = isSettled ? early : 0;
  const kept = EXTREMES.map((name) => [name, [...days[name], day.top[name]].slice(from).slice(-MOST_DAYS)] as const);
  const next = { ten: kept[0]![1], sixty: kept[1]![1], quiet: kept[2]![1], missing: kept[3]![1] };
  return { ...started, days: next, early: isSettled ? 0 : early };
}

const isEarly = ({ weeks }: Baseline, day: number): boolean =>
  weeks.slice((day % 7) * HOURS_OF_DAY, ((day % 7) + 1) * HOURS_OF_DAY).every((count) => count <= LEAST_WEEKS);

export const sum = (counts: readonly number[]): number => counts.reduce((total, one) => total + one, 0);
