import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createTurns } from '../../base/cooperate.ts';
import { oneInEachTurn } from './group-commit.ts';

/** A queue with room for some, and a wait for each who finds none. */
function stage(room: number) {
  let waiting: (() => void)[] = [];
  const queue = { room };
  const turns = createTurns(1);
  const spaceFree = oneInEachTurn(
    () => (queue.room > 0 ? undefined : new Promise<void>((resolve) => void waiting.push(resolve))),
    () => turns(1),
  );
  const free = (places: number): void => {
    queue.room += places;
    const resumed = waiting;
    waiting = [];
    for (const resume of resumed) resume();
  };
  return { queue, spaceFree, free };
}

describe('space in the queue', () => {
  it('is taken at once where there is some', () => {
    expect(stage(1).spaceFree()).toBeUndefined();
  });

  it('is taken by one of those who wait in each turn, and by no more than there is space for', async () => {
    const { queue, spaceFree, free } = stage(0);
    const taken: string[] = [];
    const push = async (name: string): Promise<void> => {
      await spaceFree();
      queue.room--;
      taken.push(name);
    };
    const all = Promise.all(['a', 'b', 'c', 'd'].map(push));
    free(3);
    const perTurn: number[] = [];
    for (let turn = 0; turn < 12; turn++) {
      const before = taken.length;
      await setImmediate();
      perTurn.push(taken.length - before);
    }
    expect([taken, Math.max(...perTurn), queue.room]).toEqual([['a', 'b', 'c'], 1, 0]);
    free(1);
    await all;
    expect([taken, queue.room]).toEqual([['a', 'b', 'c', 'd'], 0]);
  });
});
