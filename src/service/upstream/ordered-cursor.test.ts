import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Arrival } from '../../platforms/platform.ts';
import { createOrderedCursor, type HeldArrival } from './ordered-cursor.ts';

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
  return { arrival, doubted: [], unknown: ['u'], until: 0 };
};

describe('the ordered cursor of a stream', () => {
  it('never lets the cursor pass what waits, and moves it on when nothing does', () => {
    const step = fc.record({ waits: fc.boolean(), settle: fc.nat({ max: 3 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const order = createOrderedCursor();
        const waiting: { number: number; held: HeldArrival }[] = [];
        let reached = -1;
        const look = () => {
          reached = Number(order.reached()?.cursor ?? reached);
          const first = waiting[0]?.number ?? Number.POSITIVE_INFINITY;
          expect(reached).toBeLessThan(first);
          return first;
        };
        for (const [number, { waits, settle }] of steps.entries()) {
          const held = heldOf(String(number));
          order.pass({ cursor: String(number), through: AT }, waits ? held : undefined);
          if (waits) waiting.push({ number, held });
          expect(reached).toBeLessThanOrEqual(number);
          expect(Math.min(look() - 1, number)).toBe(reached);
          const done = waiting.splice(settle % (waiting.length + 1), 1);
          order.release(new Set(done.map((one) => one.held)));
          expect(Math.min(look() - 1, number)).toBe(reached);
        }
        order.release(new Set(order.held));
        waiting.length = 0;
        look();
        expect(reached).toBe(steps.length - 1);
      }),
    );
  });

  it('says how many must go when too many wait', () => {
    const order = createOrderedCursor();
    for (let number = 0; number < 5_003; number++)
      order.pass({ cursor: String(number), through: AT }, heldOf(String(number)));
    expect(order.excess).toBe(3);
    order.release(new Set(order.held.slice(0, 3)));
    expect(order.excess).toBe(0);
    expect(order.reached()?.cursor).toBe('2');
  });
});
