/** How often a rule would match in a day: a range and what it rests on, or why nothing can be said. */
import type { LookedAt } from './try-on-recent.ts';

const MINUTE = 60 * 1_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Events over a shorter time say nothing of a day. */
const ENOUGH_MS = 10 * MINUTE;
/** Intervals that the time of the events is cut into. */
const COLUMNS = 48;
/** Events that fill a sixth of the intervals which as many would fill by chance came in bursts: their pauses are not known. */
const BURSTS = 6;
/** Nine of ten counts of this kind lie within so many deviations. */
const DEVIATIONS = 1.645;

export interface Estimate {
  readonly basis: 'whole_stream' | 'existing_rules' | 'demo' | 'too_short';
  /** Null unless the basis is the whole stream. */
  readonly rate: number | null;
  readonly range: { readonly low: number; readonly high: number } | null;
  /** The estimate in words, with what it rests on. */
  readonly said: string;
}

/** `times` are those of the events that match and are not invented. */
export function estimateOf(
  lookedAt: LookedAt,
  times: readonly number[],
  { now, isWhole }: { readonly now: number; readonly isWhole: boolean },
): Estimate {
  const { events, real } = lookedAt;
  const none = (basis: Estimate['basis'], why: string): Estimate => ({
    basis,
    rate: null,
    range: null,
    said: `no rate: ${why}`,
  });
  if (!isWhole) return none('existing_rules', 'these are only what existing rules caught');
  if (2 * real.events < events) return none('demo', 'the demo feed invented most of them');
  const { oldest, newest } = real;
  if (oldest === undefined || newest === undefined) return none('too_short', 'there are no recent events');
  const over = `${real.events} ${real.events === 1 ? 'event' : 'events'} over ${spanInWords(newest.getTime() - oldest.getTime())}`;
  if (newest.getTime() - oldest.getTime() < ENOUGH_MS) return none('too_short', over);
  const span = { from: oldest.getTime(), to: now };
  if (comeInBursts(countsByInterval(real.times, span).counts, real.times.length))
    return none('too_short', `${over}, in a few bursts`);
  const aDay = DAY / (now - span.from);
  const range = rangeOf(countsByInterval(times, span).counts, aDay);
  return {
    basis: 'whole_stream',
    rate: rounded(times.length * aDay),
    range,
    said: `${rangeInWords(range)} a day, judged by ${over}`,
  };
}

/** Two digits: no count of recent events bears more. */
const rounded = (rate: number): number => Number(rate.toPrecision(2));

/** `counts` by equal intervals, of which only matters which are empty. */
export function comeInBursts(counts: readonly number[], events: number): boolean {
  const filled = counts.filter((count) => count > 0).length;
  const byChance = counts.length * (1 - (1 - 1 / counts.length) ** events);
  return filled * BURSTS < byChance;
}

/** Matches that come together are worth fewer than as many that come alone: the range widens by how unevenly they came. */
function rangeOf(counts: readonly number[], aDay: number): { low: number; high: number } {
  const matched = counts.reduce((sum, count) => sum + count, 0);
  const mean = matched / counts.length;
  const variance = counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / Math.max(counts.length - 1, 1);
  const unevenness = mean === 0 ? 1 : Math.max(1, variance / mean);
  const low = Math.max(0, matched - DEVIATIONS * Math.sqrt(matched * unevenness));
  const high = matched + 1 + DEVIATIONS * Math.sqrt((matched + 1) * unevenness);
  return { low: rounded(low * aDay), high: rounded(high * aDay) };
}

const rangeInWords = ({ low, high }: { low: number; high: number }): string =>
  low === 0 ? `at most ${high}` : `${low} to ${high}`;

function spanInWords(ms: number): string {
  const [size, unit] = ms < 2 * HOUR ? [MINUTE, 'minute'] : ms < 2 * DAY ? [HOUR, 'hour'] : [DAY, 'day'];
  const count = Math.round(ms / size);
  if (count === 0) return 'less than a minute';
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** Counts times by equal intervals; what another clock dates later than the end is in the last. */
export function countsByInterval(
  times: readonly number[],
  { from, to }: { readonly from: number; readonly to: number },
) {
  const step = Math.max(1, Math.ceil((to - from + 1) / COLUMNS));
  const counts = Array.from({ length: Math.ceil((to - from + 1) / step) }, () => 0);
  for (const at of times) counts[Math.min(Math.floor((at - from) / step), counts.length - 1)]!++;
  return { step, counts };
}
