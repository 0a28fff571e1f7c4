import { expect, it } from 'vitest';
import { recentSlices } from './recent.ts';

const ROWS = [3, 2, 1].map((number) => ({
  number,
  at: number,
  lines: Array.from({ length: 2_500 }, (_, index) => `["","${number}-${index}",{}]`).join('\n'),
}));

/** Returns what happened, in order: how many events were looked up at once, and pauses. */
async function walk(limit: number) {
  const steps: (number | 'pause')[] = [];
  const found: string[] = [];
  const slices = recentSlices({
    platform: 'x',
    limit,
    erased: { isHidden: () => false },
    rowsBefore: async (number) => (number > 3 ? ROWS : []),
    hidden: async (events) => {
      steps.push(events.length);
      return ({ postId }) => postId.endsWith('7');
    },
    breathe: async () => void steps.push('pause'),
  });
  for await (const slice of slices) found.push(...slice.map(({ event }) => event.postId));
  return { steps, found };
}

it('a preview looks up 250 of the smallest events at once, and pauses before and after', async () => {
  const { steps, found } = await walk(100_000);
  const looks = steps.filter((step) => step !== 'pause');
  expect(looks).toEqual(Array.from({ length: 30 }, () => 250));
  const around = steps.flatMap((step, at) => (step === 'pause' ? [] : [steps[at - 1], steps[at + 1]]));
  expect(new Set(around)).toEqual(new Set(['pause']));
  expect([found.length, found[0], found.at(-1)]).toEqual([3 * 2_250, '3-2499', '1-0']);
});

it('a preview parses no more than it needs for its limit', async () => {
  const { steps, found } = await walk(950);
  expect(found).toHaveLength(950);
  expect(steps.filter((step) => step !== 'pause')).toEqual([250, 250, 250, 250, 250]);
});
