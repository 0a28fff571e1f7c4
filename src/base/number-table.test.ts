import { describe, expect, it } from 'vitest';
import { randomFrom } from '../../bench/random.ts';
import { NumberTable } from './number-table.ts';

const SEED = Number(process.env['PROPERTY_SEED'] ?? 20_261_116);
const MOST = Number.MAX_SAFE_INTEGER;

describe('a table of numbers', () => {
  it.each([
    // Few keys come and go again; those of all sizes; those that follow each other, as positions do; those that differ in high bits alone.
    { kind: 'few', keyOf: (random: number) => Math.floor(random * 100) },
    { kind: 'any', keyOf: (random: number) => Math.floor(random ** 4 * MOST) },
    { kind: 'in a row', keyOf: (random: number) => 7_317_913_600_000_000 + Math.floor(random * 1_000) },
    { kind: 'high', keyOf: (random: number) => Math.floor(random * 1_000) * 2 ** 32 },
  ])('holds what a map holds, whatever came and went: $kind', ({ keyOf }) => {
    const random = randomFrom(SEED);
    const [table, map] = [new NumberTable(), new Map<number, number>()];
    for (let step = 1; step <= 20_000; step++) {
      const key = keyOf(random());
      if (random() < 0.55) {
        table.set(key, step);
        map.set(key, step);
      } else {
        table.delete(key);
        map.delete(key);
      }
      const asked = keyOf(random());
      expect(table.get(asked)).toBe(map.get(asked) ?? 0);
    }
    for (const [key, value] of map) expect(table.get(key)).toBe(value);
  });
});
