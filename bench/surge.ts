/**
 * Surge and silence on made streams: rules with a daily and weekly rhythm, levels that wander, followers of each match and
 * heavy-tailed bursts of their own, on a feed that breaks now and then. The run itself gives the false alarms; bursts and
 * sudden ends that are injected beside it give the delays.
 */
import { addHour, type Baseline, newBaseline, sum } from '../src/signal/baseline.ts';
import {
  type Episode,
  isMissingLittle,
  isMissingMuch,
  lookForSurge,
  type Outlook,
  ordinaryIn,
  outlookOf,
  quietOf,
  surgeStep,
} from '../src/signal/surge.ts';
import { type Random, randomFrom } from './random.ts';

const SEED = 20_261_115;
const RULES = 200;
const LEARNING_WEEKS = 3;
const WEEKS = 10;
const HOURS = 168;

/** Bursts of this many times the usual for two hours; 0: nothing comes any more. */
const FACTORS = [5, 10, 20, 0];
/** Bursts are counted on rules with at least this many matches an hour: five times next to nothing is still next to nothing. */
const COUNTED_RATE = 2;

export function surgeFigures(rules = RULES, seed = SEED): Record<string, unknown> {
  const runs = Array.from({ length: rules }, (_, index) => runRule(randomFrom(seed + index)));
  const counts = (kind?: Alarm['kind']) =>
    runs.map(({ alarms }) => alarms.filter((alarm) => kind === undefined || alarm.kind === kind).length);
  const all = counts();
  return {
    [`surge: false alarms a rule in ${WEEKS} weeks (surge, silence, missing, all)`]: [
      counts('surge'),
      counts('silence'),
      counts('missing'),
      all,
    ].map(mean),
    'surge: share of rules with at most one': rounded(all.filter((count) => count <= 1).length / rules),
    'surge: most of one rule': Math.max(...all),
    ...Object.fromEntries(FACTORS.map((factor, index) => delayFigure(runs, factor, index))),
    ...clockFigures(),
    ...outageFigures(),
  };
}

const CLOCK_RUNS = 24;
/** Matches an hour by the hour of the week on people's clocks. */
const BY_CLOCK = {
  'office hours': (hour: number) => (hour % 24 >= 9 && hour % 24 < 17 && Math.floor(hour / 24) % 7 < 5 ? 60 : 1),
  'a daily newsletter': (hour: number) => (hour % 24 === 7 ? 120 : 2),
};

/** Rules that follow people's clocks, which move by an hour in the middle of the ten weeks. */
function clockFigures(): Record<string, unknown> {
  const rhythms = Object.entries(BY_CLOCK).map(([name, rateAt]) => {
    const counts = Array.from({ length: CLOCK_RUNS }, (_, run) => clockAlarms(randomFrom(SEED + run), rateAt));
    return [
      `surge: false alarms a rule with a clock change, ${name} (mean, most)`,
      [mean(counts), Math.max(...counts)],
    ];
  });
  return Object.fromEntries(rhythms) as Record<string, unknown>;
}

function clockAlarms(random: Random, rateAt: (hour: number) => number): number {
  const watch = createWatch();
  const [first, moved] = [LEARNING_WEEKS * HOURS, (LEARNING_WEEKS + WEEKS / 2) * HOURS];
  for (let hour = 0; hour < first + WEEKS * HOURS; hour++) {
    const rate = rateAt(hour < moved ? hour : hour + 1);
    watch.hour(
      Array.from({ length: 60 }, () => poisson(random, rate / 60)),
      true,
    );
  }
  return watch.alarms.filter(({ minute }) => minute >= first * 60).length;
}

/** Matches an hour: twenty on average, or in office hours. */
const BY_RHYTHM = {
  'a sine': (hour: number) => 20 * (1 + 0.8 * Math.sin((hour * Math.PI) / 12)),
  'office hours': (hour: number) => (BY_CLOCK['office hours'](hour) > 1 ? 20 : 0.5),
};

/** Outages that begin while twenty an hour are usual, and days on which one half is missing. */
function outageFigures(): Record<string, unknown> {
  const rhythms = Object.entries(BY_RHYTHM).flatMap(([name, rateAt]) => {
    const after = (share: number, hours: number) =>
      Array.from({ length: CLOCK_RUNS }, (_, run) => outageDelay(randomFrom(SEED + run), rateAt, share, hours));
    const told = (delays: readonly (number | undefined)[]) => {
      const found = delays.filter((delay) => delay !== undefined).toSorted((one, other) => one - other);
      return [rounded(found.length / delays.length), found[Math.floor(found.length / 2)] ?? null, found.at(-1) ?? null];
    };
    return [
      [
        `silence: outages at 20 an hour of ${name}, told within three hours, median and most minutes`,
        told(after(0, 3)),
      ],
      [`silence: half missing for a day of ${name}, told, median and most minutes`, told(after(0.5, 25))],
    ];
  });
  return Object.fromEntries(rhythms) as Record<string, unknown>;
}

