import { describe, expect, it } from 'vitest';
import { createFairQueue, QueueFullError, type QueueLimits, type QueueWish } from './fair-queue.ts';

/** A queue whose work ends when the test says so, and what has begun so far. */
function stage(maxWaiting: number, limits: Partial<QueueLimits> = {}) {
  const queue = createFairQueue({ maxWaiting, ...limits });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (owner: string, name: string, wish?: QueueWish) =>
    queue.run(
      owner,
      () => {
        begun.push(name);
        return new Promise<string>((resolve) => void ends.push(() => resolve(name)));
      },
      wish,
    );
  const endOne = async () => {
    ends.shift()!();
    await new Promise(setImmediate);
  };
  return { queue, begun, ask, endOne };
}

describe('a fair queue', () => {
  it('runs one piece at a time, and lets owners take turns', async () => {
    const { begun, ask, endOne } = stage(3);
    const asked = [ask('a', 'a1'), ask('a', 'a2'), ask('a', 'a3'), ask('b', 'b1'), ask('c', 'c1'), ask('b', 'b2')];
    expect(begun).toEqual(['a1']);
    for (let piece = 1; piece < asked.length; piece++) await endOne();
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
    await endOne();
    expect(await Promise.all(asked)).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'b2']);
  });

  it('refuses an owner that has too much waiting, and no other', async () => {
    const { queue, begun, ask, endOne } = stage(2);
    const asked = [ask('a', 'a1'), ask('a', 'a2'), ask('a', 'a3')];
    await expect(ask('a', 'a4')).rejects.toThrow(QueueFullError);
    asked.push(ask('b', 'b1'));
    expect(queue.waiting).toBe(3);
    for (let piece = 0; piece < 4; piece++) await endOne();
    await Promise.all(asked);
    expect([begun, queue.waiting]).toEqual([['a1', 'a2', 'b1', 'a3'], 0]);
  });

  it('goes on after work that fails', async () => {
    const { ask, endOne, queue, begun } = stage(2);
    const failed = queue.run('a', () => Promise.reject(new Error('no')));
    const next = ask('b', 'b1');
    await expect(failed).rejects.toThrow('no');
    await new Promise(setImmediate);
    expect(begun).toEqual(['b1']);
    await endOne();
    expect(await next).toBe('b1');
  });

  it('runs several pieces at once, and leaves one place to the other owners', async () => {
    const { begun, ask, endOne } = stage(9, { atOnce: 3, ofOneOwner: 2 });
    const asked = [ask('a', 'a1'), ask('a', 'a2'), ask('a', 'a3'), ask('a', 'a4'), ask('b', 'b1'), ask('b', 'b2')];
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    for (let piece = 0; piece < 6; piece++) await endOne();
    await Promise.all(asked);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'b2', 'a4']);
  });

  it('forgets work whose caller has gone before its turn, and counts it no longer', async () => {
    const { queue, begun, ask, endOne } = stage(1);
    const first = ask('a', 'a1');
    const leaving = new AbortController();
    const left = ask('a', 'a2', { signal: leaving.signal });
    await expect(ask('a', 'a3')).rejects.toThrow(QueueFullError);
    leaving.abort(new Error('The caller is gone.'));
    await expect(left).rejects.toThrow('The caller is gone.');
    expect(queue.waiting).toBe(0);
    const next = ask('a', 'a4', { signal: leaving.signal });
    await expect(next).rejects.toThrow('The caller is gone.');
    const last = ask('a', 'a5');
    await endOne();
    await endOne();
    expect([await first, await last, begun]).toEqual(['a1', 'a5', ['a1', 'a5']]);
  });

  it('lets further parts of work wait, however many wait already', async () => {
    const { begun, ask, endOne } = stage(1);
    const asked = [ask('a', 'a1'), ask('a', 'a2'), ask('a', 'a3', { isFurtherPart: true })];
    for (let piece = 0; piece < 3; piece++) await endOne();
    await Promise.all(asked);
    expect(begun).toEqual(['a1', 'a2', 'a3']);
  });
});
