import { expect, it } from 'vitest';
import { isLookDue, mustGo } from './consume-stream.ts';

it('looks at held arrivals once a second, and at once when there are too many', () => {
  expect([isLookDue(0, 0, 5_000), isLookDue(1, 0, 999), isLookDue(1, 0, 1_000)]).toEqual([false, false, true]);
  expect(isLookDue(5_001, 1, 0)).toBe(true);
});

it('lets the oldest of too many go, and those whose time is over', () => {
  const waiting = { until: 60_000 };
  expect([mustGo(0, 1, waiting, 0), mustGo(1, 1, waiting, 0)]).toEqual([true, false]);
  expect([mustGo(5, 0, waiting, 59_999), mustGo(5, 0, waiting, 60_000)]).toEqual([false, true]);
});
