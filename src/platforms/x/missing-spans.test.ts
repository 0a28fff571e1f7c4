import { describe, expect, it } from 'vitest';
import { isAwaited, isSameSpan, type MissingSpan, nextToRecover, planBackfill, splitByAge } from './cursor.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const START = Date.parse('2026-11-15T08:00:00Z');

/** A span that began `since` milliseconds after the start. */
const span = (since: number, changes: Partial<MissingSpan> = {}): MissingSpan => ({
  from: new Date(START + since),
  to: new Date(START + since + MINUTE),
  cause: 'dropped',
  since,
  mendable: true,
  inBackfill: false,
  ...changes,
});

describe('missing spans', () => {
  it('are asked for in one backfill if it reaches them, by the oldest of those', () => {
    const [old, recent, given] = [span(0), span(5 * MINUTE), span(8 * MINUTE, { mendable: false })];
    const { minutes, spans } = planBackfill([old, recent, given], 8 * MINUTE + 30_000);
    expect(minutes).toBe(4);
    expect(spans.map(({ inBackfill }) => inBackfill)).toEqual([false, true, false]);
    expect(nextToRecover(spans)).toBe(spans[0]);
    expect(planBackfill([], 0)).toEqual({ minutes: 0, spans: [] });
  });

  it('are given up as far as they are too old', () => {
    const one = span(0, { to: new Date(START + 10 * MINUTE) });
    expect(splitByAge(one, DAY - 5 * MINUTE)).toEqual({ rest: one });
    const { tooOld, rest } = splitByAge(one, DAY);
    expect(tooOld?.to).toEqual(rest?.from);
    expect(rest).toMatchObject({ from: new Date(START + 5 * MINUTE), to: one.to, since: 5 * MINUTE });
    expect(splitByAge(one, DAY + 5 * MINUTE)).toEqual({ tooOld: one });
    const open = { ...one, to: undefined };
    expect(splitByAge(open, 2 * DAY)).toEqual({ rest: open });
  });

  it('wait for the backfill of the open connection if they were asked for with it and have an end', () => {
    expect(isAwaited(span(0, { inBackfill: true }))).toBe(true);
    expect(isAwaited(span(0, { inBackfill: true, to: undefined }))).toBe(false);
    expect(isAwaited(span(0))).toBe(false);
  });

  it('need a connection of their own if they can be mended, are not asked for, and have an end', () => {
    expect(
      nextToRecover([span(0, { mendable: false }), span(1, { inBackfill: true }), span(2, { to: undefined })]),
    ).toBe(undefined);
  });

  it('fit a backfill of five minutes with 20 seconds to spare, and not a millisecond more', () => {
    expect(planBackfill([span(0)], 280_000)).toMatchObject({ minutes: 5, spans: [{ inBackfill: true }] });
    expect(planBackfill([span(0)], 280_001)).toMatchObject({ minutes: 0, spans: [{ inBackfill: false }] });
    expect(planBackfill([span(0)], 40_000)).toMatchObject({ minutes: 1 });
  });

  it('are told apart although two begin at the same time', () => {
    const one = span(0);
    expect(isSameSpan({ ...one, mendable: false }, one)).toBe(true);
    expect(isSameSpan(span(0), one)).toBe(false);
  });
});
