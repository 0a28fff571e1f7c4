import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRing, type LiveFrame, surplusOf } from './ring.ts';

const frame = (position: number, size: number): LiveFrame => ({
  position,
  platform: 'x',
  ruleId: 'rule_1',
  bytes: Buffer.alloc(size),
});

describe('the ring of frames', () => {
  it('keeps a lone frame however large it is', () => {
    const ring = createRing(0);
    ring.push([frame(3, 1_500_000)], 3);
    expect([ring.start, ring.end, ring.next, ring.at(0)?.position]).toEqual([0, 3, 1, 3]);
    ring.push([frame(6, 10)], 6);
    expect([ring.start, ring.end, ring.next, ring.at(0)]).toEqual([3, 6, 2, undefined]);
  });

  it('drops the oldest frames, and only as many as it must', () => {
    const frames = [400, 400, 400, 100].map((size, at) => frame(at, size));
    expect(surplusOf(frames, 1_000, 500)).toBe(0);
    expect(surplusOf(frames, 1_300, 500)).toBe(2);
    expect(surplusOf([frame(0, 9_000)], 9_000, 500)).toBe(0);
  });

  it('holds everything between its start and its end, whatever is pushed', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 700_000 }), { maxLength: 30 });
    fc.assert(
      fc.property(sizes, (pushed) => {
        const ring = createRing(0);
        for (const [at, size] of pushed.entries()) ring.push([frame(at + 1, size)], at + 1);
        const first = ring.numberAfter(ring.start);
        const held = Array.from({ length: ring.next - first }, (_, at) => ring.at(first + at)?.position);
        expect(held).toEqual(Array.from({ length: ring.end - ring.start }, (_, at) => ring.start + 1 + at));
      }),
    );
  });
});
