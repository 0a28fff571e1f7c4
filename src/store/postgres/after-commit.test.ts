import { describe, expect, it } from 'vitest';
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

  it('leaves out the oldest where more waits than may', async () => {
    const { worked, behind } = stage({ most: 2 });
    for (const one of [1, 2, 3, 4]) behind.add(one);
    await behind.done();
    expect(worked).toEqual([[1], [3, 4]]);
  });
});
