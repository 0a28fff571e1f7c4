import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createTurns, onceNextTurn, piecesOf, unhurried } from './cooperate.ts';

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

describe('going through small things', () => {
  const turnsFor = async (items: readonly string[], piecesIn?: (item: string) => number): Promise<number> => {
    let [turns, isOver] = [0, false];
    const counted = (async () => {
      for (; !isOver; turns++) await setImmediate();
    })();
    for await (const _ of unhurried(items, piecesIn));
    isOver = true;
    await counted;
    return turns;
  };

  it('lets everything else run after every few of them', async () => {
    const few = await turnsFor(Array.from({ length: 10 }, () => ''));
    expect(await turnsFor(Array.from({ length: 160 }, () => ''))).toBeGreaterThanOrEqual(few + 9);
  });

  it('does so more often where texts are long, and never for what counts as nothing', async () => {
    const long = Array.from({ length: 10 }, () => 'x'.repeat(64 * 1024));
    const none = await turnsFor(long, () => 0);
    expect(await turnsFor(long, piecesOf)).toBeGreaterThanOrEqual(none + 9);
  });
});

it('does once in the next turn what is asked for several times in this one', async () => {
  let done = 0;
  const soon = onceNextTurn(() => void done++);
  soon();
  soon();
  expect(done).toBe(0);
  await setImmediate();
  expect(done).toBe(1);
  soon();
  await setImmediate();
  expect(done).toBe(2);
});
