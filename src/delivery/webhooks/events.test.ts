import { describe, expect, it } from 'vitest';
import { judgeEvent } from './events.ts';
import type { Sent } from './outcome.ts';
import { signedHeaders } from './signature.ts';

const NOW = new Date('2026-11-15T08:00:00Z');
const LONG_AGO = new Date(NOW.getTime() - 200 * 3_600_000);

const answered = (statusCode: number): Sent => ({
  statusCode,
  error: statusCode < 300 ? undefined : `The receiver answered ${statusCode}.`,
  response: '',
  overloaded: false,
  retryAfter: undefined,
});

const judged = (statusCode: number, { before = 0, isControl = false } = {}) =>
  judgeEvent(answered(statusCode), {
    before,
    isControl,
    health: { lastFailureAt: LONG_AGO, failingSince: LONG_AGO },
    now: NOW,
    random: 0.5,
    schedule: [2, 15],
  });

describe('the answer to an event', () => {
  it('of 410 or 413 gives it up at once, and says that the receiver works', () => {
    for (const status of [410, 413])
      expect(judged(status)).toMatchObject({
        outcome: { status: 'failed' },
        health: { failingSince: undefined },
        disable: undefined,
        shorten: status === 413,
      });
  });

  it('of any other failure is a reason to try again, within the schedule, and never to disable', () => {
    for (const status of [301, 400, 401, 404, 425, 429, 500, 503]) {
      expect(judged(status)).toMatchObject({ outcome: { status: 'pending' }, disable: undefined });
      expect(judged(status, { before: 2 })).toMatchObject({ outcome: { status: 'failed' }, disable: undefined });
    }
    expect(judged(204)).toMatchObject({ outcome: { status: 'delivered' }, recovered: true });
  });

  it('of a 4xx to a control message gives it up', () => {
    expect(judged(400, { isControl: true }).outcome.status).toBe('failed');
    expect(judged(503, { isControl: true }).outcome.status).toBe('pending');
  });
});

it('a challenge is signed as the profile’s own example', () => {
  const body = '{"type":"verification","challenge":"RAaXOFnSvwEDY4Z5VqBAgrJY9eqayiZl"}';
  const id = 'msg_verification_4f0c2a91b7d3e856';
  const secret = 'whsec_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=';
  expect(signedHeaders([secret], { id, at: new Date(1_794_744_186_000), body })).toEqual({
    'webhook-id': id,
    'webhook-timestamp': '1794744186',
    'webhook-signature': 'v1,B1Vb70m+glPK1faxjdxatP2Kpj+QImqXwl85WDzFwK4=',
  });
});
