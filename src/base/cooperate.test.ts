import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createTurns } from './cooperate.ts';

describe('turns', () => {
  it('let one of several callers go on in each turn of the event loop, in the order in which they paused', async () => {
    const pause = createTurns(1);
    const seen: string[] = [];
    const caller = async (name: string): Promise<void> => {
      for (let slice = 0; slice < 3; slice++) {
        await pause(1);
        seen.push(name);
      }
    };
    const all = Promise.all(['a', 'b', 'c'].map(caller));
    const turns: number[] = [];
    while (seen.length < 9) {
      await setImmediate();
      turns.push(seen.length);
    }
    await all;
    expect(seen.join('')).toBe('abcabcabc');
    // No turn saw two of them go on.
    expect(turns.map((count, index) => count - (turns[index - 1] ?? 0)).filter((more) => more > 1)).toEqual([]);
  });

  it('do not pause before a slice is full', () => {
    const pause = createTurns(10);
    expect([pause(9), pause(0)]).toEqual([undefined, undefined]);
    expect(pause(1)).toBeInstanceOf(Promise);
  });
});
