import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLimiter, networkOf, requestPolicy } from './rate-limit.ts';

function limiterAt(perMinute: number) {
  const time = { now: 0 };
  return { time, limiter: createLimiter(requestPolicy(perMinute), () => new Date(time.now)) };
}

describe('rate limit', () => {
  it('is divided among processes that answer beside each other', () => {
    const sharers = { count: 1 };
    const time = { now: 0 };
    const limiter = createLimiter(
      requestPolicy(600),
      () => new Date(time.now),
      () => sharers.count,
    );
    sharers.count = 4;
    for (let request = 0; request < 25; request++) expect(limiter.take('a').allowed).toBe(true);
    expect(limiter.take('a')).toMatchObject({ allowed: false, remaining: 0, retryAfter: 1 });
    time.now += 60_000;
    expect(limiter.take('a')).toMatchObject({ allowed: true, remaining: 24 });
    const narrow = createLimiter(
      requestPolicy(1),
      () => new Date(time.now),
      () => 4,
    );
    expect(narrow.take('a').allowed).toBe(true);
    expect(narrow.take('a')).toMatchObject({ allowed: false, retryAfter: 60 });
  });

  it('lets a burst through, then what a minute allows', () => {
    const { time, limiter } = limiterAt(600);
    for (let request = 0; request < 100; request++) expect(limiter.take('a').allowed).toBe(true);
    expect(limiter.take('a')).toEqual({ allowed: false, remaining: 0, reset: 10, retryAfter: 1 });
    time.now += 100;
    expect(limiter.take('a').allowed).toBe(true);
    expect(limiter.take('a').allowed).toBe(false);
  });

  it('keeps callers apart', () => {
    const { limiter } = limiterAt(1);
    expect(limiter.take('a').allowed).toBe(true);
    expect(limiter.take('a')).toMatchObject({ allowed: false, retryAfter: 60 });
    expect(limiter.take('b').allowed).toBe(true);
  });

  it('never admits more than the burst and what time brought, whatever the clock does', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5_000 }),
        fc.array(fc.integer({ min: -1_000, max: 2_000 }), { maxLength: 400 }),
        (perMinute, steps) => {
          const { time, limiter } = limiterAt(perMinute);
          let admitted = 0;
          let forward = 0;
          for (const step of steps) {
            time.now += step;
            forward += Math.max(0, step);
            if (limiter.take('a').allowed) admitted++;
          }
          expect(admitted).toBeLessThanOrEqual(requestPolicy(perMinute).burst + (forward * perMinute) / 60_000 + 1e-6);
        },
      ),
    );
  });

  it('takes nothing when the clock steps back', () => {
    const { time, limiter } = limiterAt(600);
    for (let request = 0; request < 50; request++) limiter.take('a');
    time.now -= 3_600_000;
    expect(limiter.take('a')).toMatchObject({ allowed: true, remaining: 49 });
  });

  it('takes what a request costs, or nothing, and gives it back', () => {
    const { limiter } = limiterAt(600);
    for (let request = 0; request < 9; request++) limiter.take('a', 10);
    expect(limiter.take('a', 20)).toEqual({ allowed: false, remaining: 10, reset: 9, retryAfter: 1 });
    limiter.giveBack('a', 10);
    expect(limiter.take('a', 20)).toMatchObject({ allowed: true, remaining: 0 });
  });

  it('gives back nothing beyond a full bucket, and nothing to whom it does not know', () => {
    const { limiter } = limiterAt(600);
    limiter.take('a', 10);
    limiter.giveBack('a', 50);
    limiter.giveBack('b', 50);
    expect(limiter.take('a')).toMatchObject({ remaining: 99, reset: 1 });
    expect(limiter.take('b')).toMatchObject({ remaining: 99 });
  });

  it('forgets callers whose buckets are full again, and no others, when there are many', () => {
    const { time, limiter } = limiterAt(60);
    for (let request = 0; request < 60; request++) limiter.take('busy');
    for (let caller = 0; caller < 1_023; caller++) limiter.take(`early ${caller}`);
    time.now += 1_000;
    // This one is beyond what is kept without a search; every early bucket is full by now.
    expect(limiter.take('late').remaining).toBe(59);
    expect(limiter.take('busy')).toMatchObject({ allowed: true, remaining: 0 });
    // A clock that steps back shows what is remembered: a known bucket gets nothing for that time.
    time.now -= 1_000;
    expect([limiter.take('busy').allowed, limiter.take('late').remaining]).toEqual([false, 58]);
    expect(limiter.take('early 5').remaining).toBe(59);
  });

  it.each([
    [1, 1],
    [99, 99],
    [100, 100],
    [600, 100],
    [601, 101],
    [6_000, 1_000],
  ])('of %i a minute lets %i through at once', (perMinute, burst) => {
    expect(requestPolicy(perMinute)).toEqual({ perMinute, burst });
  });

  it('lets a request through that costs more than a burst, when the bucket is full', () => {
    const { limiter } = limiterAt(1);
    expect(limiter.take('a', 10).allowed).toBe(true);
    expect(limiter.take('a', 10)).toMatchObject({ allowed: false, retryAfter: 60 });
  });
});

it.each([
  ['198.51.100.7', '198.51.100.7'],
  ['::ffff:198.51.100.7', '::ffff:198.51.100.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2:ffff::1', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['2001:db8:1:2::', '2001:db8:1:2'],
  ['::1', '0:0:0:0'],
  ['::', '0:0:0:0'],
  ['::1:2:3:4:5:6:7', '0:1:2:3'],
])('the network of %s is %s', (address, network) => expect(networkOf(address)).toBe(network));
