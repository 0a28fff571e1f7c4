import { expect, it } from 'vitest';
import { recentSlices } from './recent.ts';

const ROWS = [3, 2, 1].map((number) => ({
  number,
  at: number,
  lines: Array.from({ length: 2_500 }, (_, index) => `["","${number}-${index}",{}]`).join('\n'),
}));

/** Returns how many events were looked up at once, and which were found. */
async function walk(limit: number) {
  const looks: number[] = [];
  const found: string[] = [];
  const slices = recentSlices({
    platform: 'x',
    limit,
    erased: { isHidden: () => false },
    rowsBefore: async (number) => (number > 3 ? ROWS : []),
    hidden: async (events) => {
      looks.push(events.length);
      return ({ postId }) => postId.endsWith('7');
    },
  });
  for await (const slice of slices) found.push(...slice.map(({ event }) => event.postId));
  return { looks, found };
}

it('a preview looks up 250 of the smallest events at once', async () => {
  const { looks, found } = await walk(100_000);
  expect(looks).toEqual(Array.from({ length: 30 }, () => 250));
  expect([found.length, found[0], found.at(-1)]).toEqual([3 * 2_250, '3-2499', '1-0']);
});

it('a preview parses no more than it needs for its limit', async () => {
  const { looks, found } = await walk(950);
  expect(found).toHaveLength(950);
  expect(looks).toEqual([250, 250, 250, 250, 250]);
});
