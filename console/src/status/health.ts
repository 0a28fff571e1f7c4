/** The states of platforms and sources in words, with a colour for how serious they are. */
import type { Platform, Status } from '../data/queries.ts';
import type { Tone } from '../ui/badge.tsx';

export type PlatformStatus = NonNullable<Status['platforms']['x']>;
export type Gap = PlatformStatus['gaps'][number];

interface Health {
  readonly words: string;
  readonly tone: Tone;
}

const HEALTH: Readonly<Record<string, Health>> = {
  ready: { words: 'Ready', tone: 'ok' },
  live: { words: 'Live', tone: 'ok' },
  loading: { words: 'Loading rules', tone: 'warn' },
  connecting: { words: 'Connecting', tone: 'warn' },
  stalled: { words: 'Stalled', tone: 'warn' },
  degraded: { words: 'Degraded', tone: 'bad' },
  starting: { words: 'Starting', tone: 'warn' },
  silent: { words: 'Silent', tone: 'warn' },
  blind: { words: 'Blind', tone: 'bad' },
  waiting: { words: 'Retrying', tone: 'warn' },
  ended: { words: 'Ended', tone: 'neutral' },
};

/** An unknown state is shown by its own name. */
export const healthOf = (state: string): Health => HEALTH[state] ?? { words: state, tone: 'neutral' };

/** A platform that works, and may lack matches all the same, is not shown in green. */
export function platformHealth({ state, coverage }: PlatformStatus): Health {
  const health = healthOf(state);
  return coverage.complete || health.tone !== 'ok' ? health : { words: 'Incomplete', tone: 'warn' };
}

/** When the platform was first listened to, and up to when it is complete. Null where nothing is known. */
export const coveredTime = ({ platforms }: Status, name: Platform): CoveredTime => ({
  from: platforms[name]?.coverage.complete_from ?? null,
  through: platforms[name]?.coverage.complete_through ?? null,
});

export interface CoveredTime {
  readonly from: string | null;
  readonly through: string | null;
}

/** When a gap ended. An open gap ends now. */
export const endOf = ({ to }: Gap, now: number): number => (to === null ? now : Date.parse(to));

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** "40 s", "12 min", "3 h 5 min". */
export function lasting(milliseconds: number): string {
  if (milliseconds < MINUTE) return `${Math.round(milliseconds / 1_000)} s`;
  if (milliseconds < HOUR) return `${Math.round(milliseconds / MINUTE)} min`;
  const days = Math.floor(milliseconds / (24 * HOUR));
  const hours = Math.floor(milliseconds / HOUR) % 24;
  if (days > 0) return `${days} d ${hours} h`;
  return `${hours} h ${Math.floor(milliseconds / MINUTE) % 60} min`;
}
