import { describe, expect, it } from 'vitest';
import { CoreMemory, ROOT } from './core-memory.ts';

const HOST = { decide: () => 0, takeResults: () => {}, leave: () => {} };
const MIB = 1024 * 1024;

describe('the memory of a core', () => {
  it('is grown ahead of need until there is room for 4 MiB, and then left alone', () => {
    const memory = new CoreMemory(HOST, 7);
    const size = () => memory.shared.buffer.byteLength;
    expect(size()).toBeLessThan(4 * MIB);
    memory.growAhead();
    const grown = size();
    expect(grown - memory.bytes).toBeGreaterThanOrEqual(4 * MIB);
    expect(grown).toBeLessThan(7 * MIB);
    memory.growAhead();
    expect(size()).toBe(grown);
  });

  it('is seen as far as it is used after it has grown, with what was in it', () => {
    const memory = new CoreMemory(HOST, 7);
    const { i32, u8, results } = memory;
    const first = (memory.exports.reserveInput(16) >> 2) + 1;
    memory.i32[first] = 0x01020304;
    results[0] = 9;
    const place = memory.exports.reserveInput(3 * MIB) >> 2;
    const last = place + (3 * MIB) / 4 - 1;
    memory.i32[last] = 7;
    expect([memory.i32[first], memory.u8[first * 4], memory.i32[last], memory.u8[last * 4]]).toEqual([
      0x01020304, 4, 7, 7,
    ]);
    // Shared memory grows in its place, and what was handed out earlier is still of it.
    i32[first] = 5;
    expect([memory.i32[first], u8[first * 4], memory.results[0], memory.results === results]).toEqual([5, 5, 9, true]);
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
