import { describe, expect, it } from 'vitest';
import { Numbers } from './fields.ts';

describe('numbers', () => {
  it('are handed out from the first on, those given back first, and begin anew when none is in use', () => {
    const numbers = new Numbers(10);
    expect([numbers.take(), numbers.take(), numbers.take()]).toEqual([10, 11, 12]);
    expect([numbers.inUse, numbers.end]).toEqual([3, 13]);
    numbers.give(11);
    expect([numbers.inUse, numbers.end]).toEqual([2, 13]);
    expect([numbers.take(), numbers.take()]).toEqual([11, 13]);
    for (const number of [10, 11, 12, 13]) numbers.give(number);
    expect([numbers.inUse, numbers.end, numbers.take()]).toEqual([0, 10, 10]);
    expect(new Numbers().take()).toBe(0);
  });

  it('are restored: those below the end that are not used are handed out first, the lowest first', () => {
    const numbers = new Numbers(10);
    for (let taken = 0; taken < 3; taken++) numbers.take();
    numbers.give(11);
    const used = new Set([10, 13]);
    numbers.restore(15, (number) => used.has(number));
    expect([numbers.inUse, numbers.end]).toEqual([2, 15]);
    expect(Array.from({ length: 4 }, () => numbers.take())).toEqual([11, 12, 14, 15]);
    numbers.restore(10, () => true);
    expect([numbers.inUse, numbers.end, numbers.take()]).toEqual([0, 10, 10]);
  });
});
