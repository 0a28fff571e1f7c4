import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../test/stages/fake-clock.ts';
import { createPaceMeter } from './pace.ts';

describe('the pace of a source', () => {
  /** Minutes of (arrivals, events), and what is said at the end. */
  function paceAfter(...minutes: readonly (readonly [number, number])[]) {
    const clock = fakeClock();
    const meter = createPaceMeter(clock);
    for (const [arrivals, events] of minutes) {
      if (arrivals > 0) meter.add(arrivals, events);
      clock.jump(60_000);
    }
    return meter.figures();
  }
  const hour = (events: number) => Array.from({ length: 60 }, () => [events, events] as const);

  it('is unknown at first, and then usual', () => {
    expect(paceAfter([90, 90], [90, 90])).toEqual({ pace: 'unknown', usualPerMinute: undefined });
    expect(paceAfter(...hour(90))).toEqual({ pace: 'usual', usualPerMinute: 90 });
  });

  it('tells silence from blindness, and both from slowness', () => {
    expect(paceAfter(...hour(90), [0, 0]).pace).toBe('silent');
    expect(paceAfter(...hour(90), [40, 0]).pace).toBe('blind');
    expect(paceAfter(...hour(90), [40, 20]).pace).toBe('slow');
    expect(paceAfter(...hour(90), [40, 30]).pace).toBe('usual');
  });

  it('takes nothing from a source that brings little by nature', () => {
    expect(paceAfter(...hour(3), [0, 0])).toEqual({ pace: 'usual', usualPerMinute: 3 });
  });

  it('keeps an hour, however long nothing happened', () => {
    const clock = fakeClock();
    const meter = createPaceMeter(clock);
    meter.add(90, 90);
    clock.jump(365 * 24 * 3_600_000);
    expect(meter.figures()).toEqual({ pace: 'usual', usualPerMinute: 0 });
  });
});
