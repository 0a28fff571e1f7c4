/**
 * Token buckets: each caller has `burst` tokens, which come back at `perMinute`. Who waits long enough has a full bucket
 * and need not be remembered, so memory is bounded by those who called lately. Processes that answer requests beside each
 * other divide the limit: with three of them a request costs three tokens on each.
 */
export interface Taken {
  readonly allowed: boolean;
  /** Whole requests left right now. */
  readonly remaining: number;
  /** Seconds until the bucket is full again. */
  readonly reset: number;
  /** Seconds until the next request is allowed; 0 when it is. */
  readonly retryAfter: number;
}

export interface Limiter {
  readonly policy: Policy;
  /** Uses what one request costs, when there is so much. */
  take(id: string): Taken;
}

export interface Policy {
  readonly perMinute: number;
  readonly burst: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/** Buckets are looked through for full ones when there are twice as many as after the last look. */
const FEW = 1_024;

/** A burst is what ten seconds bring, and at least 100 requests where the limit allows so many. */
export const requestPolicy = (perMinute: number): Policy => ({
  perMinute,
  burst: Math.max(Math.min(100, perMinute), Math.ceil(perMinute / 6)),
});

export function createLimiter(policy: Policy, now: () => Date, sharers: () => number = () => 1): Limiter {
  const buckets = new Map<string, Bucket>();
  const perMillisecond = policy.perMinute / 60_000;
  let crowd = FEW;

  const filled = ({ tokens, at }: Bucket, time: number): number =>
    // A clock that steps back gives nothing and takes nothing.
    Math.min(policy.burst, tokens + Math.max(0, time - at) * perMillisecond);

  function sweep(time: number): void {
    for (const [id, bucket] of buckets) if (filled(bucket, time) >= policy.burst) buckets.delete(id);
    crowd = Math.max(FEW, buckets.size * 2);
  }

  function take(id: string): Taken {
    const time = now().getTime();
    const bucket = buckets.get(id);
    const tokens = bucket === undefined ? policy.burst : filled(bucket, time);
    // However many share it, a full bucket is enough for one request.
    const cost = Math.min(sharers(), policy.burst);
    const allowed = tokens >= cost;
    const left = allowed ? tokens - cost : tokens;
    buckets.set(id, { tokens: left, at: time });
    if (buckets.size > crowd) sweep(time);
    const seconds = (missing: number) => Math.ceil(Math.max(0, missing) / perMillisecond / 1000);
    return {
      allowed,
      remaining: Math.floor(left / cost),
      reset: seconds(policy.burst - left),
      retryAfter: allowed ? 0 : Math.max(1, seconds(cost - left)),
    };
  }

  return { policy, take };
}

/** The two fields of the IETF draft: the policy, and what of it is left. */
export const limitHeaders = ({ policy }: Limiter, taken: Taken): Record<string, string> => ({
  'RateLimit-Policy': `"requests";q=${policy.perMinute};w=60, "burst";q=${policy.burst};w=${Math.ceil((policy.burst * 60) / policy.perMinute)}`,
  RateLimit: `"burst";r=${taken.remaining};t=${taken.reset}`,
});
