import { describe, expect, it } from 'vitest';
import type { Registration, RegistrationState } from '../../domain/rule.ts';
import { PlatformError } from '../../platforms/platform.ts';
import {
  isRefreshDue,
  mayRefresh,
  NO_RETRY,
  type QueueView,
  removableAt,
  retryAfter,
  retryPause,
  untilNextTurn,
} from './due.ts';

const idle: QueueView = {
  hasRequests: false,
  isStale: false,
  awaitsFirst: false,
  refreshedAt: 100_000,
  removalAt: Number.POSITIVE_INFINITY,
  now: 5_000_000,
  elapsed: 100_400,
};

describe('the next turn of a queue', () => {
  it.each([
    ['never comes when nothing is asked and nothing leaves', {}, Number.POSITIVE_INFINITY],
    ['comes at once for a request', { hasRequests: true }, 0],
    ['comes at once for an id that the table does not have', { isStale: true }, 0],
    ['comes when the first removal is due', { removalAt: 5_007_000 }, 7_000],
    ['comes at once for a removal that is late', { removalAt: 4_000_000 }, 0],
    ['comes a second after the last look while a stream waits for the first registration', { awaitsFirst: true }, 600],
    ['comes at once when that second is over', { awaitsFirst: true, elapsed: 101_000 }, 0],
    ['comes for whichever is first', { awaitsFirst: true, removalAt: 5_000_250 }, 250],
  ] as const)('%s', (_, view, wait) => {
    expect(untilNextTurn({ ...idle, ...view })).toBe(wait);
  });

  it('reads the store again for an unknown id every five seconds at most', () => {
    expect([mayRefresh(idle, 104_999), mayRefresh(idle, 105_000)]).toEqual([false, true]);
    expect(isRefreshDue({ ...idle, isStale: true }, 100_000)).toBe(true);
  });
});

describe('a registration', () => {
  const row = (state: RegistrationState, platformRuleId?: string): Registration => ({
    tag: 't',
    platform: 'x',
    value: 'storm',
    flags: {},
    texts: ['storm'],
    platformRuleId,
    state,
    since: new Date(1_000_000),
  });

  it('is removed when it is leaving, and 20 seconds later when its texts are wanted', () => {
    expect(removableAt(row('held', '1'), false)).toBe(Number.POSITIVE_INFINITY);
    expect(removableAt(row('leaving', '1'), false)).toBe(1_000_000);
    expect(removableAt(row('leaving', '1'), true)).toBe(1_020_000);
    // Without an id it was never known to be held, so it stands in for nothing.
    expect(removableAt(row('leaving'), true)).toBe(1_000_000);
  });
});

describe('a failed call', () => {
  it('is tried again ever later, and no earlier than the upstream says', () => {
    const failure = new PlatformError('unreachable', 'no');
    expect([0, 1, 2, 3, 4, 5].map((failures) => retryPause(failure, failures))).toEqual([
      1_000, 5_000, 30_000, 60_000, 300_000, 300_000,
    ]);
    expect(retryPause(new PlatformError('limit', 'no', { retryAfter: 7 }), 0)).toBe(7_000);
    expect(retryPause(new PlatformError('limit', 'no', { retryAfter: 7 }), 2)).toBe(30_000);
  });

  it('counts on for removals', () => {
    const once = retryAfter(new Error('no'), NO_RETRY, 1_000_000);
    expect(once).toEqual({ failures: 1, notBefore: 1_001_000 });
    expect(retryAfter(new Error('no'), once, 1_001_000)).toEqual({ failures: 2, notBefore: 1_006_000 });
  });
});
