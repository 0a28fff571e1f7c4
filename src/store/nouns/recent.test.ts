import { describe, expect, it } from 'vitest';
import { createRingPacker, textIn } from '../rows/packed-ring.ts';
import { erasurePassOf } from './erasure/erased.ts';
import {
  enough,
  erasedOf,
  eventsOf,
  type RecentEvent,
  type RecentRow,
  type RingEvent,
  recentSlices,
  withoutPosts,
} from './recent.ts';

const NOTHING_ERASED = erasedOf([]);

function packEvents(events: readonly RingEvent[]) {
  const ring = createRingPacker();
  for (const event of events) ring.add(event);
  return ring.rows().map((row) => ({ ...row, lines: textIn(row) }));
}

/** One row for each list of posts, the first with number 1. */
const rowsOf = (...posts: string[][]): RecentRow[] =>
  posts.map((own, index) => ({
    number: index + 1,
    at: index,
    lines: packEvents(own.map((postId) => ({ accountId: 'acct', postId, payload: '{}' })))[0]!.lines,
  }));

async function slicesOf(rows: readonly RecentRow[], limit: number, erased = NOTHING_ERASED) {
  const slices: string[][] = [];
  const steps = {
    platform: 'x' as const,
    limit,
    erased,
    rowsBefore: async (number: number) =>
      rows
        .filter((row) => row.number < number)
        .toReversed()
        .slice(0, 2),
    hidden: async () => () => false,
  };
  for await (const slice of recentSlices(steps)) slices.push(slice.map(({ event }: RecentEvent) => event.postId));
  return { slices };
}

describe('recent events', () => {
  it('are packed by owner into rows that stay quick to read, and come back newest first', () => {
    const long = `"${'x'.repeat(200_000)}"`;
    const events = ['a', 'b', 'c', 'd'].map((postId) => ({ accountId: 'one', postId, payload: long }));
    const shared = { accountId: undefined, postId: 'a "quoted"\n', payload: '7' };
    const rows = packEvents([...events, shared]);
    expect(rows.map(({ owner, events: count }) => [owner, count])).toEqual([
      ['one', 2],
      ['one', 2],
      ['', 1],
    ]);
    for (const { lines, bytes } of rows) expect(bytes).toBe(Buffer.byteLength(lines));
    const back = [...eventsOf({ number: 1, at: 5, lines: rows[0]!.lines }, 'x')];
    expect(back.map(({ at, event }) => [at.getTime(), event.postId, event.accountId])).toEqual([
      [5, 'b', 'one'],
      [5, 'a', 'one'],
    ]);
    const [one] = [...eventsOf({ number: 3, at: 5, lines: rows[2]!.lines }, 'firehose')];
    expect(one!.event).toEqual({ platform: 'firehose', postId: 'a "quoted"\n', payload: 7, accountId: undefined });
    expect(packEvents([])).toEqual([]);
  });

  it('are shown once each, newest first, up to the limit', async () => {
    const rows = rowsOf(['a', 'b'], ['c', 'a'], ['d']);
    expect((await slicesOf(rows, 10)).slices).toEqual([['d', 'a', 'c', 'b']]);
    expect((await slicesOf(rows, 2)).slices).toEqual([['d', 'a']]);
    expect((await slicesOf([], 2)).slices).toEqual([]);
  });

  it('come a hundred at a time', async () => {
    const rows = rowsOf(Array.from({ length: 250 }, (_, index) => `p${index}`));
    const { slices } = await slicesOf(rows, 1_000);
    expect(slices.map(({ length }) => length)).toEqual([100, 100, 50]);
    expect((await slicesOf(rows, 200)).slices.map(({ length }) => length)).toEqual([100, 100]);
  });

  it('that were erased stay hidden, and show again when they come later', async () => {
    const rows = rowsOf(['a', 'b'], ['a', 'c'], ['a']);
    expect((await slicesOf(rows, 9, erasedOf([{ post_id: '"b"', number: 2 }]))).slices).toEqual([['a', 'c']]);
    expect((await slicesOf(rows, 9, erasedOf([{ post_id: '"a"', number: 2 }]))).slices).toEqual([['a', 'c', 'b']]);
    expect((await slicesOf(rows, 9, erasedOf([{ post_id: '"a"', number: 3 }]))).slices).toEqual([['c', 'b']]);
    expect((await slicesOf(rows, 9, erasedOf([{ post_id: '', number: 2 }]))).slices).toEqual([['a']]);
  });

  it('are read by the half mebibyte, and at least one row of them', () => {
    const row = (number: number, bytes: number) => ({ number, bytes });
    expect(enough([row(9, 900_000), row(8, 1)])).toEqual([9]);
    expect(enough([row(9, 300_000), row(8, 224_288), row(7, 1)])).toEqual([9, 8]);
    expect(enough([])).toEqual([]);
  });

  it('are taken out of a row by their ids alone, whatever stands in their texts', () => {
    const { lines } = packEvents([
      { accountId: 'one', postId: 'a', payload: '{"text":"[\\"one\\",\\"b\\","}' },
      { accountId: 'one', postId: 'b', payload: '{}' },
    ])[0]!;
    const left = withoutPosts(lines, (post) => post === '"b"')!;
    expect(left).toEqual({ lines: lines.split('\n')[0], events: 1, bytes: Buffer.byteLength(lines.split('\n')[0]!) });
    expect(withoutPosts(lines, () => false)).toBeUndefined();
    expect(withoutPosts(lines, () => true)).toEqual({ lines: '', events: 0, bytes: 0 });
  });
});

describe('a pass of erasure', () => {
  it('finishes what has begun before it takes what came meanwhile', () => {
    const pass = erasurePassOf([
      { post_id: '"a"', number: 8, walked: 5 },
      { post_id: '"b"', number: 6, walked: 5 },
      { post_id: '"c"', number: 9, walked: 0 },
    ]);
    expect([pass.walked, pass.end]).toEqual([5, 8]);
    expect([pass.isErased(8, '"a"'), pass.isErased(9, '"a"'), pass.isErased(7, '"b"')]).toEqual([true, false, false]);
    expect(pass.isErased(1, '"c"')).toBe(false);
  });

  it('takes out every post where all were erased', () => {
    const pass = erasurePassOf([{ post_id: '', number: 4, walked: 0 }]);
    expect([pass.isErased(4, '"any"'), pass.isErased(5, '"any"')]).toEqual([true, false]);
  });
});
