import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { idOf, newId, readId, tailOf } from './ids.ts';

const time = fc.integer({ min: 0, max: 2 ** 48 - 1 });
const tail = fc.uint8Array({ minLength: 10, maxLength: 10 }).map(tailOf);

describe('ids', () => {
  it('say what they name, and are all of one length', () => {
    expect(newId('rule', new Date('2026-11-15T08:30:00Z'))).toMatch(/^rule_[0-9a-hjkmnp-tv-z]{26}$/);
  });

  it('are not the same twice', () => {
    const now = new Date();
    expect(new Set(Array.from({ length: 1000 }, () => newId('key', now))).size).toBe(1000);
  });

  it('sort by time', () => {
    fc.assert(
      fc.property(time, time, tail, tail, (earlier, later, one, other) => {
        fc.pre(earlier < later);
        expect(idOf('match', earlier, one) < idOf('match', later, other)).toBe(true);
      }),
    );
  });

  it('give back their time and tail', () => {
    fc.assert(
      fc.property(time, tail, (at, end) => {
        expect(readId('match', idOf('match', at, end))).toEqual({ time: at, tail: end });
      }),
    );
  });

  it('keep all bits of the tail', () => {
    expect(tailOf(new Uint8Array(10))).toBe('0000000000000000');
    expect(tailOf(new Uint8Array(10).fill(255))).toBe('zzzzzzzzzzzzzzzz');
    expect(tailOf(Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10))).toBe('041061050r3gg28a');
  });

  it.each(['', 'match_', 'rule_0000000000000000000000000', 'match_00000000u00000000000000000'])('refuse %j', (id) => {
    expect(readId('match', id)).toBeUndefined();
  });
});
