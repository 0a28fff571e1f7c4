import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../test/stages/fake-clock.ts';
import { createMinuteRing } from './source-status.ts';

describe('events of the last minute', () => {
  it('are those of the last 60 seconds', () => {
    const clock = fakeClock();
    const ring = createMinuteRing(clock);
    ring.add(5);
    clock.jump(30_000);
    ring.add(2);
    expect(ring.sum()).toBe(7);
    clock.jump(29_999);
    expect(ring.sum()).toBe(7);
    clock.jump(1);
    expect(ring.sum()).toBe(2);
    clock.jump(60_000);
    expect(ring.sum()).toBe(0);
  });

  it('take 60 places and 60 steps to count, after a minute as after a night', () => {
    const clock = fakeClock();
    const ring = createMinuteRing(clock);
    for (let batch = 0; batch < 100_000; batch++) {
      ring.add(1);
      clock.jump(100);
    }
    expect([ring.places.length, ring.sum()]).toEqual([60, 590]);
  });
});
