import { describe, expect, it } from 'vitest';
import { CoreMemory, ROOT } from './core-memory.ts';

const HOST = { decide: () => 0, takeResults: () => {}, leave: () => {} };
const MIB = 1024 * 1024;

describe('the memory of a core', () => {
  it('is grown ahead of need until there is room for 4 MiB, and then left alone', () => {
    const memory = new CoreMemory(HOST, 7);
    expect(memory.u8.length).toBeLessThan(4 * MIB);
    memory.growAhead();
    const { length } = memory.u8;
    expect(length - memory.bytes).toBeGreaterThanOrEqual(4 * MIB);
    expect(length).toBeLessThan(7 * MIB);
    memory.growAhead();
    expect([memory.u8.length, memory.i32.length]).toEqual([length, length / 4]);
  });

  it('is seen whole after it has grown, with what was in it', () => {
    const memory = new CoreMemory(HOST, 7);
    const { i32, u8, results } = memory;
    const place = memory.exports.reserveInput(16) >> 2;
    memory.i32[place] = 0x01020304;
    results[0] = 9;
    memory.reserveRule(100_000);
    expect([i32.length, u8.length, results.length]).toEqual([0, 0, 0]);
    expect([memory.i32[place], memory.u8[place * 4], memory.results[0]]).toEqual([0x01020304, 4, 9]);
    expect([memory.i32.length * 4, memory.results.length]).toEqual([memory.u8.length, 16_384]);
  });

  it('refuses a rule that there is no room for, and stays as it was', () => {
    const memory = new CoreMemory(HOST, 7);
    const { bytes } = memory;
    expect(() => memory.reserveRule(2 ** 25)).toThrow('the rules need more memory than there is');
    expect(memory.bytes).toBe(bytes);
    memory.reserveRule(1);
  });

  it('becomes that of another core, of its length and no other', async () => {
    const first = new CoreMemory(HOST, 7);
    first.exports.reserveInput(3 * MIB);
    const copy = Buffer.from(first.u8.subarray(0, first.bytes));
    const second = new CoreMemory(HOST, 8);
    expect(second.bytes).toBeLessThan(first.bytes);
    await second.restore(copy.length, async (target) => {
      expect(target).toHaveLength(copy.length);
      target.set(copy);
    });
    expect([second.bytes, second.u8.subarray(0, copy.length).equals(copy)]).toEqual([copy.length, true]);
    await expect(
      new CoreMemory(HOST, 8).restore(copy.length - 4, async (target) => {
        target.set(copy.subarray(0, copy.length - 4));
      }),
    ).rejects.toThrow('the memory is of another length');
    await expect(new CoreMemory(HOST, 8).restore(3 * 2 ** 30, async () => {})).rejects.toThrow(
      'more memory than there is',
    );
    expect(second.i32[ROOT.top]).toBe(copy.length);
  });
});
