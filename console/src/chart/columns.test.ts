import { describe, expect, it } from 'vitest';
import { legendOf } from './chart.tsx';
import { isolated, scaleOf, selected, stacked, topOf } from './columns.ts';

const MINUTE = 60_000;
const times = [0, 1, 2, 3, 4].map((minute) => minute * MINUTE);

it('the scale ends at a round number, and no column above it', () => {
  expect([0, 3, 4, 5, 13, 84, 95, 100, 101, 1_234].map(topOf)).toEqual([4, 4, 4, 5, 15, 100, 100, 100, 150, 1_500]);
});

describe('columns over time', () => {
  it('are selected by their middles, and by nothing before them', () => {
    expect(selected(times, 1.5 * MINUTE, 2.5 * MINUTE)).toEqual({ from: MINUTE, to: 3 * MINUTE });
    expect(selected(times, 2.1 * MINUTE, 2.9 * MINUTE)).toEqual({ from: 2 * MINUTE, to: 3 * MINUTE });
    expect(selected(times, -MINUTE, 9 * MINUTE)).toEqual({ from: 0, to: 5 * MINUTE });
  });

  it('have room for the whole of the last one', () => {
    expect(scaleOf(times)).toEqual({ from: 0, to: 5 * MINUTE });
  });

  it('stand on each other, an unknown number is not zero, and what adds nothing is not painted', () => {
    const series = [
      { name: 'a', colour: 'accent' as const, values: [1, null, 3] },
      { name: 'b', colour: 'second' as const, values: [2, null, 0] },
      { name: 'c', colour: 'third' as const, values: [4, null, 1] },
    ];
    expect(stacked(series)).toEqual([
      [1, null, 3],
      [3, null, null],
      [7, null, 4],
    ]);
  });

  it('are named with their total, until one is pointed at', () => {
    expect(legendOf('columns', { values: [1, 2, 4] }, undefined)).toBe('7');
    expect(legendOf('columns', { values: [1, 2, 4] }, 1)).toBe('2');
    expect(legendOf('line', { values: [1, 2, null] }, undefined)).toBe('unknown');
    expect(legendOf('line', { values: [1, 2, null], unit: 'ms' }, undefined)).toBe('2 ms');
    expect(legendOf('line', { values: [1, 2, null], unit: 'ms' }, 2)).toBe('unknown');
  });

  it('show a number that stands alone as a point, because a line through it cannot be seen', () => {
    expect(isolated([null, 84, null, 1, 2, undefined, 3])).toEqual([1, 6]);
    expect(isolated([5])).toEqual([0]);
    expect(isolated([1, 2, 3])).toEqual([]);
  });
});
