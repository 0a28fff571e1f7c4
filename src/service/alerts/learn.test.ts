import { describe, expect, it } from 'vitest';
import { newBaseline } from '../../signal/baseline.ts';
import { baselineOf, HOURS_AT_ONCE, learn, SETTLE_MS, writePast } from './learn.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const PATIENCE = 70 * MINUTE;
const FIRST = 1_000;
const at = (hours: number) => (FIRST + hours) * HOUR;
const hearing = (through: number, heard: (from: number, to: number) => boolean = () => true) => ({
  through,
  heard,
  isListening: true,
});
const learnBy = (now: number, through = now) => learn(newBaseline(FIRST), [], hearing(through), now);

describe('an hour is learnt', () => {
  it('when it has passed and what was matched in it is stored', () => {
    const end = at(1);
    expect(learnBy(end + SETTLE_MS - 1).baseline.next).toBe(FIRST);
    expect(learnBy(end + SETTLE_MS).baseline.next).toBe(FIRST + 1);
  });

  it('when it is known to have been heard, or after seventy minutes without knowing', () => {
    const end = at(1);
    const late = end + PATIENCE - 1;
    expect(learnBy(late, end - 1).baseline.next).toBe(FIRST);
    expect(learnBy(late, end).baseline).toMatchObject({ next: FIRST + 1, heard: true });
    expect(learnBy(end + PATIENCE, end - 1).baseline).toMatchObject({ next: FIRST + 1, heard: false });
  });

  it('as one that was not heard when a gap lies in it', () => {
    const asked: number[][] = [];
    const deaf = hearing(at(9), (from, to) => asked.push([from, to]) < 0);
    expect(learn(newBaseline(FIRST), [], deaf, at(1) + SETTLE_MS).baseline).toMatchObject({ heard: false });
    expect(asked).toEqual([[at(0), at(1)]]);
  });

  it('with six others at most in one step, which says whether there are more', () => {
    const rest = learnBy(at(HOURS_AT_ONCE) + SETTLE_MS);
    expect([rest.baseline.next, rest.isBehind]).toEqual([FIRST + HOURS_AT_ONCE, false]);
    const more = learnBy(at(HOURS_AT_ONCE + 1) + SETTLE_MS);
    expect([more.baseline.next, more.isBehind]).toEqual([FIRST + HOURS_AT_ONCE, true]);
    expect(learnBy(at(3) + SETTLE_MS)).toMatchObject({ baseline: { next: FIRST + 3 }, isBehind: false });
  });

  it('from its own minutes: those of other hours count elsewhere or not at all', () => {
    const minutes = [
      { minute: (FIRST - 1) * 60 - 1, matches: 1_000 },
      { minute: (FIRST - 1) * 60, matches: 500 },
      { minute: FIRST * 60, matches: 3 },
      { minute: FIRST * 60 + 59, matches: 4 },
      { minute: (FIRST + 1) * 60, matches: 20 },
      { minute: (FIRST + HOURS_AT_ONCE) * 60 - 1, matches: 40 },
      { minute: (FIRST + HOURS_AT_ONCE) * 60, matches: 2_000 },
    ];
    const { baseline } = learn(newBaseline(FIRST), minutes, hearing(at(99)), at(99));
    const means = Array.from({ length: HOURS_AT_ONCE }, (_, hour) => baseline.means[(FIRST + hour) % 168]);
    expect(means).toEqual([7, 20, 0, 0, 0, 40]);
    expect(baseline.means.reduce((sum, mean) => sum + mean, 0)).toBe(67);
  });
});

describe('the hour before', () => {
  it('counts in the windows that reach back into it, from its first minute on', () => {
    const known = { ...newBaseline(FIRST), heard: true };
    const topWith = (...minutes: { minute: number; matches: number }[]) =>
      learn(known, [...minutes, { minute: FIRST * 60, matches: 1 }], hearing(at(1)), at(1) + SETTLE_MS).baseline.day
        .top;
    const none = topWith();
    const topAfter = (minute: number) => topWith({ minute: (FIRST - 1) * 60 + minute, matches: 50 });
    expect(topAfter(0).sixty).toBe(none.sixty);
    expect(topAfter(1).sixty).toBeGreaterThan(none.sixty);
    expect(topAfter(51).ten).toBeGreaterThan(none.ten);
    expect(topAfter(50).ten).toBe(none.ten);
    expect(topWith({ minute: (FIRST + 1) * 60, matches: 50 })).toEqual(none);
  });
});

describe('the past of a rule', () => {
  const now = at(0) + 30 * MINUTE;
  const watch = { past: undefined, pastVersion: 0, version: 1, createdAt: new Date(at(-3) + 1) };

  it('begins with the first whole hour after the rule was created, four weeks back at most', () => {
    expect(baselineOf(watch, now)).toEqual(newBaseline(FIRST - 2));
    expect(baselineOf({ ...watch, createdAt: new Date(at(-3)) }, now).next).toBe(FIRST - 2);
    expect(baselineOf({ ...watch, createdAt: new Date(0) }, now).next).toBe(FIRST - 28 * 24);
  });

  it('begins anew with the next hour when the text is another one', () => {
    expect(baselineOf({ ...watch, version: 2 }, now).next).toBe(FIRST + 1);
    const past = writePast(newBaseline(77));
    expect(baselineOf({ ...watch, past, version: 2, pastVersion: 1 }, now).next).toBe(FIRST + 1);
    expect(baselineOf({ ...watch, past, version: 2, pastVersion: 2 }, now)).toEqual(newBaseline(77));
  });

  it('begins with the first whole hour of the text as it is, where it is known since when', () => {
    const changed = { ...watch, createdAt: new Date(0), version: 2 };
    expect(baselineOf({ ...changed, addedAt: new Date(at(-3) + 1) }, now).next).toBe(FIRST - 2);
    expect(baselineOf({ ...changed, addedAt: new Date(1) }, now).next).toBe(FIRST - 28 * 24);
    expect(baselineOf({ ...changed, addedAt: new Date(now) }, now).next).toBe(FIRST + 1);
    const past = writePast(newBaseline(77));
    const kept = { ...changed, past, pastVersion: 1, addedAt: new Date(at(-3)) };
    expect(baselineOf(kept, now)).toEqual(newBaseline(FIRST - 2));
  });

  it('goes on from what a release kept that did not look for what is missing in a day', () => {
    const { recent: _, day, days, ...rest } = newBaseline(77);
    const kept = {
      ...rest,
      day: { ...day, top: { ten: 1, sixty: 1, quiet: 1 } },
      days: { ...days, missing: undefined },
    };
    const past = JSON.stringify(kept);
    const read = baselineOf({ ...watch, past, version: 2, pastVersion: 2 }, now);
    expect(read).toEqual({ ...newBaseline(77), day: { ...day, top: { ten: 1, sixty: 1, quiet: 1, missing: 0 } } });
    expect(learn(read, [], hearing(at(9)), at(9)).baseline.day.top.missing).toBe(0);
  });

  it('is stored with four digits of each mean', () => {
    const text = writePast({ ...newBaseline(1), means: [1 / 3, 123_456] });
    expect(JSON.parse(text)).toMatchObject({ next: 1, means: [0.3333, 123_500], heard: false });
  });
});
