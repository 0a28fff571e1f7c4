/** Takes the hours that have passed into what is usual for a rule. Pure. */
import { addHour, type Baseline, newBaseline } from '../../signal/baseline.ts';
import { type Episode, type Outlook, ordinaryIn, outlookOf } from '../../signal/surge.ts';
import type { MinuteOfRule, RuleWatch } from '../../store/store.ts';
import type { Hearing } from './hearing.ts';

const HOUR = 3_600_000;
/** A text that is watched for the first time learns from so many hours of stored matches. */
const BACK_HOURS = 28 * 24;
/** Hours that one step learns, so that no step is long. */
export const HOURS_AT_ONCE = 6;
/** A matched event is stored within this time. */
export const SETTLE_MS = 60_000;
/** How long the next hour waits until it is known to have been heard. A push may come once an hour. */
const PATIENCE_MS = 70 * 60_000;

type Past = Pick<RuleWatch, 'past' | 'pastVersion' | 'version' | 'createdAt' | 'addedAt'>;

/** A new text begins a new past: what the old text matched says nothing of it. What the new one matched since then is learnt. */
export function baselineOf({ past, pastVersion, version, createdAt, addedAt }: Past, now: number): Baseline {
  if (past !== undefined && pastVersion === version) return readPast(past);
  const running = Math.floor(now / HOUR);
  // The last release did not note when it changed a text.
  const since = addedAt ?? (version === 1 ? createdAt : new Date(now));
  return newBaseline(Math.max(Math.floor(since.getTime() / HOUR) + 1, running - BACK_HOURS));
}

export interface Learnt {
  readonly baseline: Baseline;
  /** Whether there are more hours to learn at once. */
  readonly isBehind: boolean;
}

/** `minutes` are those of the rule from the hour before `baseline.next` on. */
export function learn(
  given: Baseline,
  minutes: readonly Pick<MinuteOfRule, 'minute' | 'matches'>[],
  hearing: Pick<Hearing, 'heard' | 'isListening' | 'through'>,
  now: number,
): Learnt {
  const first = given.next - 1;
  const counts = Array.from({ length: (HOURS_AT_ONCE + 1) * 60 }, () => 0);
  for (const { minute, matches } of minutes) {
    const at = minute - first * 60;
    if (at >= 0 && at < counts.length) counts[at] = matches;
  }
  let baseline = given;
  while (baseline.next < given.next + HOURS_AT_ONCE && isOver(baseline.next, hearing.through, now)) {
    const { next: hour } = baseline;
    const [from, to] = [hour * HOUR, (hour + 1) * HOUR];
    const at = (hour - first) * 60;
    baseline = addHour(baseline, {
      minutes: counts.slice(at, at + 60),
      before: counts.slice(at - 60, at),
      heard: hearing.through >= to && hearing.heard(from, to),
      ordinary: ordinaryIn(outlookOf(baseline)),
    });
  }
  return {
    baseline,
    isBehind: baseline.next === given.next + HOURS_AT_ONCE && isOver(baseline.next, hearing.through, now),
  };
}

/** The hour has passed, and it is known whether it was heard, or that is no longer waited for. */
function isOver(hour: number, through: number, now: number): boolean {
  const end = (hour + 1) * HOUR;
  return now >= end + SETTLE_MS && (through >= end || now >= end + PATIENCE_MS);
}

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

/** The state that a watch keeps between looks, as the texts that the store holds. */
export const writeNow = (now: WatchNow): string => JSON.stringify(now);

export function readNow(text: string): WatchNow {
  const now: WatchNow = JSON.parse(text);
  return now;
}

export const writePast = ({ means, ...rest }: Baseline): string =>
  JSON.stringify({ ...rest, means: means.map((mean) => Number(mean.toPrecision(DIGITS))) });

/** The last release kept nothing of what is missing in a day. */
function readPast(text: string): Baseline {
  const past: Omit<Baseline, 'recent'> & Partial<Pick<Baseline, 'recent'>> = JSON.parse(text);
  const { day, days, recent = [] } = past;
  return {
    ...past,
    day: { ...day, top: { ...day.top, missing: day.top.missing ?? 0 } },
    days: { ...days, missing: days.missing ?? [] },
    recent,
  };
}
