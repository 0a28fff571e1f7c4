import { describe, expect, it } from 'vitest';
import { consequenceOf, type Disconnect } from './reconnect-policy.ts';

const follows = (ending: Disconnect, failures = 1, retry?: number) =>
  consequenceOf(ending, { failures, random: () => 0, retry });

const waits = (ending: Disconnect) => [1, 2, 3, 20].map((failures) => follows(ending, failures)!.waitMs / 1_000);

const refused = (status: number, retryAfter?: number): Disconnect => ({
  kind: 'refused',
  status,
  message: 'no',
  retryAfter,
});

describe('what follows', () => {
  it('is nothing when the end was announced', () => {
    expect(follows({ kind: 'ended' })).toBeUndefined();
  });

  it.each<[string, Disconnect, number[]]>([
    ['a drop', { kind: 'dropped' }, [1, 2, 4, 60]],
    ['a stall', { kind: 'stalled' }, [0, 0, 0, 0]],
    ['an error of the upstream', { kind: 'error', message: 'Oops' }, [5, 10, 20, 320]],
    ['nobody there', { kind: 'unreachable', message: 'gone' }, [1, 2, 4, 60]],
    ['a server error', refused(503), [1, 2, 4, 60]],
    ['a redirect', refused(302), [1, 2, 4, 60]],
    ['too many connections', refused(429), [10, 20, 40, 300]],
    ['want of credit', refused(402), [900, 900, 900, 900]],
    ['a token that is not accepted', refused(401), [300, 300, 300, 300]],
  ])('upon %s is a wait', (_, ending, seconds) => {
    expect(waits(ending)).toEqual(seconds);
  });

  it('is a wait of up to a fifth more, never less', () => {
    const next = consequenceOf({ kind: 'dropped' }, { failures: 3, random: () => 0.999, retry: undefined })!;
    expect(next.waitMs).toBeGreaterThan(4_700);
    expect(next.waitMs).toBeLessThan(4_800);
  });

  it('is at least the time that was stated, within reason', () => {
    expect(follows(refused(429, 90))!.waitMs).toBe(90_000);
    expect(follows(refused(503, 90))!.waitMs).toBe(90_000);
    expect(follows(refused(429, 999_999_999))!.waitMs).toBe(3_600_000);
    expect(follows({ kind: 'dropped' }, 1, 999_999_999)!.waitMs).toBe(30_000);
    expect(follows({ kind: 'dropped' }, 1, 1)!.waitMs).toBe(1_000);
  });

  it('is to ask for less when it was the resume that was refused', () => {
    expect(follows(refused(422))).toMatchObject({ weaken: true, state: 'degraded' });
    expect(follows(refused(500))).not.toHaveProperty('weaken');
  });

  it('is a loss for good when nobody watched', () => {
    expect(follows({ kind: 'error', message: 'No rules configured. Create rules first.' })).toMatchObject({
      isFinal: true,
      until: 'rule',
    });
    expect(follows(refused(402))).not.toHaveProperty('isFinal');
  });
});
