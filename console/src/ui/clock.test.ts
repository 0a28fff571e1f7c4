import { afterEach, describe, expect, it, vi } from 'vitest';
import { clock } from './clock.ts';
import { ago, past } from './moment.ts';

const START = Date.parse('2026-11-15T12:00:00Z');
const seconds = (count: number) => new Date(START + count * 1_000).toISOString();

describe('the clock of a page', () => {
  afterEach(() => vi.useRealTimers());

  it('is right again as soon as a time is shown, however long none was', () => {
    vi.useFakeTimers({ now: START });
    clock.subscribe(() => {})();
    vi.advanceTimersByTime(75_000);
    const stop = clock.subscribe(() => {});
    expect(clock.get()).toBe(START + 75_000);
    vi.advanceTimersByTime(10_000);
    expect(clock.get()).toBe(START + 85_000);
    stop();
  });

  it('never puts what has happened into the future', () => {
    expect(past(seconds(45), START)).toBe('just now');
    expect(past(seconds(-75), START)).toBe('1m ago');
    expect(ago(seconds(75), START)).toBe('in 1m');
  });
});
