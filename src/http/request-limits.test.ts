import { describe, expect, it } from 'vitest';
import type { Caller } from '../service/access/caller.ts';
import { createRequestLimits } from './admission.ts';

const caller = (accountId: string, keyId: string) => ({ account: { id: accountId }, key: { id: keyId } }) as Caller;

function limitsOf(options: { perKey?: number; perAccount?: number; cpu?: number; support?: string }) {
  const time = { now: 0 };
  const limits = createRequestLimits({
    limits: { requestsPerKey: options.perKey, requestsPerAccount: options.perAccount, cpuPerMinute: options.cpu },
    now: () => new Date(time.now),
    sharers: () => 1,
    support: options.support ?? '',
  });
  const take = (who: Caller, cost = 1) => {
    let told: Record<string, string> = {};
    try {
      const headers = (values: Record<string, string>) => {
        told = values;
      };
      limits.take(who, cost, { headers });
      return { headers: told };
    } catch (error) {
      return { headers: told, error: error as Error & { details: unknown; retryAfter: number } };
    }
  };
  return { time, take, chargeCpu: limits.chargeCpu };
}

describe('request limits', () => {
  it('hold for all keys of an account together', () => {
    const { take } = limitsOf({ perKey: 100, perAccount: 150 });
    const admitted = Array.from({ length: 40 }, (_, key) =>
      Array.from({ length: 100 }, () => take(caller('a', `key ${key}`))).filter(({ error }) => error === undefined),
    ).flat();
    expect(admitted).toHaveLength(100);
    expect(take(caller('b', 'another')).error).toBeUndefined();
  });

  it('cost the key nothing when the account has none left', () => {
    const { take, time } = limitsOf({ perKey: 100, perAccount: 200 });
    for (let request = 0; request < 100; request++) take(caller('a', 'one'));
    for (let request = 0; request < 100; request++)
      expect(take(caller('a', 'two')).error?.details).toMatchObject({ limit: 'account' });
    // In a quarter of a minute 25 tokens come back to a key, and 50 to an account.
    time.now += 15_000;
    expect(take(caller('a', 'two'), 50).error).toBeUndefined();
  });

  it('say which limit it is, what the request counts, and how to get more', () => {
    const { take } = limitsOf({ perKey: 100, perAccount: 400, support: 'help@sluice.example' });
    for (let request = 0; request < 10; request++) expect(take(caller('a', 'k'), 10).error).toBeUndefined();
    const { error } = take(caller('a', 'k'), 10);
    expect(error?.message).toBe(
      'This key may make 100 requests a minute. This one counts as 10. Try again in 6 s. The operator raises the limit with SLUICE_RATE_LIMIT, or of one account with `sluice accounts set NAME --limit requests_per_key=N`; ask help@sluice.example.',
    );
    expect(error).toMatchObject({ retryAfter: 6, details: { limit: 'key', per_minute: 100, cost: 10 } });
  });

  it('may be an account’s own: less, more or none, and another account’s stay as they are', () => {
    const { take } = limitsOf({ perKey: 3 });
    const own = (limit: number | null): Caller => {
      const who = caller(`own ${limit}`, `key ${limit}`);
      return { ...who, account: { ...who.account, limits: { requests_per_key: limit } } };
    };
    const admitted = (who: Caller) => Array.from({ length: 9 }, () => take(who).error).filter((one) => !one).length;
    expect([own(1), own(5), own(null), caller('b', 'k')].map(admitted)).toEqual([1, 5, 9, 3]);
  });

  it('hold for CPU: who has used more than a minute’s worth waits until it has come back', () => {
    const { take, time, chargeCpu } = limitsOf({ cpu: 6_000 });
    chargeCpu(caller('a', 'k'), 6_000);
    expect(take(caller('a', 'k')).error).toBeUndefined();
    chargeCpu(caller('a', 'k'), 1_000);
    const { error } = take(caller('a', 'other'));
    expect(error).toMatchObject({
      retryAfter: 10,
      details: { limit_code: 'cpu_ms_per_minute', limit: 6_000, used: 7_000 },
    });
    expect(take(caller('b', 'k')).error).toBeUndefined();
    time.now += 9_000;
    expect(take(caller('a', 'k')).error).toBeDefined();
    time.now += 1_001;
    expect(take(caller('a', 'k')).error).toBeUndefined();
    chargeCpu(caller('a', 'k'), 600_000);
    expect(take(caller('a', 'k')).error?.retryAfter).toBe(60);
  });

  it('are told in the draft’s header fields', () => {
    expect(limitsOf({ perKey: 600 }).take(caller('a', 'k')).headers).toEqual({
      'RateLimit-Policy': '"requests";q=600;w=60, "burst";q=100;w=10',
      RateLimit: '"burst";r=99;t=1',
    });
    expect(limitsOf({ perKey: 600, perAccount: 2_400 }).take(caller('a', 'k'), 10).headers).toEqual({
      'RateLimit-Policy':
        '"requests";q=600;w=60, "burst";q=100;w=10, "account";q=2400;w=60, "account-burst";q=400;w=10',
      RateLimit: '"burst";r=90;t=1, "account-burst";r=390;t=1',
    });
    expect(limitsOf({}).take(caller('a', 'k')).headers).toEqual({});
  });
});
