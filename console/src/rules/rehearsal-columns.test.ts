import { expect, it } from 'vitest';
import { columnsOfRehearsal } from './rehearsal-columns.ts';

const at = (minute: number) => new Date(minute * 60_000).toISOString();

it('has a column for an interval without a match', () => {
  const counts = [
    { at: at(0), matched: 2 },
    { at: at(3), matched: 1 },
  ];
  expect(columnsOfRehearsal({ seconds: 60, counts })).toEqual({
    times: [0, 60_000, 120_000, 180_000],
    values: [2, 0, 0, 1],
  });
});

it('has no columns without matches, and only those with a match where they are far apart', () => {
  expect(columnsOfRehearsal({ seconds: 60, counts: [] })).toEqual({ times: [], values: [] });
  const counts = [
    { at: at(0), matched: 2 },
    { at: at(5_000), matched: 1 },
  ];
  expect(columnsOfRehearsal({ seconds: 60, counts })).toEqual({ times: [0, 300_000_000], values: [2, 1] });
});
