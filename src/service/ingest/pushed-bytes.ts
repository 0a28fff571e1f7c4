/** How many bytes each account has pushed in this minute and on this day (UTC). Processes that answer requests share a limit. */
import type { Clock } from '../../base/clock.ts';
import type { Account } from '../../domain/account.ts';
import { type AccountLimits, limitOf, limitReached } from '../limits.ts';

export interface PushedBytes {
  /** Counts a push. Throws `resource_exhausted` when it does not fit, and then counts nothing. */
  count(account: Pick<Account, 'id' | 'limits'>, bytes: number): void;
  used(accountId: string): { readonly minute: number; readonly day: number };
}

interface Deps {
  readonly clock: Clock;
  readonly limits: AccountLimits;
  readonly sharers: () => number;
  readonly support: string;
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

interface Window {
  at: number;
  bytes: number;
}

export function createPushedBytes({ clock, limits, sharers, support }: Deps): PushedBytes {
  const windows = { minute: new Map<string, Window>(), day: new Map<string, Window>() };

  function windowOf(span: 'minute' | 'day', accountId: string): Window {
    const at = Math.floor(clock.now().getTime() / (span === 'minute' ? MINUTE : DAY));
    const there = windows[span].get(accountId);
    if (there?.at === at) return there;
    const fresh = { at, bytes: 0 };
    // The count of a minute or a day is of no use in the next.
    if (windows[span].values().next().value?.at !== at) windows[span].clear();
    windows[span].set(accountId, fresh);
    return fresh;
  }

  function check(span: 'minute' | 'day', limit: number | undefined, accountId: string, bytes: number): void {
    if (limit === undefined || windowOf(span, accountId).bytes + bytes <= limit / sharers()) return;
    const length = span === 'minute' ? MINUTE : DAY;
    const left = length - (clock.now().getTime() % length);
    throw limitReached(
      span === 'minute' ? 'pushed_bytes_per_minute' : 'pushed_bytes_per_day',
      `The account may push ${limit} bytes a ${span}, and this push of ${bytes} bytes is beyond that.`,
      { support, details: { limit, used: windowOf(span, accountId).bytes }, retryAfter: Math.ceil(left / 1_000) },
    );
  }

  return {
    count(account, bytes) {
      check('minute', limitOf(limits, account, 'pushed_bytes_per_minute'), account.id, bytes);
      check('day', limitOf(limits, account, 'pushed_bytes_per_day'), account.id, bytes);
      windowOf('minute', account.id).bytes += bytes;
      windowOf('day', account.id).bytes += bytes;
    },
    used: (accountId) => ({
      minute: windowOf('minute', accountId).bytes,
      day: windowOf('day', accountId).bytes,
    }),
  };
}
