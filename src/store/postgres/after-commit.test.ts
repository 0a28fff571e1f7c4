import { describe, expect, it, vi } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { workBehind } from './after-commit.ts';

function stage({ most = 10 }: { most?: number } = {}) {
  const clock = fakeClock();
  const worked: number[][] = [];
  const behind = workBehind<number>({ most, apart: 100, clock }, async (all) => void worked.push([...all]));
  return { clock, worked, behind };
}

describe('work behind commits', () => {
  it('is done at once, then with all that came in the pause after it', async () => {
    const { clock, worked, behind } = stage();
    behind.add(1);
    await clock.pass(99);
    behind.add(2);
    behind.add(3);
    expect(worked).toEqual([[1]]);
    await clock.pass(1);
    expect(worked).toEqual([[1], [2, 3]]);
  });

  it('is done without a pause when somebody waits for it', async () => {
    const { clock, worked, behind } = stage();
    behind.add(1);
    await clock.pass(1);
    behind.add(2);
    await behind.done();
    expect(worked).toEqual([[1], [2]]);
  });

  it('is waited for no longer because of what comes later', async () => {
    const begun: { all: readonly number[]; end: () => void }[] = [];
    const behind = workBehind<number>({ most: 2, apart: 0 }, async (all) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      begun.push({ all, end: resolve });
      await promise;
    });
    for (const one of [1, 2]) behind.add(one);
    const told = vi.fn();
    const done = behind.done().then(told);
    begun[0]!.end();
    await vi.waitFor(() => expect(begun).toHaveLength(2));
    // Those that push the second out are worked on instead of it, and one always waits.
    for (const one of [3, 4, 5]) behind.add(one);
    expect(told).not.toHaveBeenCalled();
    begun[1]!.end();
    await done;
    expect(begun[1]!.all).toEqual([2]);
  });

  it('leaves out the oldest where more waits than may', async () => {
    const { worked, behind } = stage({ most: 2 });
    for (const one of [1, 2, 3, 4]) behind.add(one);
    await behind.done();
    expect(worked).toEqual([[1], [3, 4]]);
  });
});
