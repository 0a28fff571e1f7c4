import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { RuleTable } from './rule-table.ts';

describe('the table of rules', () => {
  it('knows every rule by its id and its number, whatever comes and goes', () => {
    const step = fc.record({ removes: fc.boolean(), which: fc.nat(), many: fc.constantFrom(1, 5, 400) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const table = new RuleTable();
        const held = new Map<string, { number: number; program: number }>();
        let next = 0;
        const removed: number[] = [];
        for (const { removes, which, many } of steps) {
          for (let one = 0; one < many; one++) {
            const ids = removes ? [...held.keys()] : [];
            const id = ids[(which + one) % Math.max(ids.length, 1)];
            if (id !== undefined) {
              table.remove(held.get(id)!.number);
              held.delete(id);
              removed.push(table.numberOf(id));
            } else if (!removes) {
              const name = `rule_${++next}`;
              const number = many === 400 ? table.append(name, next * 3) : table.add(name, next * 3);
              held.set(name, { number, program: next * 3 });
            }
          }
        }
        expect(new Set([-1, ...removed])).toEqual(new Set([-1]));
        expect(table.size).toBe(held.size);
        for (const [id, { number, program }] of held) {
          expect([table.numberOf(id), table.idOf(number), table.programOf(number)]).toEqual([number, id, program]);
          expect(number).toBeLessThan(table.end);
        }
        const numbers = Int32Array.from(held.values(), ({ number }) => number);
        expect(table.idsOf(numbers, numbers.length)).toEqual([...held.keys()]);
        expect(table.idsOf(numbers, Math.min(2, numbers.length))).toEqual([...held.keys()].slice(0, 2));
      }),
      { numRuns: 30 },
    );
  });

  it('gives the number of a rule that is gone to the next one, and its program to nobody', () => {
    const table = new RuleTable();
    const number = table.add('a', 5);
    table.add('b', 6);
    table.remove(number);
    expect([table.programOf(number), table.size, table.end]).toEqual([0, 1, 2]);
    expect(table.add('c', 7)).toBe(number);
    expect([table.programOf(number), table.numberOf('a'), table.end]).toEqual([7, -1, 2]);
  });

  it('takes memory in proportion, and gives it back with the last rule of a segment', () => {
    const table = new RuleTable();
    const empty = table.bytes;
    expect(empty).toBe(256 * 8 * 4);
    const numbers = Array.from({ length: 10_000 }, (_, index) => table.add(`rule_${index}`, 1));
    // Segments are at most three quarters full, and at least three eighths when they have grown.
    expect(table.bytes).toBeGreaterThanOrEqual((10_000 / 0.75) * 4 + 10_000 * 8);
    expect(table.bytes).toBeLessThan((10_000 / 0.37) * 4 + 10_000 * 8 + (1 << 14) * 4 + empty);
    for (const number of numbers) table.remove(number);
    expect(table.bytes).toBe(empty + (1 << 14) * 4);
  });

  it('finds what was added together, in tables that fit, and takes no number twice', () => {
    const [together, each] = [new RuleTable(), new RuleTable()];
    const ids = Array.from({ length: 10_000 }, (_, index) => `rule_${index}`);
    for (const table of [together, each]) table.remove(table.add('gone', 1));
    for (const [index, id] of ids.entries()) expect(together.append(id, index + 1)).toBe(each.add(id, index + 1));
    expect(together.numberOf('rule_77')).toBe(77);
    expect(together.bytes).toBeLessThan(each.bytes * 1.01);
    expect(ids.every((id, index) => together.numberOf(id) === index)).toBe(true);
    expect([together.numberOf('rule_10000'), together.size]).toEqual([-1, 10_000]);
    const late = new RuleTable();
    const number = late.append('a', 5);
    late.remove(number);
    expect([late.numberOf('a'), late.size, late.append('b', 6)]).toEqual([-1, 0, 0]);
    expect(late.toColumns().slots.filter((slot) => slot !== 0)).toHaveLength(1);
  });

  it('reads no other id than the one that is asked for, but one in thirty', () => {
    const table = new RuleTable();
    for (let index = 0; index < 10_000; index++) table.add(`rule_${index}`, 1);
    const read = vi.spyOn(table, 'idOf');
    for (let index = 0; index < 10_000; index++) table.numberOf(`other_${index}`);
    expect(read.mock.calls.length).toBeLessThan(1_000);
  });

  it('is the same in its columns: ids, programs, and the numbers that are free', () => {
    const table = new RuleTable();
    const ids = Array.from({ length: 1_500 }, (_, index) => `rule_${index}${index % 5 === 0 ? 'é' : ''}`);
    for (const [index, id] of ids.entries()) table.add(id, index + 1);
    for (const number of [7, 1_499]) table.remove(number);
    const columns = table.toColumns();
    expect([columns.programs.length, columns.programs[7], columns.programs[8]]).toEqual([1_500, 0, 9]);
    const restored = new RuleTable();
    restored.restore(columns);
    expect([restored.size, restored.end, restored.bytes]).toEqual([1_498, 1_500, table.bytes]);
    expect(restored.toColumns()).toEqual(columns);
    expect(restored.idsOf(Int32Array.of(5, 8, 5), 3)).toEqual([ids[5], ids[8], ids[5]]);
    for (const [number, id] of ids.entries()) {
      const isGone = number === 7 || number === 1_499;
      expect(restored.numberOf(id)).toBe(isGone ? -1 : number);
      expect(restored.programOf(number)).toBe(isGone ? 0 : number + 1);
    }
    // Half of the ids are read by now, and some are new.
    expect([restored.add('a', 70), restored.add('b', 71), restored.add('c', 72)]).toEqual([7, 1_499, 1_500]);
    const again = new RuleTable();
    again.restore(restored.toColumns());
    expect([again.idOf(7), again.idOf(8), again.numberOf('c'), again.size]).toEqual(['a', ids[8], 1_500, 1_501]);
    for (const id of [...ids.filter((_, index) => index !== 7 && index !== 1_499), 'a', 'b', 'c'])
      again.remove(again.numberOf(id));
    expect([again.size, again.end, again.add('new', 1)]).toEqual([0, 0, 0]);
    expect(again.bytes).toBe(new RuleTable().bytes + (1 << 14) * 4 + 8);
  });
});
