import { expect, it } from 'vitest';
import { differenceOf } from './difference-of.ts';

const listed = (...ids: number[]) => ids.map((at) => ({ id: String(at), at }));

it('counts what a change adds and drops, over the time that both lists reach back to', () => {
  const was = { matched: 3, listed: listed(9, 8, 7) };
  expect(differenceOf(was, { matched: 2, listed: listed(9, 6) })).toEqual({ added: 1, dropped: 2, isAll: true });
  // The second list ends at 5: what is older than that is in one list alone, and says nothing.
  expect(differenceOf({ matched: 4, listed: listed(9, 8, 4, 3) }, { matched: 90, listed: listed(9, 8, 5) })).toEqual({
    added: 0,
    dropped: 0,
    isAll: false,
  });
});
