/** When a queue has its next turn, and how long it waits after a failure. Pure. */
import type { Registration } from '../../domain/rule.ts';
import { PlatformError } from '../../platforms/platform.ts';
import { OWED_CALLS } from './registration-lifecycle.ts';

/** An upstream needs about this long to act on a new rule. Until then the registration that it replaces stays. */
export const OVERLAP_MS = 20_000;
/** How often the store is read again while a stream waits for the first registration. */
const FIRST_HELD_EVERY_MS = 1_000;
/** How often, at most, the store is read again for an id that is not in the table. */
const REFRESH_EVERY_MS = 5_000;
/** Milliseconds between tries of what an upstream could not do. The last one is repeated. */
const RETRY_AFTER_MS: readonly number[] = [1_000, 5_000, 30_000, 60_000, 300_000];

/** When the table was read from the store, and why it should be read again. Times are of the monotonic clock. */
export interface Freshness {
  readonly refreshedAt: number;
  /** The upstream named an id that is not in the table: another process may have written it down. */
  readonly isStale: boolean;
  /** A stream waits for the first registration, which another process may make. */
  readonly awaitsFirst: boolean;
}

export const isRefreshDue = ({ refreshedAt, isStale, awaitsFirst }: Freshness, elapsed: number): boolean =>
  isStale || (awaitsFirst && elapsed - refreshedAt >= FIRST_HELD_EVERY_MS);

/** Whether an unknown id is worth reading the store again. */
export const mayRefresh = ({ refreshedAt }: Pick<Freshness, 'refreshedAt'>, elapsed: number): boolean =>
  elapsed - refreshedAt >= REFRESH_EVERY_MS;

export interface QueueView extends Freshness {
  readonly hasRequests: boolean;
  /** When the first removal is due, by the wall clock. */
  readonly removalAt: number;
  readonly now: number;
  readonly elapsed: number;
}

/** Milliseconds until there is something to do; 0 when there is now. */
export function untilNextTurn({ hasRequests, removalAt, now, elapsed, ...freshness }: QueueView): number {
  if (hasRequests || isRefreshDue(freshness, elapsed)) return 0;
  const look = freshness.awaitsFirst ? freshness.refreshedAt + FIRST_HELD_EVERY_MS - elapsed : Number.POSITIVE_INFINITY;
  return Math.max(0, Math.min(look, removalAt - now));
}

/** Failed removals, and the earliest time of the next try. */
export interface RemovalRetry {
  readonly failures: number;
  readonly notBefore: number;
}

export const NO_RETRY: RemovalRetry = { failures: 0, notBefore: 0 };

export const retryAfter = (error: unknown, { failures }: RemovalRetry, now: number): RemovalRetry => ({
  failures: failures + 1,
  notBefore: now + retryPause(error, failures),
});

/** The upstream's own wait counts when it is longer than ours. */
export function retryPause(error: unknown, failures: number): number {
  const asked = error instanceof PlatformError ? (error.retryAfter ?? 0) * 1_000 : 0;
  return Math.max(asked, RETRY_AFTER_MS[Math.min(failures, RETRY_AFTER_MS.length - 1)]!);
}

export const isLeaving = ({ state }: Registration): boolean => OWED_CALLS[state] === 'unregister';

/** When a registration may be removed: never unless it is leaving, and later when rules still want texts of it. */
export function removableAt(row: Registration, isWanted: boolean): number {
  if (!isLeaving(row)) return Number.POSITIVE_INFINITY;
  const isReplaced = isWanted && row.platformRuleId !== undefined;
  return row.since.getTime() + (isReplaced ? OVERLAP_MS : 0);
}