/** Minutes until it is told that from some hour on only a share comes; undefined if that takes more hours than it lasts. */
function outageDelay(random: Random, rateAt: (hour: number) => number, share: number, hours: number) {
  const watch = createWatch();
  let begin = (LEARNING_WEEKS + 1) * HOURS + Math.floor(random() * HOURS);
  while (rateAt(begin) < 20 || rateAt(begin + 1) < 20 || rateAt(begin + 2) < 20) begin++;
  for (let hour = 0; hour < begin + hours; hour++) {
    const rate = rateAt(hour) * (hour < begin ? 1 : share);
    watch.hour(
      Array.from({ length: 60 }, () => poisson(random, rate / 60)),
      true,
    );
  }
  const found = watch.alarms.find(({ minute }) => minute >= begin * 60);
  return found && found.minute - begin * 60 + 1;
}

function delayFigure(runs: readonly Run[], factor: number, index: number): [string, unknown] {
  const isSilence = factor === 0;
  const meant = runs.filter(({ rate, isBusy }) => (isSilence ? isBusy : rate >= COUNTED_RATE));
  const delays = meant.map((run) => run.delays[index]);
  const found = delays.filter((delay) => delay !== undefined).toSorted((one, other) => one - other);
  const name = isSilence
    ? 'silence: share of busy rules that end found in two days, median and 90 % delay in minutes'
    : `surge: ×${factor} for two hours, share found, median and 90 % delay in minutes`;
  const at = (share: number) => found[Math.floor(found.length * share)] ?? null;
  return [name, [rounded(found.length / meant.length), at(0.5), at(0.9)]];
}

interface Alarm {
  readonly kind: 'surge' | 'silence' | 'missing';
  readonly minute: number;
}

interface Run {
  readonly rate: number;
  readonly isBusy: boolean;
  /** The alarms of weeks without anything injected. */
  readonly alarms: readonly Alarm[];
  /** Minutes until each injected change was found; undefined when it was not. */
  readonly delays: readonly (number | undefined)[];
}

/** Ten weeks with a feed that breaks once a week; somewhere in them, beside the run, each of the changes. */
function runRule(random: Random): Run {
  const stream = createStream(random);
  const watch = createWatch();
  const first = LEARNING_WEEKS * HOURS;
  const begin = first + Math.floor(random() * HOURS);
  let breaks = 0;
  let delays: Run['delays'] = [];
  let isBusy = false;
  for (let hour = 0; hour < first + WEEKS * HOURS; hour++) {
    if (hour === begin) {
      isBusy = watch.state.outlook.silence !== undefined;
      delays = FACTORS.map((factor) => delayOf(random, watch.state, stream.rate, factor));
    }
    if (random() < 1 / HOURS) breaks = 1 + Math.floor(random() * 6);
    const minutes = stream.hour(hour);
    // Everything that was missed comes after the break at once, and that hour is left out too.
    watch.hour(breaks > 1 ? minutes.map(() => 0) : minutes, breaks-- <= 0);
  }
  return { rate: stream.rate, isBusy, delays, alarms: watch.alarms.filter(({ minute }) => minute >= first * 60) };
}

function delayOf(random: Random, state: WatchState, rate: number, factor: number): number | undefined {
  const watch = createWatch(state);
  const { hour: begin, usual } = state.outlook;
  for (let passed = 0; passed < (factor === 0 ? 48 : 2); passed++) {
    const expected = (Math.max(rate, usual[1]) * factor) / 60;
    watch.hour(
      Array.from({ length: 60 }, () => poisson(random, expected)),
      true,
    );
  }
  const found = watch.alarms.find(({ kind }) => kind === (factor === 0 ? 'silence' : 'surge'));
  return found && found.minute - begin * 60 + 1;
}

interface WatchState {
  readonly baseline: Baseline;
  readonly outlook: Outlook;
  readonly before: readonly number[];
  readonly episode: Episode | undefined;
  readonly isSilent: boolean;
  readonly isMissing: boolean;
}

const newState = (): WatchState => ({
  baseline: newBaseline(0),
  outlook: outlookOf(newBaseline(0)),
  before: Array.from({ length: 60 }, () => 0),
  episode: undefined,
  isSilent: false,
  isMissing: false,
});

