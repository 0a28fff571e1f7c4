import { describe, expect, it } from 'vitest';
import { guessShare, shareOf } from '../core/core-vocabulary.ts';

describe('the share of events that hold a term', () => {
  it('is a guess first, and then what was seen', () => {
    expect(shareOf(0, 0, 0.25)).toBe(0.25);
    expect(shareOf(16, 16, 0.25)).toBe((16 + 4) / 32);
    expect(shareOf(0, 16, 0.25)).toBe(4 / 32);
    expect(shareOf(4_000, 4_000, 0)).toBeGreaterThan(0.99);
  });

  it('never says more than every event', () => {
    expect(shareOf(100, 10, 1)).toBe(1);
  });

  it('is guessed to be less for longer words', () => {
    expect([0, 1, 3].map(guessShare)).toEqual([0.2, 0.1, 0.02]);
  });
});
