import { describe, expect, it } from 'vitest';
import { createSlots } from './claims.ts';

/** Takes slots until none is free, and answers how many there were. */
const fill = (slots: ReturnType<typeof createSlots>, name: string, isFailing: boolean): number => {
  let taken = 0;
  while (slots.take(`${name} ${taken}`, name, isFailing)) taken++;
  return taken;
};

describe('slots for deliveries', () => {
  it('are 64, of which failing webhooks take half at most', () => {
    const slots = createSlots();
    expect(fill(slots, 'failing', true)).toBe(32);
    expect(fill(slots, 'healthy', false)).toBe(32);
    expect([slots.countOf('failing'), slots.countOf('healthy')]).toEqual([32, 32]);
    expect(fill(createSlots(), 'healthy', false)).toBe(64);
  });

  it('are given back, with the names of the webhooks that found none', () => {
    const slots = createSlots();
    fill(slots, 'failing', true);
    expect(slots.take('other', 'other failing', true)).toBe(false);
    expect(slots.free('failing 0').toSorted()).toEqual(['failing', 'other failing']);
    expect([slots.has('failing 0'), slots.countOf('failing')]).toEqual([false, 31]);
    expect(slots.take('other', 'other failing', true)).toBe(true);
    expect(slots.free('other')).toEqual([]);
    expect(slots.countOf('other failing')).toBe(0);
  });
});