/** Looks as the service does: at every minute that has a match, at every fifth of an episode, and when silence is due. */
function createWatch(state: WatchState = newState()) {
  let { baseline, outlook, before, episode, isSilent, isMissing } = state;
  const alarms: Alarm[] = [];

  function look(minutes: readonly number[]): void {
    if (isMissingMuch(outlook) && !isMissing) alarms.push({ kind: 'missing', minute: outlook.hour * 60 });
    isMissing = isMissing ? !isMissingLittle(outlook) : isMissingMuch(outlook);
    const both = [...before, ...minutes];
    let [ten, sixty] = [sum(before.slice(50)), sum(before)];
    let quiet = quietOf(outlook, undefined);
    for (const [at, matches] of minutes.entries()) {
      const minute = outlook.hour * 60 + at;
      ten += matches - both[50 + at]!;
      sixty += matches - both[at]!;
      if (matches > 0) [quiet, isSilent] = [quietOf(outlook, minute), false];
      if (matches > 0 || (episode !== undefined && at % 5 === 0)) {
        const step = surgeStep(episode, lookForSurge(outlook, { minute, ten, sixty }), minute);
        if (step.change === 'opened') alarms.push({ kind: 'surge', minute });
        ({ episode } = step);
      }
      if (quiet === undefined || minute < quiet.until || isSilent) continue;
      alarms.push({ kind: 'silence', minute });
      isSilent = true;
    }
  }

  return {
    alarms,
    get state(): WatchState {
      return { baseline, outlook, before, episode, isSilent, isMissing };
    },
    hour(minutes: readonly number[], heard: boolean): void {
      if (heard && baseline.heard) look(minutes);
      baseline = addHour(baseline, { minutes, before, heard, ordinary: ordinaryIn(outlook) });
      before = minutes;
      outlook = outlookOf(baseline);
    },
  };
}

/** Matches by the minute of one hour after the other. */
function createStream(random: Random): { readonly rate: number; hour(hour: number): number[] } {
  const rate = Math.exp(Math.log(0.05) + random() * Math.log(400 / 0.05));
  const [daily, weekly, phase] = [random() * 0.9, random() * 0.6, random() * 24];
  const followers = random() * 0.5;
  const wander = 0.02 + random() * 0.08;
  const [burstsADay, tail] = [random() * 2, 1.8 + random() * 1.5];
  let level = 0;
  let ahead: number[] = Array.from({ length: 240 }, () => 0);
  return {
    rate,
    hour(hour) {
      level = level * 0.98 + normal(random) * wander;
      const weekend = Math.floor(hour / 24) % 7 >= 5 ? 1 - weekly : 1;
      const rhythm = (1 + daily * Math.cos(((hour - phase) * 2 * Math.PI) / 24)) * weekend;
      const expected = rate * rhythm * Math.exp(level);
      if (random() < burstsADay / 24) addBurst(random, ahead, { rate, tail });
      const minutes: number[] = [];
      for (let minute = 0; minute < 60; minute++) {
        const matches = poisson(random, (expected * (1 - followers)) / 60 + ahead[minute]!);
        if (matches > 0) follow(random, ahead, { minute, matches, followers });
        minutes.push(matches);
      }
      ahead = [...ahead.slice(60), ...Array.from({ length: 60 }, () => 0)];
      return minutes;
    },
  };
}

/** Each match brings some more in the next minutes. */
function follow(
  random: Random,
  ahead: number[],
  { minute, matches, followers }: { minute: number; matches: number; followers: number },
): void {
  const delay = 1 + Math.floor(-Math.log(1 - random()) * 12);
  if (minute + delay < ahead.length) ahead[minute + delay]! += matches * followers;
}

/** A burst of ordinary size: Pareto, from a tenth of an hour's matches, over some minutes. */
function addBurst(random: Random, ahead: number[], { rate, tail }: { rate: number; tail: number }): void {
  const matches = (1 + 0.15 * rate) * (1 - random()) ** (-1 / tail);
  const [start, minutes] = [Math.floor(random() * 60), 5 + Math.floor(random() * 55)];
  for (let minute = start; minute < start + minutes; minute++) ahead[minute]! += matches / minutes;
}

function poisson(random: Random, mean: number): number {
  if (mean <= 0) return 0;
  if (mean > 30) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(random)));
  let [count, product] = [0, random()];
  for (const limit = Math.exp(-mean); product > limit; product *= random()) count++;
  return count;
}

const normal = (random: Random): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

const mean = (values: readonly number[]): number => rounded(sum(values) / values.length);
const rounded = (value: number): number => Math.round(value * 1_000) / 1_000;
