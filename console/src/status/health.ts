/** How a platform does, in a word with a colour for how serious it is. */
import type { Platform, Status } from '../data/queries.ts';
import { isHarmless, reasonWords, worstOf } from '../words/coverage.ts';
import { PLATFORM_STATES } from '../words/platform-states.ts';
import type { Shown } from '../words/shown.ts';

export type PlatformStatus = NonNullable<Status['platforms']['x']>;
export type Gap = PlatformStatus['gaps'][number];
export type Source = NonNullable<Status['sources']>[number];

export type Health = Pick<Shown, 'words' | 'tone'>;

/** A platform that works, and may lack matches all the same, is not shown in green: the reason has its own word. */
export function platformHealth({ state, coverage }: PlatformStatus): Health {
  const health = PLATFORM_STATES[state];
  const worst = worstOf(coverage.reasons);
  if (coverage.complete || (health.tone !== 'ok' && worst?.tone !== 'bad')) return health;
  return worst ?? { words: 'Incomplete', tone: 'warn' };
}

/** So much of a budget is used that its owner wants to know. */
export const isNearBudget = ({ usage }: PlatformStatus): boolean =>
  usage != null && usage.budget !== null && usage.cost >= usage.budget * 0.8;

/** Nothing about it needs a look: it works and costs little, and at most all that it has is made up by the demo. */
export const isUnremarkable = (platform: PlatformStatus): boolean =>
  !isNearBudget(platform) &&
  PLATFORM_STATES[platform.state].tone === 'ok' &&
  (platformHealth(platform).tone === 'ok' || platform.coverage.reasons.join() === 'demo');

/** Why matches may be missing because something is wrong now, in sentences. Gaps are over, or have a reason of their own. */
export const troublesOf = ({ coverage }: PlatformStatus, platform: Platform): string[] =>
  coverage.reasons.filter((reason) => !isHarmless(reason)).map((reason) => reasonWords(reason, { platform }));

/** Nothing has come yet to the platforms that have no feed: up to when events are complete is not known of them. */
export const isUnfed = (platforms: readonly PlatformStatus[]): boolean =>
  platforms
    .filter(({ coverage }) => coverage.reasons.includes('no_feed'))
    .every(({ coverage }) => coverage.complete_through === null);

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

/** "40 s", "12 min", "3 h 5 min", "2 d". */
export function lasting(milliseconds: number): string {
  if (milliseconds < MINUTE) return `${Math.round(milliseconds / 1_000)} s`;
  if (milliseconds < HOUR) return `${Math.round(milliseconds / MINUTE)} min`;
  const days = Math.floor(milliseconds / (24 * HOUR));
  const hours = Math.floor(milliseconds / HOUR) % 24;
  const minutes = Math.floor(milliseconds / MINUTE) % 60;
  if (days > 0) return hours === 0 ? `${days} d` : `${days} d ${hours} h`;
  return minutes === 0 ? `${hours} h` : `${hours} h ${minutes} min`;
}
