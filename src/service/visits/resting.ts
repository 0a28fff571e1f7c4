/** Accounts whose sources wait: suspended ones, and those that have reached their bytes of the day. */
import type { Clock } from '../../base/clock.ts';
import type { Account } from '../../domain/account.ts';
import type { FetchOwner, SourceFetch, Store } from '../../store/store.ts';
import { type AccountLimits, limitOf } from '../limits.ts';

export interface RestDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: AccountLimits | undefined;
  isSuspended(accountId: string): boolean;
  /** The account, where it has limits of its own. */
  restricted(accountId: string): Account | undefined;
}

const DAY_MS = 24 * 3_600_000;

/** Suspended accounts, and those that have reached their bytes of the day, get nothing; they read anew when they come back. */
export async function activeOf(deps: RestDeps, owners: readonly FetchOwner[]): Promise<FetchOwner[]> {
  const { store, clock, limits, isSuspended, restricted } = deps;
  const awake = owners.filter(({ accountId }) => !isSuspended(accountId));
  const most = (accountId: string) => limitOf(limits, restricted(accountId) ?? {}, 'source_bytes_per_day');
  if (!awake.some(({ accountId }) => most(accountId) !== undefined)) return awake;
  const day = Math.floor(clock.now().getTime() / DAY_MS);
  const used = await store.sourceBytes(
    awake.map(({ accountId }) => accountId),
    day,
  );
  return awake.filter(({ accountId }) => (used.get(accountId) ?? 0) < (most(accountId) ?? Number.POSITIVE_INFINITY));
}

const RESTS = 'It waits: the account is suspended, or has reached its bytes of the day (source_bytes_per_day).';

/** Nobody may have it now. It is looked at again in an hour, or when the day ends. */
export async function rest({ store, clock }: RestDeps, fetch: SourceFetch): Promise<void> {
  const now = clock.now();
  const tomorrow = (Math.floor(now.getTime() / DAY_MS) + 1) * DAY_MS;
  const { key, visits, failures, intervalMs, rate, lastGoodAt } = fetch;
  await store.noteVisit({
    key,
    visits,
    failures,
    intervalMs,
    rate,
    lastGoodAt,
    at: now,
    dueAt: fetch.nextAt,
    nextAt: new Date(Math.min(now.getTime() + 3_600_000, tomorrow)),
    status: 'waiting',
    lastError: { at: now, message: RESTS },
    owners: [],
  });
}
