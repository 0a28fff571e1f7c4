import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Arena, chunkOf, IntList, Numbers, offsetOf } from './arena.ts';

const CHUNK = 1 << 18;

/** The block as a view into its chunk. */
const blockAt = (arena: Arena, ref: number, size: number): Int32Array =>
  arena.chunks[chunkOf(ref)]!.subarray(offsetOf(ref), offsetOf(ref) + size);

describe('an arena', () => {
  it('gives every block room of its own, whatever is taken and given back', () => {
    const size = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 5_000 }), fc.constant(140_000));
    const step = fc.record({ size, gives: fc.boolean(), which: fc.nat() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const arena = new Arena();
        const held: { ref: number; size: number; mark: number }[] = [];
        for (const [mark, { size: wanted, gives, which }] of steps.entries()) {
          if (gives && held.length > 0) {
            const [one] = held.splice(which % held.length, 1);
            arena.give(one!.ref, one!.size);
          } else {
            const ref = arena.take(wanted);
            expect(ref).not.toBe(0);
            blockAt(arena, ref, wanted).fill(mark + 1);
            held.push({ ref, size: wanted, mark: mark + 1 });
          }
        }
        for (const one of held) {
          const block = blockAt(arena, one.ref, one.size);
          expect([block.length, block.every((value) => value === one.mark)]).toEqual([one.size, true]);
        }
        for (const one of held) arena.give(one.ref, one.size);
        expect([arena.used, arena.bytes]).toEqual([0, 0]);
      }),
      { numRuns: 60 },
    );
  });

  it('hands out a freed block again to the next that needs its size, the last one first', () => {
    const arena = new Arena();
    arena.take(2);
    const [one, two] = [arena.take(10), arena.take(10)];
    arena.give(one, 10);
    arena.give(two, 10);
    expect([arena.take(10), arena.take(10)]).toEqual([two, one]);
    expect(arena.take(10)).not.toBe(one);
  });

  it('counts what it has handed out: exactly up to 32 integers, in steps of an eighth to a quarter above', () => {
    const room = (size: number): number => {
      const arena = new Arena();
      arena.take(size);
      return arena.used;
    };
    expect([1, 2, 3, 31, 32, 33, 40, 41, 64, 65, 80, 81, 1_000, 1_024, 1_025].map(room)).toEqual([
      2, 2, 3, 31, 32, 40, 40, 48, 64, 80, 80, 96, 1_024, 1_024, 1_280,
    ]);
  });

  it('begins with a small chunk, goes on with large ones, and gives the largest blocks one of their own', () => {
    const arena = new Arena();
    const first = arena.take(10);
    expect([first, arena.bytes]).toEqual([2, 4 << 15]);
    const own = arena.take(CHUNK / 2 + 1);
    expect(arena.chunks[chunkOf(own)]!.length - offsetOf(own)).toBe(arena.used - 10);
    arena.take(CHUNK / 2);
    expect(arena.chunks.map(({ length }) => length)).toEqual([1 << 15, (CHUNK / 8) * 5 + 2, CHUNK]);
    arena.give(own, CHUNK / 2 + 1);
    expect(arena.chunks[chunkOf(own)]!.length).toBe(0);
    expect(chunkOf(arena.take(CHUNK))).toBe(chunkOf(own));
    const large = new Arena();
    large.take(1 << 15);
    expect(large.bytes).toBe(4 * CHUNK);
  });

  it('hands out what is left of a chunk that is too full for the next block', () => {
    const arena = new Arena();
    // The first chunk has 32,768 integers, of which the first two are never handed out.
    for (let block = 0; block < 1_023; block++) expect(chunkOf(arena.take(32))).toBe(0);
    expect(chunkOf(arena.take(32))).toBe(1);
    const rest = arena.take(30);
    expect([chunkOf(rest), offsetOf(rest)]).toEqual([0, (1 << 15) - 30]);
  });
});

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
      for (const [index, value] of values.entries()) if (list.at(index) !== value) expect(index).toBe(value);
      list.set(length, 7);
      expect(list.toArray(length + 1)).toEqual(Int32Array.of(...values, 7));
    }
  });
});

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
