import { expect, it } from 'vitest';
import { UNACKNOWLEDGED, WAKE_TTL_MS, wakeState } from './wake-state.ts';

const createdAt = new Date('2026-11-15T08:00:00Z');
const now = new Date('2026-11-15T09:00:00Z');
const tomorrow = new Date(createdAt.getTime() + WAKE_TTL_MS);
const of = (
  status: 'pending' | 'delivered' | 'failed',
  made: number,
  { acknowledgedAt, nextAt, reason }: { acknowledgedAt?: Date; nextAt?: Date; reason?: string } = {},
) => ({ status, made, acknowledgedAt, createdAt, nextAt, reason });

it.each([
  ['pending', of('pending', 0), now, false],
  ['offered', of('pending', 1), now, false],
  ['offered', of('delivered', 1), now, false],
  // Nobody was asked to acknowledge it.
  ['offered', of('delivered', 1), tomorrow, false],
  ['expired', of('delivered', 1, { reason: UNACKNOWLEDGED }), tomorrow, false],
  // It is still being tried.
  ['offered', of('pending', 5), tomorrow, false],
  ['expired', of('failed', 6), now, false],
  ['acknowledged', of('delivered', 1, { acknowledgedAt: now }), tomorrow, false],
  ['pending', of('pending', 0), tomorrow, true],
  ['offered', of('pending', 1), now, true],
  ['expired', of('pending', 1), tomorrow, true],
  // A digest is offered from the time at which it is due.
  ['offered', of('pending', 1, { nextAt: tomorrow }), tomorrow, true],
  ['expired', of('pending', 1, { nextAt: tomorrow }), new Date(tomorrow.getTime() + WAKE_TTL_MS), true],
] as const)('is %s', (state, delivery, at, pulled) => {
  expect(wakeState(delivery, at, pulled)).toBe(state);
});
