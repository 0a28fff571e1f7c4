import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EVENT_RETRY_AFTER, nextAttempt, RETRY_AFTER } from './outcome.ts';

const NOW = new Date('2026-11-15T08:00:00Z');
const secondsUntil = (date: Date | undefined) => (date!.getTime() - NOW.getTime()) / 1_000;

describe('the retry schedule', () => {
  it('spans three days and then ends', () => {
    const hours = RETRY_AFTER.reduce((sum, step) => sum + step, 0) / 3_600;
    expect(hours).toBeGreaterThan(72);
    expect(hours).toBeLessThan(96);
    expect(nextAttempt(RETRY_AFTER.length + 1, NOW, 0.5)).toBeUndefined();
  });

  it('varies each step by a fifth at most', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: RETRY_AFTER.length }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (made, random) => {
          const seconds = secondsUntil(nextAttempt(made, NOW, random));
          expect(seconds).toBeGreaterThanOrEqual(RETRY_AFTER[made - 1]! * 0.8 - 0.001);
          expect(seconds).toBeLessThanOrEqual(RETRY_AFTER[made - 1]! * 1.2 + 0.001);
        },
      ),
    );
  });

  it('leaves a receiver alone that had too much, and gives it the time it asks for within reason', () => {
    expect(secondsUntil(nextAttempt(1, NOW, 0.5, { overloaded: true, retryAfter: undefined }))).toBe(60);
    expect(secondsUntil(nextAttempt(2, NOW, 0.5, { overloaded: true, retryAfter: 400 }))).toBe(400);
    expect(secondsUntil(nextAttempt(2, NOW, 0, { overloaded: true, retryAfter: 400 }))).toBe(400);
    expect(secondsUntil(nextAttempt(2, NOW, 0.5, { overloaded: false, retryAfter: 86_400 }))).toBe(600);
    expect(secondsUntil(nextAttempt(2, NOW, 0.5, { overloaded: false, retryAfter: 1 }))).toBe(300);
  });

  it('spreads retries to both sides, and never cuts short what the receiver asked for', () => {
    const calm = { overloaded: false, retryAfter: undefined };
    expect([0, 0.5, 1].map((random) => secondsUntil(nextAttempt(2, NOW, random, calm)))).toEqual([240, 300, 360]);
    const asked = { overloaded: false, retryAfter: 300 };
    expect([0, 0.5, 1].map((random) => secondsUntil(nextAttempt(2, NOW, random, asked)))).toEqual([300, 300, 360]);
  });

  it('leaves a receiver of a short schedule alone no longer than its second step', () => {
    const busy = { overloaded: true, retryAfter: undefined };
    expect(secondsUntil(nextAttempt(1, NOW, 0.5, busy, EVENT_RETRY_AFTER))).toBe(15);
    expect(secondsUntil(nextAttempt(3, NOW, 0.5, busy, EVENT_RETRY_AFTER))).toBe(60);
    expect(secondsUntil(nextAttempt(1, NOW, 0.5, busy, [7]))).toBe(7);
    expect(nextAttempt(2, NOW, 0.5, busy, [7])).toBeUndefined();
  });
});
