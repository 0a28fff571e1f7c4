/** How many requests a key and its account may make. Each request takes its cost from the key's bucket and the account's. */
import type { Caller } from '../service/access/caller.ts';
import type { ServiceError } from '../service/errors.ts';
import { limitReached } from '../service/limits.ts';
import { createLimiter, type Limiter, requestPolicy, type Taken } from './rate-limit.ts';

export interface RequestLimits {
  /** Sets the headers that say what is left; throws `resource_exhausted` when that is not enough. */
  take(caller: Caller, cost: number, reply: { headers(values: Record<string, string>): unknown }): void;
}

export interface LimitOptions {
  /** Requests a minute; undefined when there is no limit. */
  readonly perKey: number | undefined;
  readonly perAccount: number | undefined;
  readonly now: () => Date;
  /** Processes that divide the limits among them. */
  readonly sharers: () => number;
  /** Where a caller asks for more; empty when there is no such place. */
  readonly support: string;
}

type Side = 'key' | 'account';

export function createRequestLimits({ perKey, perAccount, now, sharers, support }: LimitOptions): RequestLimits {
  const limiterOf = (perMinute: number | undefined): Limiter | undefined =>
    perMinute === undefined ? undefined : createLimiter(requestPolicy(perMinute), now, sharers);
  const [keys, accounts] = [limiterOf(perKey), limiterOf(perAccount)];

  return {
    take({ key, account }, cost, reply) {
      if (keys === undefined && accounts === undefined) return;
      const byKey = keys?.take(key.id, cost);
      // A request that the key's bucket refuses costs the account nothing.
      const byAccount = byKey?.allowed === false ? undefined : accounts?.take(account.id, cost);
      if (byAccount?.allowed === false) keys?.giveBack(key.id, cost);
      reply.headers(limitHeaders([keys, byKey], [accounts, byAccount]));
      if (byKey?.allowed === false) throw tooMany('key', keys!, byKey, cost, support);
      if (byAccount?.allowed === false) throw tooMany('account', accounts!, byAccount, cost, support);
    },
  };
}

type Used = readonly [Limiter | undefined, Taken | undefined];

/** The two fields of the IETF draft: the policies, and what is left of them. */
function limitHeaders([keys, byKey]: Used, [accounts, byAccount]: Used): Record<string, string> {
  const policies = [
    ...(keys === undefined ? [] : [...policyItems(keys, 'requests', 'burst')]),
    ...(accounts === undefined ? [] : [...policyItems(accounts, 'account', 'account-burst')]),
  ];
  const left = [
    ...(byKey === undefined ? [] : [leftItem('burst', byKey)]),
    ...(byAccount === undefined ? [] : [leftItem('account-burst', byAccount)]),
  ];
  return { 'RateLimit-Policy': policies.join(', '), RateLimit: left.join(', ') };
}

const policyItems = ({ policy: { perMinute, burst } }: Limiter, minute: string, atOnce: string): string[] => [
  `"${minute}";q=${perMinute};w=60`,
  `"${atOnce}";q=${burst};w=${Math.ceil((burst * 60) / perMinute)}`,
];

const leftItem = (name: string, { remaining, reset }: Taken): string => `"${name}";r=${remaining};t=${reset}`;

function tooMany(side: Side, { policy }: Limiter, { retryAfter }: Taken, cost: number, support: string): ServiceError {
  const who = side === 'key' ? 'This key' : 'The keys of this account together';
  const counts = cost === 1 ? '' : ` This one counts as ${cost}.`;
  return limitReached(
    side === 'key' ? 'requests_per_key' : 'requests_per_account',
    `${who} may make ${policy.perMinute} requests a minute.${counts}`,
    { support, details: { limit: side, per_minute: policy.perMinute, cost }, retryAfter },
  );
}
