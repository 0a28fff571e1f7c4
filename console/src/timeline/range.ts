/** The time that the timeline shows: chosen by name, by a drag or by a key, and kept in the address. Pure. */
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export interface Range {
  readonly from: number;
  readonly to: number;
}

export const PRESETS = [
  { name: 'hour', label: 'Last hour' },
  { name: 'night', label: 'Last night' },
  { name: 'day', label: '24 hours' },
  { name: 'week', label: '7 days' },
] as const;
export type Preset = (typeof PRESETS)[number]['name'];

const LENGTHS: Record<Exclude<Preset, 'night'>, number> = { hour: HOUR, day: DAY, week: 7 * DAY };

/** The night ends at eight in the morning of the reader's zone, or now, and begins at ten in the evening before. */
export function presetRange(name: Preset, now: number): Range {
  if (name !== 'night') return { from: now - LENGTHS[name], to: now };
  const morning = new Date(now);
  morning.setHours(8, 0, 0, 0);
  const evening = new Date(morning);
  evening.setDate(evening.getDate() - 1);
  evening.setHours(22, 0, 0, 0);
  return { from: evening.getTime(), to: Math.min(now, morning.getTime()) };
}

/** The preset or the times of the address; the last night where it says nothing that can be shown. */
export function rangeOf({ span, since, until }: { span?: string; since?: string; until?: string }, now: number): Range {
  const [from, to] = [Date.parse(since ?? ''), Date.parse(until ?? '')];
  if (from < to) return { from, to };
  return presetRange(PRESETS.find(({ name }) => name === span)?.name ?? 'night', now);
}

const LEAST = 5 * MINUTE;
const MOST = 31 * DAY;

/** Around its middle, or around a moment in it. Nothing is shown of the future. */
export function zoomed({ from, to }: Range, factor: number, now: number, at = (from + to) / 2): Range {
  const length = Math.min(MOST, Math.max(LEAST, (to - from) * factor));
  const share = (at - from) / (to - from);
  return before({ from: at - length * share, to: at + length * (1 - share) }, now);
}

/** Whether there is more to see closer by. */
export const canZoomIn = ({ from, to }: Range): boolean => to - from > LEAST;

/** By a share of its own length. */
export const moved = ({ from, to }: Range, share: number, now: number): Range =>
  before({ from: from + (to - from) * share, to: to + (to - from) * share }, now);

function before({ from, to }: Range, now: number): Range {
  const late = Math.max(0, to - now);
  return { from: Math.round(from - late), to: Math.round(to - late) };
}

/** A range that reaches beyond what is known is moved into it. */
export function within({ from, to }: Range, whole: Range): Range {
  const start = Math.max(whole.from, Math.min(from, whole.to - (to - from)));
  return { from: start, to: Math.min(whole.to, start + (to - from)) };
}

export type Interval = 'minute' | 'hour' | 'day';
const STEPS: Record<Interval, number> = { minute: MINUTE, hour: HOUR, day: DAY };

/** The finest interval that keeps columns apart and that the server counts at once. */
export const intervalOf = ({ from, to }: Range): Interval =>
  to - from <= 14 * HOUR ? 'minute' : to - from <= 10 * DAY ? 'hour' : 'day';

/** How many intervals are put together, so that columns can be told apart. */
const MULTIPLES: Record<Interval, readonly number[]> = {
  minute: [1, 2, 5, 10, 15, 20, 30],
  hour: [1, 2, 3, 6],
  day: [1],
};

export interface Columns {
  readonly step: number;
  /** The start of each. */
  readonly starts: readonly number[];
}

/** At most so many as there is room for, if intervals of this kind can be put together so. */
export function columnsOf(range: Range, interval: Interval, most: number): Columns {
  const least = (range.to - range.from) / most;
  const steps = MULTIPLES[interval].map((count) => count * STEPS[interval]);
  const step = steps.find((one) => one >= least) ?? steps.at(-1)!;
  const first = Math.floor(range.from / step) * step;
  const starts: number[] = [];
  for (let at = first; at < range.to; at += step) starts.push(at);
  return { step, starts };
}

const DAY_MINUTES = 1_440;
/** Minutes between two labels of an axis. */
const TICKS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, DAY_MINUTES, 2 * DAY_MINUTES, 7 * DAY_MINUTES];
/** The share of the axis, at either end, in which a label would be cut. */
const EDGE = 0.03;

/** Round times of the reader's zone, at most so many. */
export function ticksOf({ from, to }: Range, most: number): number[] {
  const step = TICKS.find((minutes) => (to - from) / (minutes * MINUTE) <= most) ?? TICKS.at(-1)!;
  const day = new Date(from);
  const edge = EDGE * (to - from);
  const ticks: number[] = [];
  // Counted in minutes of local days, so that they are round after a change of the clock, too.
  for (let minutes = 0; ; minutes += step) {
    const at = new Date(day.getFullYear(), day.getMonth(), day.getDate(), 0, minutes).getTime();
    if (at > to - edge) return ticks;
    if (at >= from + edge && at !== ticks.at(-1)) ticks.push(at);
  }
}

/** The counts of finer intervals in these columns. */
export function summed(counts: readonly { at: string; count: number }[], { starts, step }: Columns): number[] {
  const sums = starts.map(() => 0);
  for (const { at, count } of counts) {
    const index = Math.floor((Date.parse(at) - (starts[0] ?? 0)) / step);
    if (index >= 0 && index < sums.length) sums[index]! += count;
  }
  return sums;
}

/** The least share of the row that a span takes, in percent, so that it can be seen. */
const LEAST_SHARE = 0.35;

/** The place of a span, in percent from the left. A short one at the end is drawn inside the row, not beyond it. */
export function spanPlace({ from, to }: Range, start: number, end: number) {
  const width = Math.max(LEAST_SHARE, (100 * (Math.min(to, end) - Math.max(from, start))) / (end - start));
  return { left: Math.min(100 - width, (100 * (Math.max(from, start) - start)) / (end - start)), width };
}
