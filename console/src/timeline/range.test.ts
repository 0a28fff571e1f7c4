import { describe, expect, it } from 'vitest';
import { columnsOf, intervalOf, moved, presetRange, rangeOf, summed, ticksOf, within, zoomed } from './range.ts';

const HOUR = 3_600_000;
const at = (text: string): number => new Date(text).getTime();
const NOON = at('2026-11-15T12:00:00');

describe('the time that is shown', () => {
  it('is the last night unless the address says otherwise, and ends now where the night is not over', () => {
    const night = { from: at('2026-11-14T22:00:00'), to: at('2026-11-15T08:00:00') };
    expect(rangeOf({}, NOON)).toEqual(night);
    expect(rangeOf({ span: 'nonsense', since: 'x', until: 'y' }, NOON)).toEqual(night);
    expect(rangeOf({ span: 'day' }, NOON)).toEqual({ from: NOON - 24 * HOUR, to: NOON });
    expect(presetRange('night', at('2026-11-15T03:00:00')).to).toBe(at('2026-11-15T03:00:00'));
    const named = { since: '2026-11-15T01:00:00.000Z', until: '2026-11-15T02:00:00.000Z' };
    expect(rangeOf(named, NOON)).toEqual({ from: Date.parse(named.since), to: Date.parse(named.until) });
  });

  it('is zoomed around a moment, moved, and never of the future', () => {
    const day = { from: NOON - 24 * HOUR, to: NOON };
    expect(zoomed(day, 0.5, NOON)).toEqual({ from: NOON - 18 * HOUR, to: NOON - 6 * HOUR });
    expect(zoomed(day, 2, NOON)).toEqual({ from: NOON - 48 * HOUR, to: NOON });
    expect(zoomed({ from: NOON - 60_000, to: NOON }, 0.5, NOON).to - NOON).toBeLessThanOrEqual(0);
    expect(moved(day, 0.5, NOON)).toEqual(day);
    expect(moved(day, -0.5, NOON)).toEqual({ from: NOON - 36 * HOUR, to: NOON - 12 * HOUR });
  });

  it('is moved into what is known', () => {
    const hour = { from: NOON - HOUR, to: NOON };
    expect(within({ from: NOON - 1.5 * HOUR, to: NOON - HOUR }, hour)).toEqual({
      from: NOON - HOUR,
      to: NOON - HOUR / 2,
    });
    expect(within({ from: NOON - HOUR / 4, to: NOON + HOUR / 4 }, hour)).toEqual({ from: NOON - HOUR / 2, to: NOON });
    expect(within({ from: NOON - 3 * HOUR, to: NOON }, hour)).toEqual(hour);
  });

  it('has as many columns as there is room for, into which minutes and hours are put together', () => {
    const night = { from: NOON - 10 * HOUR, to: NOON };
    expect(intervalOf(night)).toBe('minute');
    const columns = columnsOf(night, 'minute', 120);
    expect(columns.starts.length).toBeLessThanOrEqual(121);
    const counts = [0, 1, 5].map((minute) => ({ at: new Date(night.from + minute * 60_000).toISOString(), count: 2 }));
    expect(summed(counts, columns).slice(0, 2)).toEqual([4, 2]);
    expect(columnsOf(night, 'minute', 45)).toMatchObject({ step: 15 * 60_000 });
    expect(columnsOf({ from: NOON - 168 * HOUR, to: NOON }, 'hour', 45)).toMatchObject({ step: 6 * HOUR });
  });

  it('is labelled at round times, away from the edges', () => {
    const clock = (ticks: readonly number[]) => ticks.map((tick) => new Date(tick).toTimeString().slice(0, 5));
    const night = { from: at('2026-11-14T22:00:00'), to: at('2026-11-15T02:04:00') };
    expect(clock(ticksOf(night, 8))).toEqual(['23:00', '00:00', '01:00']);
    expect(clock(ticksOf(night, 4))).toEqual(['00:00']);
    const week = { from: at('2026-11-08T12:00:00'), to: NOON };
    expect(ticksOf(week, 8).map((tick) => new Date(tick).getDate())).toEqual([9, 10, 11, 12, 13, 14, 15]);
    expect(new Set(clock(ticksOf(week, 8)))).toEqual(new Set(['00:00']));
  });
});
