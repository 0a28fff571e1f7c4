import { describe, expect, it } from 'vitest';
import { IntList } from './rule-table.ts';

describe('a list of integers', () => {
  it('holds what was set, page by page, and takes room for the pages that it needs', () => {
    const list = new IntList();
    const page = 1 << 14;
    expect(list.bytes).toBe(0);
    for (const index of [0, 1, page - 1, page, 3 * page + 5]) list.set(index, index * 7);
    expect([0, 1, 2, page - 1, page, 3 * page + 5].map((index) => list.at(index))).toEqual([
      0,
      7,
      0,
      7 * (page - 1),
      7 * page,
      7 * (3 * page + 5),
    ]);
    expect(list.bytes).toBe(4 * page * 4);
  });

  it('is an array and back, of whole pages and of parts', () => {
    const page = 1 << 14;
    for (const length of [0, 1, page - 1, page, page + 1, 2 * page]) {
      const values = Int32Array.from({ length }, (_, index) => index * 3 + 1);
      const list = new IntList();
      list.restore(values);
      expect([list.toArray(length), list.bytes]).toEqual([values, Math.ceil(length / page) * page * 4]);
      expect(values.findIndex((value, index) => list.at(index) !== value)).toBe(-1);
      list.set(length, 7);
      expect(list.toArray(length + 1)).toEqual(Int32Array.of(...values, 7));
    }
  });
});
