import { describe, expect, it } from 'vitest';
import { doubling, growing, jittered } from './pace.ts';

const waits = (ladder: (failures: number) => number) => [1, 2, 3, 4, 5, 60, 2_000].map(ladder);

describe('a ladder of waits', () => {
  it('doubles up to its most, however many failures there are', () => {
    expect(waits(doubling(1_000, 10_000))).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000, 10_000]);
  });

  it('grows by a step up to its most, and begins without a wait', () => {
    expect(waits(growing(250, 16_000))).toEqual([0, 250, 500, 750, 1_000, 14_750, 16_000]);
  });

  it('gets up to a fifth more, and never less', () => {
    expect([0, 0.5, 1].map((random) => jittered(1_000, () => random))).toEqual([1_000, 1_100, 1_200]);
  });
});
