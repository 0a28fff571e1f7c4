import { describe, expect, it } from 'vitest';
import type { SourceFetch } from '../../store/store.ts';
import { planNext } from './plan.ts';
import type { VisitOutcome } from './visit.ts';

const NOW = new Date('2026-11-19T12:00:00Z');
const MINUTE = 60_000;

const source: SourceFetch = {
  key: 'k',
  host: 'a.example',
  kind: 'feeds',
  options: {},
  secret: undefined,
  everyMs: 5 * MINUTE,
  slowestMs: 15 * MINUTE,
  intervalMs: 15 * MINUTE,
  nextAt: NOW,
  visitedAt: NOW,
  failures: 0,
  visits: 1,
  status: 'ok',
  lastGoodAt: NOW,
  lastError: undefined,
  rate: 1,
};

const outcome = (given: Partial<VisitOutcome>): VisitOutcome => ({
  bytes: 0,
  fetches: 1,
  status: 404,
  movedTo: undefined,
  retryAfter: undefined,
  problem: 'a.example answered 404.',
  events: new Map(),
  unread: new Set(),
  useOf: () => ({ bytes: 0, fetches: 1 }),
  ...given,
});

/** Minutes until the next visit, for a source that has failed so often in a row. */
const waitAfter = (failures: number, given: Partial<VisitOutcome>): number =>
  (planNext({ ...source, failures }, outcome(given), NOW, () => 0.5).nextAt.getTime() - NOW.getTime()) / MINUTE;

describe('after a visit at which', () => {
  it('some addresses failed, the source is visited as usual, however often that was so', () => {
    for (const failures of [0, 3, 500]) {
      expect(waitAfter(failures, { hasAnswered: true })).toBe(15);
      expect(waitAfter(failures, { hasAnswered: true, events: new Map([['s', 2]]) })).toBe(7.5);
      expect(waitAfter(failures, { hasAnswered: true, retryAfter: 3_600 })).toBe(60);
    }
  });

  it('some addresses failed, the source has failed, as long as that goes on', () => {
    const some = outcome({ hasAnswered: true });
    const next = planNext(source, some, NOW, () => 0.5);
    expect(next).toMatchObject({
      status: 'failing',
      failures: 1,
      lastGoodAt: NOW,
      lastError: { message: some.problem },
    });
    const counts = [0, 1, 2, 3, 4, 500].map(
      (failures) => planNext({ ...source, failures }, some, NOW, () => 0.5).failures,
    );
    // Owners are told of the third, and once.
    expect(counts).toEqual([1, 2, 3, 4, 4, 4]);
  });

  it('all addresses failed, the source is visited later and later, up to once a day', () => {
    expect([0, 1, 2, 3, 500].map((failures) => waitAfter(failures, {}))).toEqual([5, 10, 20, 40, 24 * 60]);
    expect(waitAfter(0, { hasAnswered: false, retryAfter: 3_600 })).toBe(60);
    expect(planNext({ ...source, failures: 500 }, outcome({}), NOW, () => 0.5).failures).toBe(501);
  });
});
