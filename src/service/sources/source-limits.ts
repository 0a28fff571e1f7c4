/** Limits of accounts on their sources. Fetches and bytes count as they come; here those of tests and discovery. */
import type { Account } from '../../domain/account.ts';
import type { AskedSource } from '../../sources/kinds/account-source.ts';
import type { Caller } from '../access/caller.ts';
import type { Settings } from '../context.ts';
import { limitOf, limitReached } from '../limits.ts';
import type { FetchMeter } from '../visits/visit-http.ts';
import type { SourcesRoom } from './room.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** It counts as no limit where a number is needed. */
const ANY = Number.MAX_SAFE_INTEGER;

export const mostSources = ({ limits }: Settings, account: Account): number =>
  limitOf(limits, account, 'sources') ?? ANY;

/** Throws when the source would be visited more often than the account may. */
export function checkInterval({ limits, support }: Settings, account: Account, { everyMs }: AskedSource): void {
  const shortest = limitOf(limits, account, 'source_interval_seconds');
  if (shortest === undefined || everyMs >= shortest * 1_000) return;
  throw limitReached(
    'source_interval_seconds',
    `\`every\` is ${everyMs / 1_000} seconds, and the shortest interval of the account is ${shortest}.`,
    { support, details: { limit: shortest, used: everyMs / 1_000 } },
  );
}

type Room = Pick<SourcesRoom, 'store' | 'clock' | 'settings' | 'cpuUse'>;

/** Does what fetches beside visits, with what is left of the hour, and counts it. Throws when nothing is left. */
export async function metered<T>(room: Room, caller: Caller, work: (meter: FetchMeter) => Promise<T>): Promise<T> {
  const { store, clock, settings, cpuUse } = room;
  const { account } = caller;
  const now = clock.now();
  const used = (await store.sourceUse([account.id], now)).get(account.id) ?? { bytes: 0, fetches: 0 };
  checkUse(settings, account, 'source_bytes_per_day', { used: used.bytes, now, spanMs: DAY_MS });
  const most = checkUse(settings, account, 'source_fetches_per_hour', { used: used.fetches, now, spanMs: HOUR_MS });
  const meter: FetchMeter = { most: most - used.fetches, fetches: 0, bytes: 0, accountId: account.id, cpuMs: 0 };
  try {
    return await work(meter);
  } finally {
    cpuUse.note(caller, meter.cpuMs, 'reading');
    await store.countSourceUse({ accountId: account.id, bytes: meter.bytes, fetches: meter.fetches }, now);
  }
}

/** The limit. Throws when it is reached. */
function checkUse(
  { limits, support }: Settings,
  account: Account,
  code: 'source_fetches_per_hour' | 'source_bytes_per_day',
  { used, now, spanMs }: { used: number; now: Date; spanMs: number },
): number {
  const limit = limitOf(limits, account, code) ?? ANY;
  if (used < limit) return limit;
  const retryAfter = Math.ceil((spanMs - (now.getTime() % spanMs)) / 1_000);
  const what = code === 'source_fetches_per_hour' ? 'fetches in this hour' : 'bytes today';
  throw limitReached(code, `The sources of the account have taken ${used} ${what}, and its limit is ${limit}.`, {
    support,
    details: { limit, used },
    retryAfter,
  });
}
