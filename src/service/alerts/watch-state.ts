/** The state that a watch keeps between looks, as the texts that the store holds. */
import type { Baseline } from '../../signal/baseline.ts';
import type { Episode, Outlook } from '../../signal/surge.ts';

/** An alert that lasts. Times are in milliseconds. */
export interface Lasting {
  readonly id: string;
  readonly from: number;
  readonly usualRate: number;
}

export interface WatchNow {
  readonly outlook: Outlook;
  readonly surge?: (Lasting & Episode) | undefined;
  /** With a rate: matches come, but far fewer than usual for a day. */
  readonly silence?: (Lasting & { readonly rate?: number }) | undefined;
}

/** Four digits are more than a mean of counts is worth, and a third of the bytes. */
const DIGITS = 4;

export const writeNow = (now: WatchNow): string => JSON.stringify(now);

export function readNow(text: string): WatchNow {
  const now: WatchNow = JSON.parse(text);
  return now;
}

export const writePast = ({ means, ...rest }: Baseline): string =>
  JSON.stringify({ ...rest, means: means.map((mean) => Number(mean.toPrecision(DIGITS))) });

/** The last release kept nothing of what is missing in a day. */
export function readPast(text: string): Baseline {
  const past: Omit<Baseline, 'recent'> & Partial<Pick<Baseline, 'recent'>> = JSON.parse(text);
  const { day, days, recent = [] } = past;
  return {
    ...past,
    day: { ...day, top: { ...day.top, missing: day.top.missing ?? 0 } },
    days: { ...days, missing: days.missing ?? [] },
    recent,
  };
}
