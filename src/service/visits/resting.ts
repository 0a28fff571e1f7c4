/** Accounts whose sources wait: suspended ones, and those that have reached their fetches of the hour or their bytes of the day. */
import type { Clock } from '../../base/clock.ts';
import type { Account } from '../../domain/account.ts';
import type { FetchOwner, SourceFetch, SourceUse, Store } from '../../store/store.ts';
import { type AccountLimits, limitOf } from '../limits.ts';

export interface RestDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: AccountLimits | undefined;
  isSuspended(accountId: string): boolean;
  /** The account, where it has limits of its own. */
  restricted(accountId: string): Account | undefined;
}

/** An owner that is left out of a visit, why, and until when. */
export interface RestingOwner {
  readonly owner: FetchOwner;
  readonly message: string;
  readonly until: number;
}

export interface SortedOwners {
  readonly active: readonly FetchOwner[];
  readonly resting: readonly RestingOwner[];
  /** Whether every active one has reached a limit, when so much more was fetched for each. */
  isSpent(used: SourceUse): boolean;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** It counts as no limit where a number is needed. */
const ANY = Number.MAX_SAFE_INTEGER;

type Rest = Omit<RestingOwner, 'owner'>;

/**
 * Sorts owners into those that may have the events of a visit now, and those that wait. One account that waits does not
 * hold up the others.
 */
export async function sortOwners(deps: RestDeps, owners: readonly FetchOwner[]): Promise<SortedOwners> {
  const { rests, left } = await restsOf(
    deps,
    owners.map(({ accountId }) => accountId),
  );
  const active = owners.filter(({ accountId }) => !rests.has(accountId));
  return {
    active,
    isSpent: (used) => active.every(({ accountId }) => isUsedUp(left.get(accountId), used)),
    resting: owners.flatMap((owner) => {
      const rest = rests.get(owner.accountId);
      return rest === undefined ? [] : [{ owner, ...rest }];
    }),
  };
}

/** It is undefined for an account without limits. */
const isUsedUp = (left: SourceUse | undefined, { fetches, bytes }: SourceUse): boolean =>
  left !== undefined && (fetches >= left.fetches || bytes >= left.bytes);

interface Rests {
  /** Why these accounts wait; those that do not are left out. */
  readonly rests: ReadonlyMap<string, Rest>;
  /** The fetches and bytes that are left to the others, where they have limits. */
  readonly left: ReadonlyMap<string, SourceUse>;
}

async function restsOf(deps: RestDeps, accountIds: readonly string[]): Promise<Rests> {
  const { store, clock, limits, isSuspended, restricted } = deps;
  const now = clock.now();
  const rests = new Map<string, Rest>();
  const left = new Map<string, SourceUse>();
  for (const id of accountIds)
    if (isSuspended(id)) rests.set(id, { message: SUSPENDED, until: now.getTime() + HOUR_MS });
  const mostOf = (id: string) => {
    const of = restricted(id) ?? {};
    return {
      fetches: limitOf(limits, of, 'source_fetches_per_hour'),
      bytes: limitOf(limits, of, 'source_bytes_per_day'),
    };
  };
  const limited = accountIds.filter((id) => {
    const { fetches, bytes } = mostOf(id);
    return !rests.has(id) && (fetches ?? bytes) !== undefined;
  });
  if (limited.length === 0) return { rests, left };
  const used = await store.sourceUse(limited, now);
  for (const id of limited) {
    const { fetches, bytes } = mostOf(id);
    const taken = used.get(id) ?? { fetches: 0, bytes: 0 };
    if (bytes !== undefined && taken.bytes >= bytes) rests.set(id, restUntil(bytesReached(bytes), now, DAY_MS));
    else if (fetches !== undefined && taken.fetches >= fetches)
      rests.set(id, restUntil(fetchesReached(fetches), now, HOUR_MS));
    else left.set(id, { fetches: (fetches ?? ANY) - taken.fetches, bytes: (bytes ?? ANY) - taken.bytes });
  }
  return { rests, left };
}

const SUSPENDED = 'It waits: the account is suspended.';
const bytesReached = (most: number): string =>
  `It waits: the sources of the account have brought ${most} bytes today, which is its limit (source_bytes_per_day).`;
/** Also for tests and discovery, which are refused. */
export const fetchesReached = (most: number): string =>
  `It waits: the account has made ${most} fetches in this hour, which is its limit (source_fetches_per_hour).`;

export const NOTHING_USED: SourceUse = { bytes: 0, fetches: 0 };

/**
 * The owners for whom a visit counts. Each has one in the time after which it wants the next, and one when it has joined or is read for
 * by itself; more often it is others who want them. Where it is nobody's time, it counts for those who want visits most often.
 */
export function countedOwners(
  active: readonly FetchOwner[],
  unread: ReadonlySet<string>,
  before: Date | undefined,
  now: Date,
): ReadonlySet<FetchOwner> {
  const periodOf = (time: Date, everyMs: number): number => Math.floor(time.getTime() / everyMs);
  const due = active.filter(
    ({ sourceId, isFresh, joinedAt, everyMs }) =>
      before === undefined ||
      joinedAt >= before ||
      (isFresh && !unread.has(sourceId)) ||
      periodOf(now, everyMs) > periodOf(before, everyMs),
  );
  if (due.length > 0) return new Set(due);
  const soonest = Math.min(...active.map(({ everyMs }) => everyMs));
  return new Set(active.filter(({ everyMs }) => everyMs === soonest));
}

/** At the end of the hour, or of the day. */
function restUntil(why: string, now: Date, spanMs: number): Rest {
  const until = (Math.floor(now.getTime() / spanMs) + 1) * spanMs;
  return { message: `${why} It goes on at ${new Date(until).toISOString().slice(11, 16)} UTC.`, until };
}

/** Since when an owner that rests is left out: its last visit, unless it was left out of that one, too. */
export const waitsOf = ({ visitedAt }: SourceFetch, resting: readonly RestingOwner[], now: Date) =>
  resting.map(({ owner, message }) => ({ owner, message, since: owner.waitsSince ?? visitedAt ?? now }));

/** Nobody may have it now: it is looked at again when the first of them may. */
export function restOf(fetch: SourceFetch, resting: readonly RestingOwner[], now: Date) {
  const { key, visits, failures, intervalMs, rate, lastGoodAt, nextAt } = fetch;
  const until = Math.min(now.getTime() + HOUR_MS, ...resting.map((rest) => rest.until));
  return {
    key,
    visits,
    failures,
    intervalMs,
    rate,
    lastGoodAt,
    at: now,
    dueAt: nextAt,
    nextAt: new Date(until),
    status: 'waiting' as const,
    lastError: undefined,
    owners: [],
  };
}
