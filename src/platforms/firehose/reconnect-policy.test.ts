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

  it.each<[string, Disconnect, object]>([
    ['a drop', { kind: 'dropped' }, { counter: 'disconnect', state: 'connecting', cause: 'disconnected' }],
    ['a stall', { kind: 'stalled' }, { counter: 'stall', state: 'stalled', cause: 'stalled' }],
    [
      'a slow store',
      { kind: 'unread' },
      { counter: 'disconnect', state: 'connecting', cause: 'slow store', waitMs: 0 },
    ],
    ['a buffer that is too short', { kind: 'aged' }, { counter: undefined, state: 'connecting', cause: 'aged out' }],
    ['an error', { kind: 'error', message: 'Oops' }, { cause: 'upstream error', reason: 'Oops', state: 'degraded' }],
    ['no rules', { kind: 'error', message: 'no rules configured' }, { cause: 'no rules', reason: 'no rules' }],
    ['nobody there', { kind: 'unreachable', message: 'gone' }, { cause: 'unreachable', reason: 'gone' }],
    ['a bad token', refused(403), { cause: 'auth', reason: 'auth', until: 'token', counter: 'refused' }],
    ['an unknown token', refused(404), { cause: 'auth', until: 'token' }],
    ['want of credit', refused(402), { cause: 'billing', reason: 'billing', state: 'degraded' }],
    ['a quota', refused(429), { cause: 'quota', reason: 'quota' }],
    ['a server error', refused(503), { cause: 'unreachable', reason: 'status 503' }],
    ['a refused resume', refused(410), { cause: 'upstream error', reason: 'no', weaken: true }],
  ])('upon %s has a state, a cause and a counter', (_, ending, expected) => {
    expect(follows(ending)).toMatchObject(expected);
  });

  it.each([400, 410, 416, 422])('is a weaker resume after status %i, with growing waits', (status) => {
    expect(follows(refused(status), 3)).toMatchObject({ weaken: true, waitMs: 20_000 });
  });

  it('is no shorter a wait than half a second where the stream asks for less', () => {
    const soon = consequenceOf({ kind: 'dropped' }, { failures: 1, random: () => 0, retry: 5_000 })!;
    expect(soon.waitMs).toBe(5_000);
    expect(follows({ kind: 'aged' })).toMatchObject({ isFinal: true, waitMs: 0 });
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
