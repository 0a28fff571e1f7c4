import { describe, expect, it } from 'vitest';
import { type AttemptContext, judgeAttempt, RETRY_AFTER, type Sent } from './outcome.ts';

const HOUR = 3_600_000;
const START = Date.parse('2026-11-15T08:00:00Z');
const at = (hours: number) => new Date(START + hours * HOUR);

const sent = (change: Partial<Sent> = {}): Sent => ({
  statusCode: 500,
  error: 'The receiver answered 500.',
  response: '',
  overloaded: false,
  retryAfter: undefined,
  ...change,
});
const made = (change: Partial<AttemptContext> = {}): AttemptContext => ({
  before: 0,
  health: { lastFailureAt: undefined, failingSince: undefined },
  now: at(0),
  random: 0.5,
  schedule: RETRY_AFTER,
  ...change,
});

describe('what follows from an attempt', () => {
  it('forgets all failures when one is delivered', () => {
    const health = { lastFailureAt: at(-1), failingSince: at(-2) };
    expect(judgeAttempt(sent({ statusCode: 204, error: undefined }), made({ health }))).toEqual({
      outcome: { status: 'delivered' },
      health: { lastFailureAt: undefined, failingSince: undefined },
      recovered: true,
      disable: undefined,
    });
  });

  it('tries again until the schedule ends, and then says why it failed', () => {
    expect(judgeAttempt(sent(), made()).outcome).toEqual({ status: 'pending', nextAt: new Date(START + 5_000) });
    expect(judgeAttempt(sent(), made({ before: RETRY_AFTER.length })).outcome).toEqual({
      status: 'failed',
      reason: 'All 10 attempts failed. Last error: The receiver answered 500.',
    });
  });

  it('disables a webhook that is gone, at once', () => {
    const { outcome, disable } = judgeAttempt(sent({ statusCode: 410, error: 'The receiver answered 410.' }), made());
    expect(outcome).toMatchObject({ status: 'failed' });
    expect(disable).toContain('410');
  });

  it('starts the clock with two failures within a day, and disables after five days without a success', () => {
    const first = judgeAttempt(sent(), made()).health;
    expect(first).toEqual({ lastFailureAt: at(0), failingSince: undefined });
    expect(judgeAttempt(sent(), made({ health: first, now: at(25) })).health.failingSince).toBeUndefined();
    const second = judgeAttempt(sent(), made({ health: first, now: at(1) })).health;
    expect(second).toEqual({ lastFailureAt: at(1), failingSince: at(0) });
    expect(judgeAttempt(sent(), made({ health: second, now: at(119) })).disable).toBeUndefined();
    const last = judgeAttempt(sent(), made({ health: second, now: at(120) }));
    expect(last.disable).toBe(
      'Every attempt since 2026-11-15T08:00:00.000Z failed. Last error: The receiver answered 500.',
    );
    expect(last.outcome).toEqual({ status: 'failed', reason: 'The receiver answered 500.' });
  });

  it('takes failures for an accident when they are more than a day apart', () => {
    const health = { lastFailureAt: at(0), failingSince: undefined };
    const since = (hours: number) => judgeAttempt(sent(), made({ health, now: at(hours) })).health.failingSince;
    expect([since(24), since(24.001)]).toEqual([at(0), undefined]);
  });

  it('gives up what would fail in the same way again, and has recovered from nothing without a failure', () => {
    expect(judgeAttempt(sent({ givesUp: true }), made()).outcome).toEqual({
      status: 'failed',
      reason: 'The receiver answered 500.',
    });
    expect(judgeAttempt(sent(), made())).toMatchObject({ recovered: false, disable: undefined });
    expect(judgeAttempt(sent({ error: undefined }), made()).recovered).toBe(false);
  });
});
