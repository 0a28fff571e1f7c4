import { expect, it } from 'vitest';
import { sinceChange } from './since-change.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const AT = Date.UTC(2026, 10, 15, 12);

/** One match every so many minutes before and since the change. */
function told(before: number, after: number, ago: number, part: Partial<Parameters<typeof sinceChange>[0]> = {}) {
  const minutes = Array.from({ length: 24 * 60 + ago }, (_, at) => at - 24 * 60);
  const counts = minutes.map((minute) => ({
    at: new Date(AT + minute * MINUTE).toISOString(),
    count: minute % (minute < 0 ? before : after) === 0 ? 1 : 0,
  }));
  return sinceChange({ at: AT, now: AT + ago * MINUTE, from: 0, counts, missing: [], ...part });
}

it('what a change did is said an hour later', () => {
  expect(told(5, 10, 20)).toBe('Its effect is shown in 40 minutes.');
  expect(told(5, 10, 120)).toBe(
    '12 matches came in the 2 hours since; in the same time a day before there were 24: 50 % fewer.',
  );
  expect(told(10, 5, 60)).toContain('100 % more');
  expect(told(10, 10, 60)).toContain('as many as before');
});

it('a change is compared with the same hours of the day before, and with the rate where the rule is younger', () => {
  // Twelve matches an hour for half a day, then none: the night before the change was as quiet as the one since.
  const counts = Array.from({ length: 26 * 60 }, (_, at) => at - 24 * 60)
    .filter((minute) => minute % 5 === 0 && minute >= -22 * 60 && minute < 0)
    .map((minute) => ({ at: new Date(AT + minute * MINUTE).toISOString(), count: 1 }));
  const since = (from: number) => sinceChange({ at: AT, now: AT + 2 * HOUR, from, counts, missing: [] });
  expect(since(0)).toBe(
    '0 matches came in the 2 hours since; in the same time a day before there were 0. That is too little to tell what it changed.',
  );
  expect(since(AT - 20 * HOUR)).toContain('at the rate before there would have been 24: 100 % fewer');
});

it('what is not known is called so', () => {
  expect(told(600, 600, 90)).toContain('That is too little to tell what it changed.');
  expect(told(5, 5, 90, { from: AT - 30 * MINUTE })).toContain('the text before ran for less than an hour');
  expect(told(5, 5, 90, { missing: [{ from: AT - HOUR, to: AT }] })).toContain('events are missing');
  expect(told(5, 5, 90, { missing: [{ from: AT - 30 * HOUR, to: AT - 25 * HOUR }] })).toContain('as many as before');
});
