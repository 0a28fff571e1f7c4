import { expect, it } from 'vitest';
import { type Target, targetsLike } from './palette-targets.ts';

it('a place is found by a part of its name, what begins so first', () => {
  const targets: Target[] = [
    { group: 'Page', name: 'Home', path: '/' },
    { group: 'Rule', name: 'At home', path: '/rules/1' },
    { group: 'Rule', name: 'Home of rockets', path: '/rules/2' },
  ];
  expect(targetsLike(targets, ' HOME').map(({ path }) => path)).toEqual(['/', '/rules/2', '/rules/1']);
  expect(targetsLike(targets, 'xyz')).toEqual([]);
});
