import { expect, it } from 'vitest';
import { problemsOf, tableOf } from './first-use-table.ts';

const clone = [
  { way: 'clone', step: 'npm start', seconds: 100 },
  { way: 'clone', step: 'first match', seconds: 79.5 },
];

it('is content when every way led to a match within three minutes', () => {
  expect(problemsOf([...clone, { way: 'image', step: 'build', seconds: 170 }])).toEqual([]);
});

it('names a way that took more than three minutes, and a step that failed', () => {
  const late = { way: 'clone', step: 'open the console', seconds: 1 };
  const failed = { way: 'image', step: 'build', seconds: 2, problem: 'no network' };
  expect(problemsOf([...clone, late, failed])).toEqual([
    'image, build: no network',
    'clone: 181 s are more than 180 s',
  ]);
});

it('shows each step with its seconds, and their sum', () => {
  expect(tableOf(clone)).toBe(
    ['clone     npm start     100.0 s', 'clone     first match    79.5 s', 'clone     in all        179.5 s'].join(
      '\n',
    ),
  );
});
