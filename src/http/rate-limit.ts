/**
 * Token buckets: each id has `burst` tokens, which come back at `perMinute`. A bucket that is full again need not be
 * remembered, so memory is bounded by the ids that called lately. Processes that answer requests beside each other
 * divide the limit: with three of them a request costs three times its tokens on each.
 */
export interface Taken {
  readonly allowed: boolean;
  /** Requests of cost 1 that are left right now. */
  readonly remaining: number;
  /** Seconds until the bucket is full again. */
  readonly reset: number;
  /** Seconds until this request is allowed; 0 when it is. */
  readonly retryAfter: number;
}

export interface Limiter {
  readonly policy: Policy;
  /** Takes the tokens of one request when there are enough of them, else none. An id may have a policy of its own. */
  take(id: string, cost?: number, own?: Policy): Taken;
  /** Takes tokens for what was done already, also more than there are: requests are refused until they have come back. */
  charge(id: string, cost: number, own?: Policy): void;
  /** Gives back what `take` took. */
  giveBack(id: string, cost: number): void;
}

export interface Policy {
  readonly perMinute: number;
  readonly burst: number;
}

interface Bucket {
  tokens: number;
  at: number;
  /** That of the last request: it may have been changed since. */
  readonly policy: Policy;
}

/** Buckets are searched for full ones when there are twice as many as after the last search. */
const FEW = 1_024;

/** A burst is what ten seconds bring, and at least 100 requests where the limit allows that many. */
export const requestPolicy = (perMinute: number): Policy => ({
  perMinute,
  burst: Math.max(Math.min(100, perMinute), Math.ceil(perMinute / 6)),
});

export function createLimiter(policy: Policy, now: () => Date, sharers: () => number = () => 1): Limiter {
  const buckets = new Map<string, Bucket>();
  let crowd = FEW;

  // A full bucket is enough for any one request, whatever it costs and however many processes share the limit.
  const tokensFor = (cost: number, { burst }: Policy): number => Math.min(cost * sharers(), burst);

  function sweep(time: number): void {
    for (const [id, bucket] of buckets)
      if (tokensAt(bucket, time, bucket.policy) >= bucket.policy.burst) buckets.delete(id);
    crowd = Math.max(FEW, buckets.size * 2);
  }

  function tokensOf(id: string, time: number, own: Policy): number {
    const bucket = buckets.get(id);
    return bucket === undefined ? own.burst : tokensAt(bucket, time, own);
  }

  return {
    policy,
    take(id, cost = 1, own = policy) {
      const time = now().getTime();
      const tokens = tokensOf(id, time, own);
      const needed = tokensFor(cost, own);
      const allowed = tokens >= needed;
      const left = allowed ? tokens - needed : tokens;
      buckets.set(id, { tokens: left, at: time, policy: own });
      if (buckets.size > crowd) sweep(time);
      return {
        allowed,
        remaining: Math.max(0, Math.floor(left / tokensFor(1, own))),
        reset: secondsFor(own.burst - left, own),
        retryAfter: allowed ? 0 : Math.max(1, secondsFor(needed - left, own)),
      };
    },
    charge(id, cost, own = policy) {
      const time = now().getTime();
      // A debt is paid back after a minute at most.
      const tokens = Math.max(-own.perMinute, tokensOf(id, time, own) - cost * sharers());
      buckets.set(id, { tokens, at: time, policy: own });
    },
    giveBack(id, cost) {
      const bucket = buckets.get(id);
      if (bucket === undefined) return;
      bucket.tokens = Math.min(bucket.policy.burst, bucket.tokens + tokensFor(cost, bucket.policy));
    },
  };
}

/** A clock that steps back gives nothing and takes nothing. */
const tokensAt = ({ tokens, at }: Bucket, time: number, { burst, perMinute }: Policy): number =>
  Math.min(burst, tokens + (Math.max(0, time - at) * perMinute) / 60_000);

const secondsFor = (tokens: number, { perMinute }: Policy): number => Math.ceil((Math.max(0, tokens) * 60) / perMinute);

/** Whom a limit by address counts: one subscriber of a network has a whole /64 of IPv6 addresses. */
export function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address;
  const [head = [], tail] = address.split('::').map((part): string[] => (part === '' ? [] : part.split(':')));
  const zeros = Array.from({ length: tail === undefined ? 0 : 8 - head.length - tail.length }, () => '0');
  return [...head, ...zeros, ...(tail ?? [])].slice(0, 4).join(':');
}
