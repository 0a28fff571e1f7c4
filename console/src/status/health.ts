/** The states of platforms and sources in words, with a colour for how serious they are. */
import { explainReason } from '../../../src/client/explain-reason.ts';
import type { Platform, Status } from '../data/queries.ts';
import type { Tone } from '../ui/badge.tsx';

export type PlatformStatus = NonNullable<Status['platforms']['x']>;
export type Gap = PlatformStatus['gaps'][number];
export type Source = NonNullable<Status['sources']>[number];

export interface Health {
  readonly words: string;
  readonly tone: Tone;
}

/** A state that the API gains does not compile until it has its words here. The same holds for the table below. */
export const PLATFORM_STATES = {
  ready: { words: 'Ready', tone: 'ok' },
  live: { words: 'Live', tone: 'ok' },
  loading: { words: 'Loading rules', tone: 'warn' },
  connecting: { words: 'Connecting', tone: 'warn' },
  stalled: { words: 'Stalled', tone: 'bad' },
  degraded: { words: 'Degraded', tone: 'bad' },
} as const satisfies Record<PlatformStatus['state'], Health>;

export const SOURCE_STATES = {
  live: { words: 'Live', tone: 'ok' },
  starting: { words: 'Starting', tone: 'warn' },
  silent: { words: 'Silent', tone: 'warn' },
  blind: { words: 'Blind', tone: 'bad' },
  waiting: { words: 'Retrying', tone: 'bad' },
  ended: { words: 'Ended', tone: 'neutral' },
} as const satisfies Record<Source['state'], Health>;

/** How fast a source is against its own past hour. */
export const SOURCE_PACES = {
  unknown: { words: 'not known yet', tone: 'neutral' },
  usual: { words: 'as usual', tone: 'ok' },
  slow: { words: 'slower than usual', tone: 'warn' },
  silent: { words: 'nothing comes', tone: 'bad' },
  blind: { words: 'what comes holds no events', tone: 'bad' },
} as const satisfies Record<Source['pace'], Health>;

/** Reasons that are no trouble by themselves. */
const HARMLESS = ['demo', 'no_feed', 'not_started', 'paused', 'gap'];

/** A platform that works, and may lack matches all the same, is not shown in green. */
export function platformHealth({ state, coverage }: PlatformStatus): Health {
  const health = PLATFORM_STATES[state];
  if (coverage.complete || health.tone !== 'ok') return health;
  if (coverage.reasons.includes('token_refused')) return { words: 'Token refused', tone: 'bad' };
  if (coverage.reasons.includes('budget_spent')) return { words: 'Budget spent', tone: 'bad' };
  if (coverage.reasons.includes('no_feed')) return { words: 'No feed', tone: 'neutral' };
  if (coverage.reasons.includes('demo')) return { words: 'Demo', tone: 'neutral' };
  return { words: 'Incomplete', tone: 'warn' };
}

/** A reason of coverage in a sentence for the page, which lists the gaps itself. */
export const reasonWords = (reason: string): string =>
  reason === 'gap' ? 'Events are missing from a part of the time. Health lists the gaps.' : explainReason(reason);

/** Why matches may be missing because something is wrong now, in sentences. Gaps are over, or have a reason of their own. */
export const troublesOf = ({ coverage }: PlatformStatus): string[] =>
  coverage.reasons.filter((reason) => !HARMLESS.includes(reason.split(':', 1)[0]!)).map(explainReason);

/** The cause of a gap. Causes that are no reasons of coverage are the words of a stream. */
export function causeOf({ cause }: Pick<Gap, 'cause'>): string {
  return STREAM_CAUSES[cause] ?? explainReason(cause);
}

const STREAM_CAUSES: Readonly<Record<string, string>> = {
  auth: 'The upstream refused the token.',
  rate: 'The upstream answered too many requests.',
  connections: 'The upstream allows no more connections.',
  forced: 'The upstream closed the connection.',
  quota: 'The quota at the upstream was used up.',
  billing: 'The upstream asks for a payment.',
  dropped: 'The connection was lost.',
  stall: 'Nothing came for too long.',
  disconnected: 'The connection was lost.',
  stalled: 'Nothing came for too long.',
  'slow store': 'The store was too slow to take what came.',
  'aged out': 'The upstream no longer had what was missed.',
};

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
