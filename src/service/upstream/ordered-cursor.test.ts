import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Arrival } from '../../platforms/platform.ts';
import { createLine, type HeldArrival } from './ordered-cursor.ts';

const AT = new Date('2026-11-15T08:00:00Z');
const heldOf = (postId: string): HeldArrival => {
  const arrival: Arrival = {
    kind: 'arrival',
    postId,
    payload: {},
    cursor: postId,
    verdicts: ['u'],
    at: AT,
    through: AT,
  };
  return { arrival, unknown: ['u'], until: 0 };
};

describe('the line of a stream', () => {
  it('never lets the cursor pass what waits, and moves it on when nothing does', () => {
    const step = fc.record({ waits: fc.boolean(), settle: fc.nat({ max: 3 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const line = createLine();
        const waiting: { number: number; held: HeldArrival }[] = [];
        let reached = -1;
        const look = () => {
          reached = Number(line.reached()?.cursor ?? reached);
          const first = waiting[0]?.number ?? Number.POSITIVE_INFINITY;
          expect(reached).toBeLessThan(first);
          return first;
        };
        for (const [number, { waits, settle }] of steps.entries()) {
          const held = heldOf(String(number));
          line.pass({ cursor: String(number), at: AT }, waits ? held : undefined);
          if (waits) waiting.push({ number, held });
          expect(reached).toBeLessThanOrEqual(number);
          expect(Math.min(look() - 1, number)).toBe(reached);
          const done = waiting.splice(settle % (waiting.length + 1), 1);
          line.settle(new Set(done.map((one) => one.held)));
          expect(Math.min(look() - 1, number)).toBe(reached);
        }
        line.settle(new Set(line.held));
        waiting.length = 0;
        look();
        expect(reached).toBe(steps.length - 1);
      }),
    );
  });

  it('says how many must go when too many wait', () => {
    const line = createLine();
    for (let number = 0; number < 5_003; number++)
      line.pass({ cursor: String(number), at: AT }, heldOf(String(number)));
    expect(line.excess).toBe(3);
    line.settle(new Set(line.held.slice(0, 3)));
    expect(line.excess).toBe(0);
    expect(line.reached()?.cursor).toBe('2');
  });
});
