import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Candidates } from './candidates.ts';
import { Postings } from './postings.ts';

/** Every term there is. */
const ALL = new Int32Array(4).fill(-1);

function rulesIn(postings: Postings, head: number, bits = ALL): number[] {
  const candidates = new Candidates();
  candidates.gather(postings.arena, head, bits);
  return [...candidates.entries.subarray(0, candidates.count)];
}

const sorted = (numbers: readonly number[]): number[] => numbers.toSorted((a, b) => a - b);

describe('postings', () => {
  it('hold what was added and not removed, in lists of any length', () => {
    const step = fc.record({
      list: fc.nat(2),
      removes: fc.boolean(),
      which: fc.nat(),
      many: fc.constantFrom(1, 3, 700),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const postings = new Postings();
        const heads = [0, 0, 0];
        const held: number[][] = [[], [], []];
        let next = 1;
        for (const { list, removes, which, many } of steps) {
          const mine = held[list]!;
          for (let one = 0; one < many; one++) {
            if (!removes) {
              heads[list] = postings.add(heads[list]!, next, [0, 0]);
              mine.push(next++);
            } else if (mine.length > 0) {
              const [rule] = mine.splice((which + one) % mine.length, 1);
              heads[list] = postings.remove(heads[list]!, rule!, -rule!);
            }
          }
        }
        for (const [list, rules] of held.entries())
          expect(sorted(rulesIn(postings, heads[list]!))).toEqual(sorted(rules));
        for (const [list, rules] of held.entries()) {
          for (const rule of rules) heads[list] = postings.remove(heads[list]!, rule, -rule);
        }
        expect([heads, postings.arena.used]).toEqual([[0, 0, 0], 0]);
      }),
      { numRuns: 40 },
    );
  });

  it('put a block of 1,024 entries behind a new one, so that no list is too long to be added to', () => {
    const postings = new Postings();
    let head = 0;
    for (let rule = 1; rule <= 1_024; rule++) head = postings.add(head, rule, [0, 0]);
    const full = head;
    const { used } = postings.arena;
    head = postings.add(head, 1_025, [0, 0]);
    expect(head).not.toBe(full);
    expect(postings.arena.used - used).toBe(2 + 3);
    expect(postings.remove(head, 1_025, -1)).toBe(full);
    expect(postings.arena.used).toBe(used);
  });

  it('take room for the next power of two', () => {
    const postings = new Postings();
    const used: number[] = [];
    let head = 0;
    for (let rule = 1; rule <= 9; rule++) {
      head = postings.add(head, rule, [0, 0]);
      used.push(postings.arena.used);
    }
    // Above 32 integers the arena rounds up.
    expect(used).toEqual([5, 8, 14, 14, 26, 26, 26, 26, 56]);
  });

  it('are removed in either of their forms', () => {
    const postings = new Postings();
    let head = postings.add(postings.add(0, 7, [0, 0]), ~9, [0, 0]);
    head = postings.remove(head, 4, ~9);
    expect(rulesIn(postings, head)).toEqual([7]);
    expect(() => postings.remove(head, 8, ~8)).toThrow('not among the postings');
  });

  it('let through what their witnesses allow: terms that must be there, and terms that must not', () => {
    const postings = new Postings();
    const [present, absent] = [37, 70];
    const bits = new Int32Array(4);
    bits[0] = 1;
    bits[present >>> 5]! |= 1 << (present & 31);
    const witnesses: [number, number][] = [
      [0, 0],
      [present, 0],
      [0, absent],
      [~absent, present],
      [~present, 0],
      [0, ~present],
      [~absent, ~absent],
      [absent, present],
    ];
    let head = 0;
    for (const [index, pair] of witnesses.entries()) head = postings.add(head, index + 1, pair);
    expect(rulesIn(postings, head, bits)).toEqual([1, 2, 4, 7]);
  });

  it('are gathered from several lists into one, however many they are', () => {
    const postings = new Postings();
    let [one, two] = [0, 0];
    for (let rule = 0; rule < 1_500; rule++) one = postings.add(one, rule, [0, 0]);
    for (let rule = 1_500; rule < 5_000; rule++) two = postings.add(two, rule, [0, 0]);
    const candidates = new Candidates();
    candidates.gather(postings.arena, one, ALL);
    candidates.gather(postings.arena, two, ALL);
    const all = [...candidates.entries.subarray(0, candidates.count)];
    expect(sorted(all)).toEqual(Array.from({ length: 5_000 }, (_, rule) => rule));
  });
});
