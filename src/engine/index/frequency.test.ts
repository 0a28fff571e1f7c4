import { describe, expect, it } from 'vitest';
import { Frequency, guessShare, shareOf } from './frequency.ts';

/** Events of which every `every`th holds the term. */
function watch(frequency: Frequency, events: number, hash: number, every: number): number {
  let counted = 0;
  for (let event = 0; event < events; event++) {
    if (!frequency.begin()) continue;
    if (counted++ % every === 0) frequency.count(hash);
  }
  return counted;
}

describe('how often a term turns up', () => {
  it('is a guess first, and then what was seen', () => {
    const frequency = new Frequency();
    expect(frequency.share(5, 0.25)).toBe(0.25);
    watch(frequency, 16, 5, 1);
    expect(frequency.share(5, 0.25)).toBe((16 + 4) / 32);
    expect(frequency.share(6, 0.25)).toBe(4 / 32);
    watch(frequency, 4_000, 5, 1);
    expect(frequency.share(5, 0)).toBeGreaterThan(0.99);
  });

  it('never says more than every event', () => {
    expect(shareOf(100, 10, 1)).toBe(1);
  });

  it('is counted in every event up to 4,096, and then in one of 16', () => {
    const frequency = new Frequency();
    expect(watch(frequency, 4_096, 1, 1)).toBe(4_096);
    expect(watch(frequency, 160, 1, 1)).toBe(10);
    expect(frequency.begin()).toBe(false);
  });

  it('fades: after 60,000 counted events the past weighs half', () => {
    const frequency = new Frequency();
    const skipped = (60_000 - 1 - 4_096) * 16;
    watch(frequency, 4_096 + skipped, 9, 2);
    expect(frequency.share(9, 0)).toBeCloseTo(30_000 / 60_015, 5);
    while (!frequency.begin());
    expect(frequency.share(9, 0)).toBeCloseTo(15_000 / 30_016, 5);
    frequency.count(9);
    expect(frequency.share(9, 0)).toBeCloseTo(15_001 / 30_016, 5);
  });

  it('has a bounded counter for each term, and bounded memory', () => {
    const frequency = new Frequency();
    expect(frequency.bytes).toBe(2 * (1 << 17));
    frequency.begin();
    for (let time = 0; time < 70_000; time++) frequency.count(3);
    expect(frequency.share(3, 0)).toBe(1);
    // Hashes that differ in their upper bits share a counter.
    expect(frequency.share(3 + (1 << 17), 0)).toBe(1);
    expect(frequency.share(4, 0)).toBe(0);
  });

  it('is guessed to be less for longer words', () => {
    expect([0, 1, 3].map(guessShare)).toEqual([0.2, 0.1, 0.02]);
  });
});
